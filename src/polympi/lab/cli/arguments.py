"""What users write on the command line, turned into what the laboratory takes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.bindings.manifest import Binding, load_bindings, python_requirements
from polympi.lab.cli.console import say
from polympi.lab.errors import UsageError
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.stack import Stack, get_stack, installed_stacks

FIRST_STACK = "mpich"  # installed when there is none: a wheel, no root, one command

BindingFolders = Annotated[
    list[Path] | None,
    typer.Option("--bindings-from", metavar="DIR", help="A folder of further bindings (also $POLYMPI_BINDINGS)."),
]


def split_list(text: str, option: str) -> list[str]:
    """The items of a comma-separated list, at least one.

    Raises:
        UsageError: there is none (an empty shell variable must not mean everything).
    """
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise UsageError(f"{option} names nothing: give at least one name, or leave the option out.")
    return items


def choose_stacks(text: str | None, bindings: dict[str, Binding]) -> list[Stack]:
    """The stacks named, or all that are installed; the first one is installed if there is none.

    Raises:
        StackError: a stack is not installed or incomplete.
    """
    names = [] if text is None else split_list(text, "--stack")
    if not names or names == ["all"]:
        names = list(installed_stacks())
    if not names:
        say(f"no MPI stack is installed yet: installing '{FIRST_STACK}', once")
        add_stack(FIRST_STACK, python_requirements(bindings.values()), say=say)
        names = [FIRST_STACK]
    return [get_stack(name) for name in dict.fromkeys(names)]


def known_bindings(folders: list[Path] | None) -> dict[str, Binding]:
    """All bindings, those of further folders included."""
    return load_bindings(folders or [])


def choose_ranks(ranks: int) -> int:
    """A possible number of ranks.

    Raises:
        UsageError: it is not positive.
    """
    if ranks < 1:
        raise UsageError(f"--ranks {ranks} is impossible: a launch has at least 1 rank.")
    return ranks


def choose_seed(seed: int | None) -> int:
    """The seed given, or a new one; it is recorded either way."""
    return random.SystemRandom().randrange(2**32) if seed is None else seed
