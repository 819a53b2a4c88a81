"""The application: its commands, and how errors leave it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from polympi import __version__
from polympi.lab.cli.console import errors
from polympi.lab.cli.diff import diff
from polympi.lab.cli.doctor import doctor
from polympi.lab.cli.exit_codes import BROKEN_PIPE, IMPOSSIBLE
from polympi.lab.cli.imports import import_files
from polympi.lab.cli.listing import list_all
from polympi.lab.cli.report import report
from polympi.lab.cli.run import run
from polympi.lab.cli.stack import stacks
from polympi.lab.errors import LabError

app = typer.Typer(
    name="polympi",
    help="What does an MPI binding cost over raw C? Measures all of them on this machine, side by side.",
    epilog="Start with 'polympi run': it installs an MPI of its own if there is none, measures, and writes a report.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(run)
app.command()(report)
app.command()(diff)
app.command(name="list")(list_all)
app.command(name="import")(import_files)
app.command()(doctor)
app.add_typer(stacks, name="stack")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"polympi {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take the options that come before a command."""


def run_app() -> None:
    """Run a command and exit; an error that the user can mend is one sentence."""
    try:
        app()
    except LabError as error:
        errors.print(f"polympi: {error}", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(BROKEN_PIPE)
    except OSError as error:  # a full disk, a name too long: said by the system, and for the user to mend
        where = f"'{error.filename}': " if error.filename else ""
        errors.print(f"polympi: {where}{error.strerror or error}.", markup=False, soft_wrap=True)
        sys.exit(IMPOSSIBLE)
