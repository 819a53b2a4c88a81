"""``polympi stack``: install and remove MPI stacks."""

from typing import Annotated

import typer

from polympi.lab.cli.console import results, say, say_home
from polympi.lab.cli.names import complete_bindings, complete_installed_stack, complete_new_stack
from polympi.lab.cli.options import BindingFolders, Launcher, LauncherArguments
from polympi.lab.stacks.known import WHEELS
from polympi.lab.stacks.recovery import undo_broken_off
from polympi.lab.stacks.stack import forget

stacks = typer.Typer(no_args_is_help=True, help="Install and remove MPI stacks.", rich_markup_mode="rich")


@stacks.command()
def add(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"{', '.join(WHEELS)} (wheels), or system (the machine's own MPI).",
            autocompletion=complete_new_stack,
        ),
    ],
    mpicc: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Compiler wrapper of a machine's MPI, such as mpicc.mpich; NAME is then free."
        ),
    ] = None,
    binding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Also install the Python packages of these bindings; 'all' for all. Default: those of the default "
            "bindings.",
            autocompletion=complete_bindings,
        ),
    ] = None,
    launcher: Launcher = None,
    launcher_args: LauncherArguments = None,
    bindings_from: BindingFolders = None,
) -> None:
    """Install a stack with its own Python environment, or repair and complete one that is there. Needs no root."""
    from polympi.lab.bindings.manifest import asked_for, default_bindings, load_bindings, python_requirements
    from polympi.lab.cli.arguments import split_list
    from polympi.lab.stacks.add import add_stack
    from polympi.lab.stacks.launching import asked_launching

    say_home()
    launching = asked_launching(launcher, launcher_args, ())
    known = load_bindings(bindings_from or ())
    further = [] if binding is None else asked_for(known, split_list(binding, "--binding"))
    undo_broken_off(say)
    requirements = python_requirements([*default_bindings(known), *further])
    stack = add_stack(name, requirements, mpicc=mpicc, launching=launching, say=say)
    results.print(f"stack {stack.name}: {stack.library}", markup=False, soft_wrap=True)


@stacks.command()
def remove(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A stack that 'polympi list' shows.", autocompletion=complete_installed_stack
        ),
    ],
) -> None:
    """Remove a stack and what was installed for it; the machine's own MPI stays."""
    undo_broken_off(say)
    forget(name)
    results.print(f"stack {name} is removed", markup=False)
