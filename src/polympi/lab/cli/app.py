"""The application: its commands, and how errors leave it."""

import importlib
import os
import shlex
import sys
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer

from polympi import __version__
from polympi.lab.cli import COMPLETING
from polympi.lab.cli.exit_codes import IMPOSSIBLE, INTERRUPTED
from polympi.lab.cli.usage import UsageError, no_command, usage_sentence
from polympi.lab.errors import LabError, system_reason


class Command(NamedTuple):
    """A command's line in the overview, and where it is, so that the overview imports none of them."""

    summary: str
    place: str = ""  # module and function, if the two don't have the name of the command
    rest: bool = False  # whether it takes all that follows its first argument as it is, options too


COMMANDS = {
    "run": Command("Compare MPI bindings with C on this machine, and write a report."),
    "report": Command("Print the summary of a run and write its report (HTML unless another form is asked for)."),
    "diff": Command(
        "Compare two runs: every binding by its ratio to C, so that the drift of the machine between them cancels."
    ),
    "gate": Command("Measure again what a baseline measured, and fail if a binding has become slower: for CI."),
    "history": Command("Follow bindings over many runs: when one became slower against C, and what else changed then."),
    "list": Command(
        "List stacks, bindings, benchmarks, studies and tools: what is installed, and how to install the rest.",
        "listing.list_all",
    ),
    "audit": Command(
        "Record any MPI program: what it asks of MPI, where its time goes, and who hangs.", "audit.audits"
    ),
    "cost": Command("Split the time of a binding's calls: MPI, what it sends in addition, and its own work."),
    "import": Command(
        "Read outputs of other benchmarks (OSU, OMB-Py, IMB, NetPIPE) and show them as rows of our table.",
        "imports.import_files",
    ),
    "project": Command(
        "Project what bindings cost with more ranks, on another network: measured costs, simulated with SimGrid SMPI."
    ),
    "doctor": Command(
        "Check the machine, the stacks and the bindings, or several hosts; each finding says what to try."
    ),
    "submit": Command(
        "Measure in a job of a batch system: write its script, submit it, follow it, and say where the result is.",
        rest=True,
    ),
    "stack": Command("Install and remove MPI stacks.", "stack.stacks"),
    "source": Command("Give the sources of bindings that no package index has.", "source.sources"),
    "cluster": Command(
        "Make several hosts of this machine, to measure over a network without a second machine. Needs root.",
        "cluster.clusters",
    ),
}


def application(chosen: str | None) -> typer.Typer:
    """The application with one command that can run, or with none, and what the overview shows of the others."""
    app = typer.Typer(
        name="polympi",
        help="What does an MPI binding cost over raw C? Measures all of them on this machine, side by side.",
        epilog="Start with 'polympi run': it installs an MPI if there is none, measures, and writes a report. "
        "'polympi shell -n 4' is a prompt whose lines run on all ranks.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, command in COMMANDS.items():
        if name != chosen:
            app.command(name=name, help=command.summary)(_shown_only)
            continue
        found = load(name)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name=name, context_settings={"allow_interspersed_args": not command.rest})(found)
    return app


def load(name: str) -> Callable[..., Any] | typer.Typer:
    """The function of a command, or the commands below it."""
    module, _, function = (COMMANDS[name].place or f"{name}.{name}").partition(".")
    found: Callable[..., Any] | typer.Typer = getattr(importlib.import_module(f"polympi.lab.cli.{module}"), function)
    return found


def run_app() -> None:
    """Run a command and exit; an error that the user can correct is one sentence."""
    words = _words()
    chosen = next((word for word in words if not word.startswith("-")), None)
    try:
        if chosen is not None and chosen not in COMMANDS and words == sys.argv[1:]:
            _end(no_command("polympi", chosen, COMMANDS))
        sys.exit(application(chosen)(prog_name="polympi", standalone_mode=False))
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except LabError as error:
        _end(str(error), error.exit_code)
    except OSError as error:  # a full disk, a name too long: reported by the system, and for the user to correct
        where = f"'{error.filename}': " if error.filename else ""
        _end(f"{where}{system_reason(error)}.")
    except UsageError as error:
        _end_usage(error)


def _words() -> list[str]:
    """The words of the command line, or of the one that a shell wants to complete."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS")
    if line is None or COMPLETING not in os.environ:
        return sys.argv[1:]
    try:
        return shlex.split(line)[1:]
    except ValueError:  # a quotation is still open
        return line.split()[1:]


def _end_usage(error: Any) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # making it has printed the help
        sys.exit(IMPOSSIBLE)
    _end(usage_sentence(error))


def _end(sentence: str, exit_code: int = IMPOSSIBLE) -> None:
    from polympi.lab.cli.console import errors

    errors.print(f"polympi: {sentence}", markup=False, soft_wrap=True)
    sys.exit(exit_code)


def _shown_only() -> None:
    """Stand for a command in the overview."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"polympi {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take the options that come before a command."""
