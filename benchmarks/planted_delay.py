"""Does the laboratory find a delay that was planted, and does it say how long it is?

    python benchmarks/planted_delay.py --profile standard

measures the test binding ``c-delayed``, which is the C program with a wait of 200 ns before each send, against C as any
other binding, and compares what the laboratory says it costs with what it does cost. It exits with 1 unless every
size is called slower, and the median over sizes of the differences lies within 20 % of the 200 ns.

A message of a ping-pong is sent once, so that the whole delay is in the time of a message. The sizes are small ones,
where a difference of 200 ns is no smaller than what two launches differ by.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import polars as pl
import typer
from evidence import MISSED, CsvFile, StackName, keep_raw, measure_whole, refuse_existing, run_command
from rich.table import Table

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.cli.arguments import choose_seed
from polympi.lab.cli.console import results
from polympi.lab.plan.profiles import get_profile
from polympi.lab.records import REFERENCE
from polympi.lab.run.request import Request
from polympi.lab.stacks.stack import get_stack
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.verdicts import SLOWER
from polympi.lab.units import format_ns, format_size, parse_sizes

DELAYED = "c-delayed"
TEST_BINDINGS = Path(__file__).parents[1] / "tests" / "bindings"
BENCH = "latency/standard/bytes"
PLANTED_NS = 200.0  # PLANTED_DELAY_NS in the manifest of c-delayed
TOLERANCE = 0.20


@dataclass(frozen=True)
class Found:
    """What the laboratory says of one size.

    Attributes:
        size_bytes: of the message.
        c_ns: time of a message with C.
        delta_ns: by how much the delayed program is slower.
        low_ns, high_ns: the interval of that; None with too few launches.
        verdict: the word in the report.
    """

    size_bytes: int
    c_ns: float
    delta_ns: float
    low_ns: float | None
    high_ns: float | None
    verdict: str


def found_delays(summary: pl.DataFrame) -> list[Found]:
    """What a summary says of the delayed program, by size; columns of the summary as in ``docs/results.md``."""
    c = dict(summary.filter(binding=REFERENCE, benchmark="latency").select("size_bytes", "median_ns").iter_rows())
    rows = summary.filter(binding=DELAYED, benchmark="latency").sort("size_bytes")
    columns = rows.select("size_bytes", "delta_to_c_ns", "delta_low_ns", "delta_high_ns", "verdict")
    return [Found(size, c[size], delta, low, high, verdict) for size, delta, low, high, verdict in columns.iter_rows()]


def is_met(found: Sequence[Found]) -> bool:
    """Whether every size is called slower, and the delay is sized within the tolerance."""
    sized = abs(median(f.delta_ns for f in found) - PLANTED_NS) <= TOLERANCE * PLANTED_NS
    return sized and all(f.verdict == SLOWER for f in found)


def conclusion(found: Sequence[Found], stack: str) -> str:
    """The result in one sentence."""
    slower = sum(f.verdict == SLOWER for f in found)
    typical = median(f.delta_ns for f in found)
    return (
        f"On stack {stack} the planted delay of {PLANTED_NS:.0f} ns is found at {slower} of {len(found)} sizes, and "
        f"sized {typical:.0f} ns in the median over sizes ({typical / PLANTED_NS - 1:+.0%}): "
        f"the target is {'met' if is_met(found) else 'MISSED'}."
    )


def main(
    *,
    stack: StackName = "mpich",
    profile: Annotated[str, typer.Option(metavar="NAME", help="quick, standard or publish.")] = "quick",
    sizes: Annotated[str, typer.Option(metavar="SIZES", help="Message sizes.")] = "8:1KiB",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Keep the result directory here; it must not exist."),
    ] = None,
    csv: CsvFile = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random orders.")] = None,
) -> None:
    """Measure a C program that waits 200 ns before each send; exits with 1 if that is not found and sized within 20 %.

    The times mean something only if nothing else is running.
    """
    refuse_existing(csv)
    with tempfile.TemporaryDirectory() as scratch:
        request = Request(
            output=output or Path(scratch) / "run",
            stacks=[get_stack(stack)],
            bindings=load_bindings([TEST_BINDINGS]),
            wanted=[DELAYED],
            benches=[BENCH],
            sizes=parse_sizes(sizes),
            ranks=[2],
            profile=get_profile(profile),
            seed=choose_seed(seed),
            command=sys.argv,
        )
        analysis = analyse(measure_whole(request))
    keep_raw(analysis.launch_medians, csv)
    found = found_delays(analysis.summary)
    results.print(_table(found, analysis))
    results.print(conclusion(found, stack), soft_wrap=True)
    if not is_met(found):
        raise typer.Exit(MISSED)


def _table(found: Sequence[Found], analysis: Analysis) -> Table:
    stack = analysis.run.stacks[0]
    table = Table(title=f"{PLANTED_NS:.0f} ns planted in {BENCH}\n{stack.library}, profile {analysis.run.profile}")
    for heading in ("size", "C", "difference", "95 % interval", "verdict"):
        table.add_column(heading, justify="left" if heading == "verdict" else "right")
    for row in found:
        interval = "–" if row.low_ns is None or row.high_ns is None else f"{row.low_ns:+.0f} .. {row.high_ns:+.0f} ns"
        table.add_row(
            format_size(row.size_bytes), format_ns(row.c_ns), f"{row.delta_ns:+.0f} ns", interval, row.verdict
        )
    return table


if __name__ == "__main__":
    run_command(main)
