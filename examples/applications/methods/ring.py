"""The command line of a ring: a number that goes around all ranks, each of which adds one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from methods.driver import Parser, verdict

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from methods.interfaces import Ranks


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser("Send a number around all ranks.")
    parser.add_argument("--laps", type=int, default=1000, metavar="L", help="how often it goes around (1000)")
    return parser.numbers("laps")


def run(given: argparse.Namespace, world: Ranks, ring: Callable[[Ranks, int], int]) -> int:
    """Send the number around, check it, say how long a hop took. Gives the exit code."""
    ring(world, 1)
    world.barrier()
    begun = time.perf_counter()
    number = ring(world, given.laps)
    hop = (time.perf_counter() - begun) / (given.laps * world.size)
    number = world.allgather(number)[0]
    return verdict(
        world,
        number == given.laps * world.size,
        f"{given.laps} laps of {world.size} ranks: the number is {number}, a hop takes {hop * 1e6:.2f} us",
        wrong="The number is wrong.",
    )
