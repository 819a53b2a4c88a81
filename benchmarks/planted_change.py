"""Does ``polympi diff`` find a change that is there, between two real runs of the same thing?

    python benchmarks/planted_change.py RUN_A RUN_B --binding mpi4py

compares RUN_A with RUN_B, and with copies of RUN_B in which the times of one binding in ``latency`` are multiplied: all
of them by 3, 1.5 and 1.2, and those of one size by 3. It exits with 1 if a planted change is not called slower, or if
the runs as they are show something slower. It measures nothing itself: give it two quick runs on one stack.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from evidence import MISSED, run_command

from polympi.lab.cli.console import results
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.compare import compare
from polympi.lab.statistics.comparison.verdicts import EXIT_SLOWER, exit_code_of
from polympi.lab.statistics.model import Analysis

BENCHMARK = "latency"
ONE_SIZE = 512  # bytes; a size of the quick profile with neighbours on both sides
PLANTED: tuple[tuple[float, int | None], ...] = ((3.0, None), (1.5, None), (1.2, None), (3.0, ONE_SIZE))


def plant(run: Path, into: Path, binding: str, factor: float, size: int | None) -> None:
    """Copy a run with the times of a binding in ``latency`` multiplied, at one size in bytes or at all."""
    shutil.copytree(run, into)
    changed = (pl.col("binding") == binding) & (pl.col("benchmark") == BENCHMARK)
    if size is not None:
        changed &= pl.col("size_bytes") == size
    slower = (pl.col("time_ns") * factor).cast(pl.Int64)
    for path in (into / "samples").glob("*.parquet"):
        samples = pl.read_parquet(path)
        samples.with_columns(time_ns=pl.when(changed).then(slower).otherwise("time_ns")).write_parquet(path)


def code_of(before: Analysis, after: Path) -> int:
    """What ``polympi diff`` exits with for two runs."""
    later = analyse(RunDirectory.open(after))
    comparison = compare(before, later)
    return exit_code_of([group.verdict for group in comparison.groups])


def main(
    before: Annotated[Path, typer.Argument(metavar="RUN_A", help="A result directory.")],
    after: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another of the same measurement.")],
    *,
    binding: Annotated[str, typer.Option(metavar="NAME", help="The binding whose times are multiplied.")] = "mpi4py",
) -> None:
    """Plant changes between two real runs of the same thing, and see whether diff finds them and nothing else."""
    first = analyse(RunDirectory.open(before))
    code = code_of(first, after)
    results.print(f"as they are: exit code {code}")
    missed = code == EXIT_SLOWER
    with tempfile.TemporaryDirectory() as scratch:
        for number, (factor, size) in enumerate(PLANTED):
            copy = Path(scratch, str(number))
            plant(after, copy, binding, factor, size)
            code = code_of(first, copy)
            where = "all sizes" if size is None else f"{size} B alone"
            results.print(f"{binding} in {BENCHMARK} {factor:g} times slower at {where}: exit code {code}")
            missed |= code != EXIT_SLOWER
    if missed:
        raise typer.Exit(MISSED)


if __name__ == "__main__":
    run_command(main)
