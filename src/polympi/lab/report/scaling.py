"""How applications scale, as tables and sentences: shared by all forms of the report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.phrases import count, listing, percent, plain_ratio, sentence, size_words
from polympi.lab.conclusions.rows import Family
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.scaling import ScalingRow
from polympi.lab.units import format_ns

_STRONG_HEADERS = ("", "ranks", "an iteration", "speed-up", "efficiency", "communication")
_WEAK_HEADERS = ("", "ranks", "problem", "an iteration", "scaled speed-up", "efficiency", "communication")
_STRONG = (
    "The same problem with more and more ranks (strong scaling). Speed-up: the time of an iteration with the fewest "
    "ranks over the time with these, in the same block."
)
_WEAK = (
    "A problem that grows with the ranks, so that each of them has as much work (weak scaling). Scaled speed-up: how "
    "many times as much work is done in the same time as with the fewest ranks, in the same block. So it does not "
    "matter that edges are whole numbers, with which the work of a rank is only nearly the same."
)
_BOTH = (
    "Efficiency: the speed-up over how many times as many ranks there are. Communication: the share of its time that "
    "rank 0 spends in calls of communication, waiting for other ranks included. Medians over launches with their "
    "intervals."
)
_MOST_NAMED = 4  # bindings in a sentence


@dataclass(frozen=True)
class ScalingLine:
    """One arm with one number of ranks: the columns of a :class:`ScalingTable` after the first."""

    binding: str
    first: bool  # whether it is the arm's first line
    figures: tuple[str, ...]  # with intervals
    short: tuple[str, ...]


@dataclass(frozen=True)
class ScalingTable:
    """How one application of one size scales on one stack."""

    stack: str
    title: str
    headers: tuple[str, ...]  # of the columns
    answer: str  # the speed-ups with the most ranks that have a processor each, and what to know about others
    rows: tuple[ScalingRow, ...]
    lines: tuple[ScalingLine, ...]

    @property
    def drawn(self) -> bool:
        """Whether there is a speed-up to draw."""
        return any(row.speedup is not None and row.ranks > row.base_ranks for row in self.rows)


def scaling_note(rows: Sequence[ScalingRow]) -> str:
    """What the figures are."""
    return f"{_WEAK if any(row.weak for row in rows) else _STRONG} {_BOTH}"


def scaling_tables(rows: Sequence[ScalingRow]) -> list[ScalingTable]:
    """A table for each stack and case, in the order of the rows."""

    def case(row: ScalingRow) -> tuple[str, str, str, str, int]:
        return (row.stack, row.benchmark, row.mode, row.payload, row.asked_bytes)

    return [_table(tuple(own)) for _, own in groupby(rows, key=case)]


def _table(rows: tuple[ScalingRow, ...]) -> ScalingTable:
    one = rows[0]
    family = Family(one.stack, one.benchmark, one.mode, one.payload)
    lines = tuple(
        ScalingLine(row.binding, number == 0 or rows[number - 1].binding != row.binding, _figures(row), _short(row))
        for number, row in enumerate(rows)
    )
    title = f"{family.title}, {BENCHMARKS[one.benchmark].size_words(one.asked_bytes)}{' a rank' if one.weak else ''}"
    headers = _WEAK_HEADERS if one.weak else _STRONG_HEADERS
    return ScalingTable(one.stack, title, headers, _answer(rows), rows, lines)


def _answer(rows: Sequence[ScalingRow]) -> str:
    """The speed-ups with the most ranks that have a processor each; with the most of all, if only the fewest have."""
    beyond = [row for row in rows if row.ranks > row.base_ranks and row.speedup is not None]
    if not beyond:
        return "No block was measured with several numbers of ranks."
    chosen = max(row.ranks for row in [row for row in beyond if not row.oversubscribed] or beyond)
    own = [row for row in beyond if row.ranks == chosen]
    gains = [f"{'C' if row.binding == REFERENCE else row.binding} {_gain(row)}" for row in own[:_MOST_NAMED]]
    each = ", each with as much work, in the same time" if own[0].weak else ""
    said = sentence(f"With {count(chosen, 'rank')} instead of {own[0].base_ranks}{each}: {listing(gains)}")
    shared = sorted({row.ranks for row in rows if row.oversubscribed})
    if shared:
        processors = count(rows[0].processors or 0, "processor")
        numbers = listing(map(str, shared))
        said += f" Oversubscribed: {numbers} ranks share {processors} and wait for each other."
    return said


def _gain(row: ScalingRow) -> str:
    speedup, efficiency = plain_ratio(row.speedup or 0.0), percent(row.efficiency or 0.0)
    gain = f"{speedup} × the work" if row.weak else f"{speedup} × as fast"
    return f"{gain} (efficiency {efficiency})"


def _figures(row: ScalingRow) -> tuple[str, ...]:
    parts = (
        *([""] if row.weak else []),
        _range(row.ci_low_ns, row.ci_high_ns, format_ns),
        _range(row.speedup_low, row.speedup_high, plain_ratio),
        _range(row.efficiency_low, row.efficiency_high, percent),
        _range(row.communication_low, row.communication_high, percent),
    )
    ranks, *values = _short(row)
    return (
        f"{ranks}{' (oversubscribed)' if row.oversubscribed else ''}",
        *(f"{value} {part}".rstrip() for value, part in zip(values, parts, strict=True)),
    )


def _short(row: ScalingRow) -> tuple[str, ...]:
    return (
        str(row.ranks),
        *([size_words(row)] if row.weak else []),
        format_ns(row.median_ns),
        "–" if row.speedup is None else plain_ratio(row.speedup),
        "–" if row.efficiency is None else percent(row.efficiency),
        "–" if row.communication is None else percent(row.communication),
    )


def _range(low: float | None, high: float | None, form: Callable[[float], str]) -> str:
    """Both ends of an interval, with their unit once if they share it: ``(44–56 %)``."""
    if low is None or high is None:
        return ""
    first, last = form(low), form(high)
    number, _, unit = first.partition(" ")
    return f"({number if last.endswith(f' {unit}') else first}–{last})"
