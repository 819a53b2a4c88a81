"""How often does the laboratory call C slower or faster than itself?

    python benchmarks/noise.py --runs 10 --keep noise-runs

makes ten runs of the quick profile, each as ``polympi run`` makes it, and counts the rows of the A/A arm (C launched
once more, as if it were another binding) that are called slower or faster. Nothing but chance and noise can be
behind them. It exits with 1 if they are more than 5 % of all A/A rows. A run takes a few minutes.

The default bindings take part, because what is launched before the A/A arm can disturb it: it is to be measured under
the conditions that users have. ``--keep DIR --resume`` counts the complete runs that are in DIR already and
makes only those that are missing; DIR is for the runs of one question (same bindings, same benchmarks).
"""

from __future__ import annotations

import contextlib
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from evidence import MISSED, CsvFile, StackName, keep_raw, measure_whole, refuse_existing, run_command
from rich.table import Table

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.cli.arguments import choose_seed, split_list
from polympi.lab.cli.console import results, say
from polympi.lab.conclusions.phrases import count
from polympi.lab.errors import UsageError
from polympi.lab.plan.profiles import get_profile
from polympi.lab.records import AGAIN
from polympi.lab.run.request import Request
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import get_stack
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.verdicts import FASTER, SLOWER

PROFILE = "quick"
MOST = 0.05  # share of the A/A rows that may be called slower or faster
RAW_COLUMNS = (
    "benchmark", "mode", "payload", "size_bytes", "launches", "median_ns", "ratio_to_c", "ratio_low", "ratio_high",
    "confidence", "p_value", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Counted:
    """The A/A rows of one run, or of several.

    Attributes:
        rows: that have an interval, and so could have been separated.
        separated: called slower or faster.
        excluding: rows whose interval excludes 1, before the number of rows is considered.
        expected: rows of that kind to expect if the launches differ by chance alone: the sum of what the intervals
            leave uncovered.
        largest: largest ratio to C, turned so that it is at least 1.
    """

    rows: int
    separated: int
    excluding: int
    expected: float
    largest: float

    @property
    def share(self) -> float:
        """Separated rows of all rows; 0 without any."""
        return self.separated / self.rows if self.rows else 0.0


def again_rows(summary: pl.DataFrame) -> pl.DataFrame:
    """The A/A rows of a summary that could have been separated; columns as in ``docs/results.md``.

    Rows without a ratio have nothing to be separated by (loading C as a module takes no time), and those of too
    few launches have no interval; neither may make the share look smaller.
    """
    return summary.filter(pl.col("binding") == AGAIN).drop_nulls(["ratio_to_c", "ratio_low", "ratio_high"])


def count_rows(rows: pl.DataFrame) -> Counted:
    """Count rows as :func:`again_rows` gives them."""
    logs = rows["ratio_to_c"].log().abs()
    return Counted(
        rows=rows.height,
        separated=rows.filter(pl.col("verdict").is_in([SLOWER, FASTER])).height,
        excluding=rows.filter((pl.col("ratio_low") > 1) | (pl.col("ratio_high") < 1)).height,
        expected=float((1 - rows["confidence"]).sum()),
        largest=math.exp(float(logs.max() or 0.0)),  # type: ignore[arg-type]
    )


def runs_in(folder: Path, stack: str) -> list[RunDirectory]:
    """The complete runs of the quick profile on a stack in a folder; others are passed over with a word.

    Raises:
        ResultError: a result directory is damaged.
    """
    found = []
    for path in sorted(record.parent for record in folder.glob("*/run.json")):
        directory = RunDirectory.open(path)
        run, outcome = directory.run(), directory.outcome()
        if outcome is None or outcome.ended != "complete" or outcome.withdrawn:
            say(f"'{path}' is not complete and is not counted")
        elif run.profile != PROFILE or [s.stack for s in run.stacks] != [stack]:
            say(f"'{path}' is not a run of profile {PROFILE} on {stack} alone and is not counted")
        else:
            found.append(directory)
    return found


def conclusion(total: Counted, runs: int, stack: str) -> str:
    """The result in one sentence."""
    return (
        f"In {count(runs, 'run')} on stack {stack}, {total.separated} of {total.rows} A/A rows ({total.share:.1%}) "
        f"are called slower or faster, where {MOST:.0%} are allowed: the target is "
        f"{'met' if is_met(total) else 'MISSED'}. Of their intervals {total.excluding} exclude 1, where chance alone "
        f"gives about {total.expected:.1f}."
    )


def is_met(total: Counted) -> bool:
    """Whether there are rows, and few enough of them are separated."""
    return total.rows > 0 and total.share <= MOST


def main(
    *,
    stack: StackName = "mpich",
    runs: Annotated[int, typer.Option(min=1, metavar="N", help="How many runs.")] = 10,
    binding: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Bindings that take part. Default: those of 'polympi run'.")
    ] = None,
    bench: Annotated[str | None, typer.Option(metavar="NAME,...", help="Benchmarks or patterns. Default: all.")] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the result directories in this folder.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Count the runs that DIR has already.")] = False,
    csv: CsvFile = None,
) -> None:
    """Count how often quick runs call C slower or faster than itself; exits with 1 if in more than 5 % of the rows.

    The times mean something only if nothing else is running.
    """
    refuse_existing(csv)
    if resume and keep is None:
        raise UsageError("--resume needs the folder of the runs: say which with --keep DIR.")
    with _folder(keep) as folder:
        done = runs_in(folder, stack)
        if done and not resume:
            raise UsageError(f"'{folder}' has runs already: count them with --resume, or choose another folder.")
        for number in range(len(done), runs):
            say(f"run {number + 1} of {runs}")
            wanted, benches = _names(binding, "--binding"), _names(bench, "--bench") or []
            done.append(measure_whole(_request(_new_path(folder), stack, wanted, benches)))
        rows = {directory.path.name: again_rows(analyse(directory).summary) for directory in done}
    _report(rows, stack, csv)


