"""The first screen of a report as words and places: a row for each arm, a column for each case, a bar in each cell."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.languages import Languages
from polympi.lab.conclusions.order import by_language
from polympi.lab.conclusions.overview import ArmInOverview, Column, Overview
from polympi.lab.conclusions.phrases import factor
from polympi.lab.conclusions.rows import Row
from polympi.lab.records import RunRecord
from polympi.lab.report.cells import Cell, cell
from polympi.lab.units import format_ns

# The axis holds at least half and twice the time of C, so that one per cent never looks like much.
_LEAST_REACH = 2.0
_ROOM = 1.12  # between the outermost ratio and the edge, so that the end of a bar is seen
_MOST_TICKS = 5  # that a cell of 150 pixels can carry
_BASES = (2.0, 4.0, 10.0, 100.0)  # ticks are powers of one of these


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis of ratios to C, the same in all columns of a stack."""

    low: float
    high: float

    def place(self, ratio: float) -> float:
        """Where a ratio lies, in percent of the axis; beyond its ends, the end."""
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return round(100.0 * min(max(share, 0.0), 1.0), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Place and label of round ratios, 1 always among them, few enough to be read."""
        for base in _BASES:
            first = math.ceil(round(math.log(self.low, base), 9))
            powers = range(first, math.floor(round(math.log(self.high, base), 9)) + 1)
            if len(powers) <= _MOST_TICKS:
                break
        return [(self.place(base**power), f"{base**power:g}") for power in powers]


@dataclass(frozen=True)
class Bar:
    """A ratio to C on the axis; all in percent of it."""

    # `left` and `width`: the bar between C and the ratio
    left: float
    width: float
    ratio: float
    # `low` and `high`: the interval; None without one
    low: float | None
    high: float | None
    # `band_left` and `band_width`: the noise band, what C differs from itself; None if unknown
    band_left: float | None
    band_width: float | None


@dataclass(frozen=True)
class ScreenCell:
    """One arm in one column."""

    cell: Cell
    bar: Bar | None  # its bar; None without a ratio
    tip: str  # all that is known of it in words, or the reason why there is nothing


@dataclass(frozen=True)
class ScreenLine:
    """One arm in all columns."""

    binding: str
    cells: tuple[ScreenCell, ...]


@dataclass(frozen=True)
class ScreenGroup:
    """The bindings of one language; without its name where all are of one."""

    language: str
    lines: tuple[ScreenLine, ...]


@dataclass(frozen=True)
class ScreenColumn:
    """The head of a column: what stands for what at which size, and C's time in it."""

    topic: str
    title: str
    what: str
    size: str
    reference: str


@dataclass(frozen=True)
class Screen:
    """The first screen about one stack."""

    columns: tuple[ScreenColumn, ...]
    axis: Axis
    groups: tuple[ScreenGroup, ...]
    arms_of_c: tuple[ScreenLine, ...] = ()
    answers: tuple[str, ...] = ()  # sentences that compare the languages, if that is what the screen is about

    @property
    def bindings(self) -> tuple[ScreenLine, ...]:
        """The lines of all groups."""
        return tuple(line for group in self.groups for line in group.lines)


def screen(seen: Overview, run: RunRecord) -> Screen:
    """Words and places of an overview."""
    arms = (*seen.bindings, *seen.arms_of_c)
    axis = _axis([spot.row for arm in arms for spot in arm.spots if spot.row])
    lines = {arm.binding: _line(arm, axis) for arm in arms}
    named = by_language(run, [arm.binding for arm in seen.bindings])
    return Screen(
        columns=_columns(seen.columns, seen.reference),
        axis=axis,
        groups=tuple(
            ScreenGroup((language or "other") if len(named) > 1 else "", tuple(lines[name] for name in names))
            for language, names in named.items()
        ),
        arms_of_c=tuple(lines[arm.binding] for arm in seen.arms_of_c),
    )


def language_screen(seen: Languages | None) -> Screen | None:
    """Words and places of what each language costs; None where there is only one."""
    if seen is None:
        return None
    axis = _axis([spot.row for group in seen.groups for arm in group.arms for spot in arm.spots if spot.row])
    return Screen(
        columns=_columns(seen.columns, seen.reference),
        axis=axis,
        groups=tuple(ScreenGroup(g.name, tuple(_line(arm, axis) for arm in g.arms)) for g in seen.groups),
        answers=seen.answers,
    )


def level_screen(
    columns: Sequence[Column],
    reference: Sequence[Row | None],
    levels: Sequence[tuple[str, Sequence[ArmInOverview]]],
    *,
    of: str,
) -> Screen:
    """What the levels of a factor cost, a group a level under its title; ``of`` names what is 1 on the axis."""
    axis = _axis([spot.row for _, arms in levels for arm in arms for spot in arm.spots if spot.row])
    return Screen(
        columns=_columns(columns, reference),
        axis=axis,
        groups=tuple(ScreenGroup(title, tuple(_line(arm, axis, of) for arm in arms)) for title, arms in levels),
    )


def _columns(columns: Sequence[Column], reference: Sequence[Row | None]) -> tuple[ScreenColumn, ...]:
    return tuple(
        ScreenColumn(c.topic, c.title, c.what, c.size, format_ns(row.median_ns) if row and row.median_ns else "")
        for c, row in zip(columns, reference, strict=True)
    )


def _axis(rows: Sequence[Row]) -> Axis:
    """From the smallest to the largest ratio; a longer interval is cut, so that the others stay readable."""
    ratios = [row.ratio for row in rows if row.ratio_to_c]
    low, high = min([*ratios, 1.0 / _LEAST_REACH]), max([*ratios, _LEAST_REACH])
    return Axis(low / _ROOM, high * _ROOM)


def _line(arm: ArmInOverview, axis: Axis, of: str = "C") -> ScreenLine:
    cells = []
    for spot in arm.spots:
        if spot.row is None:
            cells.append(ScreenCell(Cell(arm.binding), None, spot.reason))
        else:
            cells.append(ScreenCell(cell(spot.row), _bar(spot.row, axis), _tip(spot.row, spot.reason, of)))
    return ScreenLine(arm.binding, tuple(cells))


def _bar(row: Row, axis: Axis) -> Bar | None:
    if not row.ratio_to_c:
        return None
    one, end = axis.place(1.0), axis.place(row.ratio)
    band = (axis.place(1.0 / row.floor_ratio), axis.place(row.floor_ratio)) if row.floor_ratio else None
    return Bar(
        left=min(one, end),
        width=round(abs(end - one), 2),
        ratio=end,
        low=axis.place(row.ratio_low) if row.ratio_low else None,
        high=axis.place(row.ratio_high) if row.ratio_high else None,
        band_left=band[0] if band else None,
        band_width=round(band[1] - band[0], 2) if band else None,
    )


def _tip(row: Row, reason: str, of: str) -> str:
    words = cell(row)
    return "; ".join(filter(None, _parts(row, words, of))) if row.ratio_to_c else (reason or row.verdict)


def _parts(row: Row, words: Cell, of: str) -> Iterable[str]:
    yield f"{row.verdict}: {words.ratio} × {of}"
    yield f"interval {words.interval}" if words.interval else "no interval"
    yield f"{words.delta}, median {words.time}"
    yield words.typical
    yield f"noise floor {factor(row.floor_ratio)}" if row.floor_ratio else ""
    yield f"{row.launches} launches"
