"""The styles of the older modules, and the command line of the applications in them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from methods import driver

import polympi as mpi

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from sides import Ghosts, Side

MODULES = tuple(sorted(path.stem.removeprefix("exchange_") for path in Path(__file__).parent.glob("exchange_*.py")))


class Style(Protocol):
    """What a module's file has: how its calls fill ghost layers, and add numbers of all ranks."""

    def Exchange(self, sides: list[Side]) -> Ghosts:  # noqa: N802 - a class
        """What fills the ghost layers of a field."""

    def total(self, values: list[float]) -> list[float]:
        """The sums over all ranks."""


def style_of(module: str, *, overlapped: bool) -> Any:
    """The style of an older module (:class:`Style`).

    Args:
        module: one of :data:`MODULES`.
        overlapped: whether messages travel while the solver computes.

    Raises:
        ValueError: there is none, or the module lacks the calls.
    """
    if module not in MODULES:
        raise ValueError(f"there is no module {module}, but {', '.join(MODULES)}")
    style = import_module(f"exchange_{module}")
    if overlapped and not hasattr(style.Exchange, "start"):
        raise ValueError(f"{module} has no nonblocking calls, so nothing can be overlapped")
    return style


def main(file: str, options: Callable[[], Namespace], run: Callable[..., int], solver: Callable[..., Any]) -> int:
    """Run an application with the arguments of the command line. Gives the exit code: 2 if they cannot be followed."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--module", default="")
    own, sys.argv[1:] = parser.parse_known_args()
    if own.module == "mympi":  # the only one whose import does not start it
        import_module("polympi.compat.mympi").mpi_init(len(sys.argv), sys.argv)
    return driver.main(file, mpi.world, options, run, partial(solver, module=own.module))
