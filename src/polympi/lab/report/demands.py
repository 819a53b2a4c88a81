"""What each binding asks of MPI, as the lines of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.demands import calls_of_ranks, sent_words
from polympi.lab.conclusions.overview import Column
from polympi.lab.conclusions.phrases import size_words
from polympi.lab.conclusions.rows import Family, bindings_of, catalogue_order
from polympi.lab.demands import Demand
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_range

DEMAND_HEADERS = ("benchmark", "size", "binding", "calls of MPI per iteration", "sent")
DEMAND_TITLE = "What each asks of MPI"
DEMAND_NOTE = (
    "Recorded in one launch of each arm, which is not timed. Calls are those of one iteration, without tests and "
    "probes that find nothing; what is sent counts for each message of C, or for each rank of a collective call."
)


@dataclass(frozen=True)
class DemandTable:
    """The lines of one stack: of the cases on the first screen, and of the others."""

    stack: str
    first: list[tuple[str, ...]]
    others: list[tuple[str, ...]]


def demand_table(analysis: Analysis, stack: str, columns: Sequence[Column]) -> DemandTable | None:
    """The table of a stack; None if nothing was recorded there."""
    own = [one for one in analysis.demands if one.stack == stack]
    if not own:
        return None
    shown = {column.family for column in columns}
    families = sorted({_family(one) for one in own}, key=catalogue_order)
    order = [name for name in bindings_of(analysis, stack) if name in {one.binding for one in own}]
    parts: dict[bool, list[tuple[str, ...]]] = {True: [], False: []}
    for family in families:
        parts[family in shown] += _lines([one for one in own if _family(one) == family], family, order)
    return DemandTable(stack, first=parts[True], others=parts[False])


def _family(demand: Demand) -> Family:
    return Family(demand.stack, demand.benchmark, demand.mode, demand.payload)


def _lines(demands: Sequence[Demand], family: Family, order: Sequence[str]) -> list[tuple[str, ...]]:
    """One line for neighbouring sizes in which an arm makes the same calls."""
    of_c = {one.size_bytes: one for one in demands if one.binding == REFERENCE}
    lines: list[tuple[str, ...]] = []
    for binding in order:
        groups: list[list[Demand]] = []
        for one in sorted((d for d in demands if d.binding == binding), key=lambda d: d.size_bytes):
            if groups and _rounded(groups[-1][-1]) == _rounded(one):
                groups[-1].append(one)
            else:
                groups.append([one])
        for group in groups:
            first, last = group[0], group[-1]
            sent = [sent_words(one, of_c.get(one.size_bytes, one)) for one in (first, last)]
            sizes = "" if first.payload == "none" else format_range(size_words(first), size_words(last))
            name = "C" if binding == REFERENCE else binding
            lines.append((family.title, sizes, name, calls_of_ranks(first), "; to ".join(dict.fromkeys(sent))))
    return lines


def _rounded(demand: Demand) -> list[dict[str, int]]:
    """The calls of each rank as whole numbers, since means differ a little from size to size."""
    return [{name: round(number) for name, number in rank.calls.items()} for rank in demand.ranks]
