"""``polympi audit``: what an MPI program asks of MPI, where its time goes, and who hangs."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from polympi.lab.errors import UsageError

if TYPE_CHECKING:
    from polympi.lab.audit.model import Audit
    from polympi.lab.audit.roll_call import RollCall
    from polympi.lab.stacks.stack import Stack

START = "start"
HANG_S = 30.0  # longer than most programs compute between two calls, and shorter than one likes to wait
_ASLEEP_S = 1.0  # between the two looks of `where`


class _Group(TyperGroup):
    """Commands, and a program: any other word begins the command line of what to start."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = [START, *args]
        return super().parse_args(ctx, args)


audits = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Record any MPI program: what it asks of MPI, where its time goes, and who hangs.",
    epilog="To start one: polympi audit -n 4 -- ./program (options: polympi audit start --help).",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="What 'polympi audit' has written.")]


@audits.command(name=START, context_settings={"allow_interspersed_args": False})
def start(
    command: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM ...", help="The program and its arguments.", show_default=False)
    ],
    ranks: Annotated[
        int | None, typer.Option("-n", metavar="RANKS", help="How many ranks. Default: one for each processor.", min=1)
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option("--stack", metavar="NAME", help="Start it on this stack. Default: the mpiexec on PATH."),
    ] = None,
    hang: Annotated[
        float,
        typer.Option("--hang", metavar="SECONDS", help="Say who waits for whom after this long without progress."),
    ] = HANG_S,
    end: Annotated[bool, typer.Option("--end", help="Then end the job, if it hangs; the exit code is 124.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="A new folder for the result. Default: audit-PROGRAM."),
    ] = None,
    no_timeline: Annotated[
        bool, typer.Option("--no-timeline", help="Keep sums only: some 15 MB less for each thread.")
    ] = False,
) -> None:
    """Start a program with its ranks recorded; this word can be left out.

    Within a launcher (srun polympi audit -- ./program) it records the rank that it is. The exit code is the program's.
    """
    from polympi.lab.audit.recorder import recorder_variables
    from polympi.lab.audit.starting import LAUNCHERS, launcher, program_path, rank_here

    if not hang > 0:
        raise UsageError(f"--hang {hang:g} isn't a time to wait: give some seconds, such as --hang {HANG_S:g}.")
    name = Path(command[0]).name
    if LAUNCHERS.fullmatch(name):
        raise UsageError(f"'{name}' belongs in front: write '{name} ... polympi audit -- PROGRAM', or give -n RANKS.")
    events = 0 if no_timeline else None
    program_path(command)
    if rank_here() is not None:
        folder = _folder_of_job(output)
        os.execvpe(command[0], command, {**os.environ, **recorder_variables(folder, events=events)})
    if output is not None and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"'{output}' exists and is never overwritten: choose another folder with --output.")
    chosen = launcher(stack)
    folder = _new_folder(output, command)
    variables = recorder_variables(folder, events=events)
    sys.exit(_run(chosen, ranks, command, variables, folder, hang=hang, end=end))


def _run(
    stack: Stack,
    ranks: int | None,
    command: list[str],
    variables: dict[str, str],
    folder: Path,
    *,
    hang: float,
    end: bool,
) -> int:
    from polympi.lab.audit.analyse import analyse, noted
    from polympi.lab.audit.starting import HUNG, processors, run_job
    from polympi.lab.audit.watcher import Watcher
    from polympi.lab.cli.console import errors
    from polympi.lab.errors import LabError
    from polympi.lab.report.audit.terminal import print_audit
    from polympi.lab.report.audit.write import write_report

    hung: list[Audit] = []

    def say(text: str) -> None:
        errors.print(text, markup=False, soft_wrap=True)

    def stop(roll: RollCall) -> bool:
        if not end or roll.verdict is None or not roll.verdict.hang:
            return False
        hung.append(noted(analyse(folder), f"The job hung, and was ended: {roll.verdict.sentence}"))
        say("polympi audit: ends the job, as it hangs (--end).")
        return True

    def keep() -> None:
        """Keep what is known now: of ranks that are killed, how long they were in their last call is not."""
        with contextlib.suppress(LabError):
            hung.append(analyse(folder))

    watcher = Watcher(folder, hang, say)
    ended = run_job(stack, ranks or processors(), command, variables, watcher=watcher, stop=stop, before_signal=keep)
    try:
        audit = analyse(folder)
        if hung and any(rank.ended == "cut" for rank in audit.ranks):
            audit = hung[-1]
        written = write_report(audit, folder, ["html"])
    except LabError as error:  # the program's own result counts
        say(f"polympi: {error}")
        return ended.exit_code
    print_audit(audit, errors)
    for path in written:
        say(str(path))
    return HUNG if ended.by_us else ended.exit_code


@audits.command()
def report(
    folder: Folder,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME,...", help="html, json, csv, markdown, perfetto, otf2: what to write next to it."
        ),
    ] = "html",
    force: Annotated[bool, typer.Option("--force", help="Also replace files that polympi did not make.")] = False,
) -> None:
    """Print the summary of an audit and write its report."""
    from polympi.lab.audit.analyse import analyse
    from polympi.lab.cli.arguments import split_list
    from polympi.lab.cli.console import results
    from polympi.lab.report.audit.terminal import print_audit
    from polympi.lab.report.audit.write import write_report

    forms = split_list(form, "--format")
    audit = analyse(folder)
    written = write_report(audit, folder, forms, force=force)
    print_audit(audit, results)
    for path in written:
        results.print(str(path), markup=False, soft_wrap=True)


@audits.command()
def where(folder: Folder) -> None:
    """Print where the ranks of a running job are, and who waits for whom.

    Exit codes: 1 if they hang, else 0.
    """
    from polympi.lab.audit.roll_call import lines
    from polympi.lab.audit.watcher import look_twice
    from polympi.lab.cli.console import results

    roll, moves = look_twice(folder, _ASLEEP_S)
    title = "The job makes progress." if moves else f"No progress for at least {_ASLEEP_S:g} s."
    results.print("\n".join(lines(roll, title)), markup=False, soft_wrap=True)
    raise typer.Exit(1 if roll.verdict is not None and roll.verdict.hang else 0)


@audits.command()
def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="The folder of the earlier audit.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="The folder of the later one.")],
) -> None:
    """Compare two audits of a program: what has become slower, by site."""
    from polympi.lab.audit.analyse import analyse
    from polympi.lab.cli.console import results
    from polympi.lab.report.audit.changes import print_changes

    print_changes(analyse(before), analyse(after), results)


def _folder_of_job(output: Path | None) -> Path:
    """The folder that all ranks of this job have, whichever makes it."""
    from polympi.lab.audit.recorder import FOLDER_VARIABLE
    from polympi.lab.audit.starting import has_earlier_files, job_name

    named = os.environ.get(FOLDER_VARIABLE)
    folder = output or (Path(named) if named else Path(f"audit-{job_name()}"))
    folder.mkdir(parents=True, exist_ok=True)
    if has_earlier_files(folder):
        raise UsageError(
            f"'{folder}' has the audit of an earlier job, which is never overwritten: choose another folder with "
            "--output."
        )
    return folder


def _new_folder(output: Path | None, command: list[str]) -> Path:
    """A folder with nothing in it; a number follows its name if that is taken and was not asked for."""
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        return output
    words = [Path(word).stem for word in command if not word.startswith("-")]
    is_python = words[0].startswith("python") and len(words) > 1
    name = f"audit-{words[1] if is_python else words[0]}"
    number = 1
    while True:
        folder = Path(name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder
