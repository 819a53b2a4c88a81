"""The parts of a binding's time as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from polympi.lab.catalogue import Case
from polympi.lab.conclusions.demands import WAYS, calls_of_ranks, sent_words, split_sentence, typical_split
from polympi.lab.conclusions.phrases import duration, signed, size_words
from polympi.lab.demand.split import Split
from polympi.lab.demands import Demand, Instructions
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.intervals import MedianInterval
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_ns

_WIDTH = 100  # columns beyond which running text is hard to follow
NOTE = (
    "MPI: the time of the arm of C that calls MPI most like the binding. More sent: what it takes for more or longer "
    "messages than C's ('–' where messages overlap, or MPI itself sends them). Rest: language, checks, copies and "
    "serialisation, in brackets its 95 % interval."
)
NOTE_COUNTED = (
    " Instructions: what a rank executes outside MPI for a send and a receive, counted by callgrind, and C for the "
    "same; waiting in MPI isn't in them."
)
_Counts = Mapping[tuple[str, str, Case], float]


def print_cost(
    analysis: Analysis, splits: Sequence[Split], instructions: Sequence[Instructions], console: Console
) -> None:
    """Print for each binding its table, what it asks of MPI, and the largest part of its time."""
    counts = {(one.stack, one.binding, one.case): one.own for one in instructions}
    demands = {(one.stack, one.binding, one.case): one for one in analysis.demands}
    for stack, binding in dict.fromkeys((one.stack, one.binding) for one in splits):
        own = [one for one in splits if (one.stack, one.binding) == (stack, binding)]
        console.print()
        console.print(Text(f"{binding} on {stack}", style="bold"))
        for like in dict.fromkeys(one.like for one in own if one.like in WAYS):
            console.print(Text(f"How it calls MPI: {WAYS[like]}.", style="dim"))
        console.print(_table(own, counts))
        typical = typical_split(own)
        if typical is None:
            continue
        demand, of_c = (demands[stack, arm, typical.case] for arm in (binding, REFERENCE))
        console.print(Text(_asked(demand, of_c)), width=min(_WIDTH, console.width))
        console.print(Text(split_sentence(typical)), width=min(_WIDTH, console.width))
    console.print()
    console.print(Text(NOTE + NOTE_COUNTED * bool(counts), style="dim"), width=min(_WIDTH, console.width))


def _asked(demand: Demand, of_c: Demand) -> str:
    sent = sent_words(demand, of_c)
    return f"It asks MPI for {calls_of_ranks(demand)}{f' ({sent})' if sent else ''}, and C for {calls_of_ranks(of_c)}."


def _table(splits: Sequence[Split], counts: _Counts) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    counted = ("instructions", "C's") if counts else ()
    for title in ("case", "time", "C", "MPI", "more sent", "rest", "", *counted):
        table.add_column(title, justify="left" if title in ("case", "") else "right", overflow="fold")
    for one in splits:
        table.add_row(
            f"{one.case.benchmark} {one.case.mode} {one.case.payload}, {size_words(one.case)}".replace(" standard", ""),
            f"{duration(one.binding_ns)} {_ends(one.binding_interval)}".rstrip(),
            f"{duration(one.c_ns)} {_ends(one.c_interval)}".rstrip(),
            duration(one.mpi_ns),
            "–" if one.extra_ns is None else signed(one.extra_ns),
            signed(one.rest_ns),
            _ends(one.rest_interval, signed),
            *(_counted(one, arm, counts) for arm in (one.binding, REFERENCE) if counts),
        )
    return table


def _counted(split: Split, arm: str, counts: _Counts) -> str:
    count = counts.get((split.stack, arm, split.case))
    return "–" if count is None else f"{count:,.0f}"


def _ends(interval: MedianInterval | None, words: Callable[[float], str] = format_ns) -> str:
    return "" if interval is None else f"[{words(interval.low)}, {words(interval.high)}]"