def _report(rows: dict[str, pl.DataFrame], stack: str, csv: Path | None) -> None:
    raw = pl.concat([r.select(pl.lit(name).alias("run"), *RAW_COLUMNS) for name, r in rows.items()])
    keep_raw(raw, csv)
    total = count_rows(raw)
    results.print(_table("run", [(name, count_rows(r)) for name, r in rows.items()], total))
    by_benchmark = [(str(name), count_rows(group)) for (name,), group in raw.group_by("benchmark", maintain_order=True)]
    results.print(_table("benchmark", by_benchmark, total))
    results.print(conclusion(total, len(rows), stack), soft_wrap=True)
    if not is_met(total):
        raise typer.Exit(MISSED)


def _request(path: Path, stack: str, wanted: list[str] | None, benches: list[str]) -> Request:
    return Request(
        output=path,
        stacks=[get_stack(stack)],
        bindings=load_bindings(),
        wanted=wanted,
        benches=benches,
        sizes=None,
        ranks=[2],
        profile=get_profile(PROFILE),
        seed=choose_seed(None),
        command=sys.argv,
    )


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The folder of the runs: the one to keep them in, or one for the time being."""
    if keep is None:
        with tempfile.TemporaryDirectory() as scratch:
            yield Path(scratch)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot keep runs in '{keep}': {error.strerror}.") from error
    yield keep


def _names(text: str | None, option: str) -> list[str] | None:
    return None if text is None else split_list(text, option)


def _new_path(folder: Path) -> Path:
    """A name for the next run that nothing in the folder has, incomplete runs included."""
    number = 1
    while (path := folder / f"run-{number:02d}").exists():
        number += 1
    return path


def _table(heading: str, rows: Sequence[tuple[str, Counted]], total: Counted) -> Table:
    table = Table(title=f"A/A rows called slower or faster, by {heading}", show_footer=True)
    table.add_column(heading, "all")
    table.add_column("rows", str(total.rows), justify="right")
    table.add_column("separated", str(total.separated), justify="right")
    table.add_column("share", f"{total.share:.1%}", justify="right")
    table.add_column("interval excludes 1", str(total.excluding), justify="right")
    table.add_column("by chance", f"{total.expected:.1f}", justify="right")
    table.add_column("largest difference", f"{total.largest - 1:.1%}", justify="right")
    for name, c in rows:
        table.add_row(
            name,
            str(c.rows),
            str(c.separated),
            f"{c.share:.1%}",
            str(c.excluding),
            f"{c.expected:.1f}",
            f"{c.largest - 1:.1%}",
        )
    return table


if __name__ == "__main__":
    run_command(main)
