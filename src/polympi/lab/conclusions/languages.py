"""Which language costs what: every binding at three sizes of the ping-pong, by language, and the answer in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polympi.lab.conclusions.order import by_language
from polympi.lab.conclusions.overview import ArmInOverview, Column, arms_in, common_sizes, message_columns
from polympi.lab.conclusions.phrases import listing, times
from polympi.lab.conclusions.rows import Row, by_family
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import Analysis


@dataclass(frozen=True)
class Language:
    """The bindings of one language, in the order of the report."""

    name: str
    arms: tuple[ArmInOverview, ...]


@dataclass(frozen=True)
class Languages:
    """Every binding of a stack by language."""

    columns: tuple[Column, ...]  # a small, a middle and a large message; as many of them as were measured
    reference: tuple[Row | None, ...]
    groups: tuple[Language, ...]
    answers: tuple[str, ...]  # for each column a sentence that compares the cheapest binding of each language


def languages(analysis: Analysis, rows: Sequence[Row], stack: str) -> Languages | None:
    """What each language costs on one stack; None where the bindings are of one language only."""
    own = [row for row in rows if row.stack == stack]
    columns = three_messages(own)
    reference, arms = arms_in(analysis, own, stack, columns)
    places = {arm.binding: arm for arm in arms}
    named = by_language(analysis.run, places)
    if len(named) < 2 or not columns:
        return None
    groups = tuple(Language(name or "other", tuple(places[b] for b in group)) for name, group in named.items())
    answers = tuple(_answer(column, index, groups) for index, column in enumerate(columns))
    return Languages(columns, reference, groups, tuple(filter(None, answers)))


def three_messages(rows: Sequence[Row]) -> tuple[Column, ...]:
    """The small and the large message of the overview, and the size nearest to the middle between them, by factors."""
    compared = [row for row in rows if row.binding not in (REFERENCE, AGAIN) and row.median_ns is not None]
    families = by_family(compared)
    ends = message_columns(families)
    if len(ends) < 2:
        return tuple(ends)
    small, large = ends
    sizes = [s for s in common_sizes(families[small.family]) if small.size_bytes < s < large.size_bytes]
    if not sizes:
        return (small, large)
    middle = math.sqrt(small.size_bytes * large.size_bytes)
    size = min(sizes, key=lambda s: abs(math.log(s / middle)))
    return (small, replace(small, topic="middle", title="Middle message", size_bytes=size), large)


def _answer(column: Column, index: int, groups: Sequence[Language]) -> str:
    """``At 8 B ...``: what the cheapest binding of each language costs, cheapest language first."""
    best: list[tuple[str, Row]] = []
    for group in groups:
        judged = [row for arm in group.arms if (row := arm.spots[index].row) is not None and row.judged]
        if judged:
            best.append((group.name, min(judged, key=lambda row: row.ratio)))
    if not best:
        return ""
    best.sort(key=lambda pair: pair[1].ratio)
    equal = [_named(language, row) for language, row in best if not row.separated]
    apart = [f"{_named(language, row)} takes {times(row.ratio)}" for language, row in best if row.separated]
    parts = list(filter(None, [f"{listing(equal)} not separated from C" if equal else "", *apart]))
    return f"{column.size or 'Empty messages'}: {'; '.join(parts)}."


def _named(language: str, row: Row) -> str:
    """The language, and the binding if its name says something else."""
    return language if row.binding.lower() == language.lower() else f"{language} ({row.binding})"
