"""``polympi stack``: install and remove MPI stacks."""

from __future__ import annotations

from typing import Annotated

import typer

from polympi.lab.bindings.manifest import load_bindings, python_requirements
from polympi.lab.cli.console import results, say
from polympi.lab.stacks.add import WHEELS, add_stack
from polympi.lab.stacks.stack import forget

stacks = typer.Typer(no_args_is_help=True, help="Install and remove MPI stacks.", rich_markup_mode="rich")


@stacks.command()
def add(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=f"{', '.join(WHEELS)} (wheels), or system (the machine's own MPI).")
    ],
    mpicc: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Compiler wrapper of a machine's MPI, such as mpicc.mpich; NAME is then free."
        ),
    ] = None,
) -> None:
    """Install a stack with a Python environment of its own, or mend and complete one that is there. No root."""
    stack = add_stack(name, python_requirements(load_bindings().values()), mpicc=mpicc, say=say)
    results.print(f"stack {stack.name}: {stack.library}", markup=False, soft_wrap=True)


@stacks.command()
def remove(name: Annotated[str, typer.Argument(metavar="NAME", help="A stack that 'polympi list' shows.")]) -> None:
    """Remove a stack and what was installed for it; the machine's own MPI stays."""
    forget(name)
    results.print(f"stack {name} is removed", markup=False)
