"""What the benchmarks that examine the laboratory share: how they start, and how they keep their raw figures."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.cli.arguments import choose_seed, split_list
from polympi.lab.cli.console import errors, results
from polympi.lab.cli.display import shown
from polympi.lab.cli.exit_codes import INTERRUPTED
from polympi.lab.errors import LabError, UsageError
from polympi.lab.plan.profiles import get_profile
from polympi.lab.run.measure import measure
from polympi.lab.run.request import Request
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

MISSED = 1  # exit code of a benchmark whose target is missed
UNSETTLED = 3  # of one that cannot tell, as of `polympi diff`

StackName = Annotated[str, typer.Option("--stack", metavar="NAME", help="The stack to measure on.")]
CsvFile = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Keep the raw figures in this file, which must not exist.")
]


def run_command(command: Callable[..., None]) -> None:
    """Run a function as a command line and exit; an error that the user can mend is one sentence and exit code 2."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command()(command)
    try:
        app()
    except LabError as error:
        errors.print(f"{Path(sys.argv[0]).stem}: {error}", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)


def refuse_existing(csv: Path | None) -> None:
    """Make sure, before anything is measured, that raw figures can be kept without overwriting any."""
    if csv is None:
        return
    if csv.exists():
        raise UsageError(f"'{csv}' exists and figures are never overwritten: choose another file with --csv.")
    if not csv.absolute().parent.is_dir():
        raise UsageError(f"There is no folder '{csv.absolute().parent}' for the raw figures: make it first.")


def keep_raw(figures: pl.DataFrame, csv: Path | None) -> None:
    """Write raw figures to a new file; without one, do nothing."""
    if csv is not None:
        with csv.open("xb") as stream:
            figures.write_csv(stream)


def end_by_targets(missed: Sequence[str]) -> None:
    """Say whether all targets are met, or in which scenarios they are missed; exit with 1 then."""
    results.print(f"The target is MISSED: {', '.join(missed)}." if missed else "The target is met.", soft_wrap=True)
    if missed:
        raise typer.Exit(MISSED)


def quick_request(  # noqa: PLR0917
    stack: Stack, folders: Sequence[Path], wanted: Sequence[str], bench: str | None, blocks: int, output: Path
) -> Request:
    """A quick run of some bindings with this many blocks, which may come from further folders."""
    return Request(
        output=output,
        stacks=[stack],
        bindings=load_bindings(folders),
        wanted=wanted,
        benches=split_list(bench, "--bench") if bench else [],
        sizes=None,
        ranks=[2],
        profile=replace(get_profile("quick"), minimum_blocks=blocks, maximum_blocks=blocks),
        seed=choose_seed(None),
        command=sys.argv,
    )


def measure_whole(request: Request) -> RunDirectory:
    """Measure what is asked, and end the command if that was cut short: its figures would answer another question.

    Raises:
        LabError: see :func:`~polympi.lab.run.measure.measure`.
        typer.Exit: the run was interrupted, or a binding was withdrawn from it.
    """
    with shown() as watcher:
        measured = measure(request, watcher=watcher)
    outcome = measured.outcome
    if outcome.ended != "complete" or outcome.withdrawn:
        for arm, why in outcome.withdrawn.items():
            errors.print(f"{arm} was left out: {why}", markup=False, soft_wrap=True)
        errors.print("The run is not complete, so that nothing can be concluded from it.")
        raise typer.Exit(INTERRUPTED if outcome.ended == "interrupted" else MISSED)
    return measured.directory
