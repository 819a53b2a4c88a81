"""Does the barrier that holds ranks together between collectives change the times of collectives?

    python benchmarks/another_barrier.py --stack mpich

measures the test binding ``c-polling``, which is the C program with another barrier under the common start
(nonblocking messages and ``MPI_Test`` in a loop, instead of ``MPI_Sendrecv``), against C and the A/A arm as any other
binding, in all collectives with the sizes and batches of the quick profile. Its calls are those of C, so that nothing
but a harness that times its own barrier could make it slower or faster. It exits with 1 if any row is called so.

How many would chance call so? The verdicts account for the number of rows: without any effect, a row is called slower
or faster in one run of twenty at most. Twenty blocks, more than the quick profile makes, leave small effects less room.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from evidence import MISSED, CsvFile, StackName, keep_raw, measure_whole, refuse_existing, run_command
from our_figures import TEST_BINDINGS
from rich.table import Table

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.cli.arguments import choose_seed
from polympi.lab.cli.console import results
from polympi.lab.conclusions.phrases import count
from polympi.lab.plan.profiles import get_profile
from polympi.lab.records import AGAIN
from polympi.lab.run.request import Request
from polympi.lab.stacks.stack import get_stack
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.verdicts import FASTER, SLOWER
from polympi.lab.units import format_size

POLLING = "c-polling"
COLLECTIVES = [b.name for b in BENCHMARKS.values() if b.collective and not b.launch_figure]
PROFILE = "quick"
LEAST_BLOCKS = 11  # whose smallest p-value, 2 / 2^11, is below 0.05 / 50: so a single one of fifty rows can be found


@dataclass(frozen=True)
class Found:
    """What a run says of an arm in one benchmark.

    Attributes:
        arm, benchmark: whose rows.
        rows: with a verdict.
        separated: called slower or faster.
        median: median over the rows of the ratio to C.
        lowest, highest: of the ratios to C.
    """

    arm: str
    benchmark: str
    rows: int
    separated: int
    median: float
    lowest: float
    highest: float


def collective_rows(summary: pl.DataFrame) -> pl.DataFrame:
    """The rows of both arms in collectives that could have been separated; columns as in ``docs/results.md``."""
    arms = pl.col("binding").is_in([POLLING, AGAIN]) & pl.col("benchmark").is_in(COLLECTIVES)
    return summary.filter(arms).drop_nulls(["ratio_to_c", "ratio_low", "ratio_high"])


def separated(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of the arm with another barrier that are called slower or faster."""
    return rows.filter(pl.col("binding") == POLLING, pl.col("verdict").is_in([SLOWER, FASTER]))


def found_in(rows: pl.DataFrame) -> list[Found]:
    """Count rows as :func:`collective_rows` gives them, by benchmark and arm."""
    grouped = rows.group_by("benchmark", "binding", maintain_order=True).agg(
        pl.len().alias("rows"),
        pl.col("verdict").is_in([SLOWER, FASTER]).sum().alias("separated"),
        pl.col("ratio_to_c").log().median().exp().alias("median"),
        pl.col("ratio_to_c").min().alias("lowest"),
        pl.col("ratio_to_c").max().alias("highest"),
    )
    return [
        Found(row["binding"], row["benchmark"], *(row[c] for c in ("rows", "separated", "median", "lowest", "highest")))
        for row in grouped.sort("benchmark", "binding").iter_rows(named=True)
    ]


def is_met(rows: pl.DataFrame) -> bool:
    """Whether every collective is there, and no row of the arm with another barrier is called slower or faster."""
    there = rows.filter(binding=POLLING)["benchmark"].unique().to_list()
    return set(there) == set(COLLECTIVES) and separated(rows).is_empty()


def conclusion(rows: pl.DataFrame, stack: str, blocks: int) -> str:
    """The result in one sentence."""
    polling, again = (rows.filter(binding=arm) for arm in (POLLING, AGAIN))
    called = again.filter(pl.col("verdict").is_in([SLOWER, FASTER])).height
    return (
        f"On stack {stack}, over {count(blocks, 'block')}, {separated(rows).height} of {polling.height} rows of C with "
        f"another barrier are called slower or faster than C ({called} of {again.height} of C itself); the median of "
        f"the ratios is {_median_ratio(polling):.3f} ({_median_ratio(again):.3f}): "
        f"the target is {'met' if is_met(rows) else 'MISSED'}."
    )


def _median_ratio(rows: pl.DataFrame) -> float:
    middle = rows["ratio_to_c"].log().median()
    return math.exp(middle) if isinstance(middle, float) else math.nan


def main(
    *,
    stack: StackName = "mpich",
    blocks: Annotated[int, typer.Option(min=LEAST_BLOCKS, metavar="N", help="Blocks.")] = 20,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Keep the result directory here; it must not exist."),
    ] = None,
    csv: CsvFile = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random orders.")] = None,
) -> None:
    """Measure C with another barrier between collectives; exits with 1 if any row is called slower or faster.

    The times mean something only if nothing else is running.
    """
    refuse_existing(csv)
    profile = replace(get_profile(PROFILE), minimum_blocks=blocks, maximum_blocks=blocks)
    with tempfile.TemporaryDirectory() as scratch:
        request = Request(
            output=output or Path(scratch) / "run",
            stacks=[get_stack(stack)],
            bindings=load_bindings([TEST_BINDINGS]),
            wanted=[POLLING],
            benches=COLLECTIVES,
            sizes=None,
            ranks=[2],
            profile=profile,
            seed=choose_seed(seed),
            command=sys.argv,
        )
        analysis = analyse(measure_whole(request))
    keep_raw(analysis.launch_medians, csv)
    rows = collective_rows(analysis.summary)
    results.print(_table(found_in(rows), analysis.run.stacks[0].library))
    for row in separated(rows).iter_rows(named=True):
        case = f"{row['benchmark']} {row['payload']} {format_size(row['size_bytes'])}"
        interval = f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}"
        difference = f"{row['ratio_to_c']:.3f} ({interval}), {row['delta_to_c_ns']:+.0f} ns"
        results.print(f"{case}: {row['verdict']}, {difference}")
    results.print(conclusion(rows, stack, blocks), soft_wrap=True)
    if not is_met(rows):
        raise typer.Exit(MISSED)


def _table(found: Sequence[Found], library: str) -> Table:
    table = Table(title=f"Ratio to C of C with another barrier, and of C itself\n{library}")
    for heading in ("benchmark", "arm", "rows", "separated", "median", "lowest", "highest"):
        table.add_column(heading, justify="left" if heading in ("benchmark", "arm") else "right")
    for f in found:
        ratios = (f"{ratio:.3f}" for ratio in (f.median, f.lowest, f.highest))
        table.add_row(f.benchmark, f.arm, str(f.rows), str(f.separated), *ratios)
    return table


if __name__ == "__main__":
    run_command(main)
