"""What each program does around its solver: options, one sentence where they cannot be followed, times, the verdict."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from methods.interfaces import Ranks
    from methods.ranks import Solver


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print.

    Args:
        description: what the program does.
        kernels: those that may compute, if there is a choice.
        picture: what can be drawn, if anything can.
    """

    def __init__(self, description: str, kernels: Collection[str] = (), picture: str = "") -> None:
        super().__init__(description=description, allow_abbrev=False)
        if kernels:
            self.add_argument("--kernel", default="numpy", choices=list(kernels), help="what computes (numpy)")
        if picture:
            self.add_argument("--plot", type=Path, metavar="FILE", help=f"draw {picture} (matplotlib)")

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)

    def numbers(self, *least_one: str) -> argparse.Namespace:
        """What the command line asks for, if these numbers are positive where they are given."""
        given = self.parse_args()
        for name in least_one:
            number = getattr(given, name)
            if number is not None and number < 1:
                raise ValueError(f"--{name} {number} is not a positive number")
        if getattr(given, "plot", None):
            try:
                import matplotlib  # noqa: PLC0415, F401 - found missing before anything is computed
            except ImportError:
                raise ValueError("--plot needs matplotlib, which pip install matplotlib installs") from None
        return given


def pyplot() -> Any:
    """Matplotlib's functions, without a window."""
    import matplotlib as mpl  # noqa: PLC0415 - only rank 0 draws

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    return plt


def progress(world: Ranks, text: str, *, last: bool = False) -> None:
    """Tell a terminal how far the program is."""
    if world.rank == 0 and sys.stderr.isatty():
        print(f"\r{text}", end="\n" if last else "", file=sys.stderr, flush=True)


def measured(world: Ranks, solver: Solver, work: Callable[[], object]) -> tuple[float, float]:
    """Do the work; gives its seconds on the slowest rank, and the largest share that communication had of them."""
    before = solver.communication_ns
    world.barrier()
    begun = time.perf_counter()
    work()
    seconds = max(world.allgather(time.perf_counter() - begun))
    communication = max(world.allgather((solver.communication_ns - before) * 1e-9))
    return seconds, communication / seconds


def largest(world: Ranks, value: float) -> float:
    """The largest of the values of all ranks."""
    return float(max(world.allgather(float(value))))


def mesh(dims: Iterable[int]) -> str:
    """How many ranks there are along each axis, in words."""
    return f"ranks {' x '.join(map(str, dims))}"


def ranks_of(world: Ranks) -> str:
    """How many ranks there are, in words."""
    return "1 rank" if world.size == 1 else f"{world.size} ranks"


def verdict(world: Ranks, right: bool, *lines: str, wrong: str = "The result is wrong.") -> int:
    """Say what was found, on rank 0. Gives the exit code."""
    if world.rank == 0:
        print(*lines, sep="\n")
        if not right:
            print(wrong, file=sys.stderr)
    return 0 if right else 1


def main(
    file: str,
    world: Ranks,
    options: Callable[[], argparse.Namespace],
    run: Callable[[argparse.Namespace, Any, Any], int],
    made: object,
) -> int:
    """Run a program with the arguments of the command line. Gives the exit code: 2 if they cannot be followed.

    Args:
        file: of the program.
        world: all ranks.
        options: gives what the command line asks for.
        run: solves, checks the result, says how long it took, and gives the exit code.
        made: the class of the solver, or the function, in the style of the program.
    """
    try:
        return run(options(), world, made)
    except ValueError as error:
        if world.rank == 0:
            print(f"{Path(file).name}: {error}.", file=sys.stderr, flush=True)
        world.barrier()  # else the end of another rank could end this one before its sentence is out
        return 2
