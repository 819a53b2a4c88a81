"""What the benchmarks share that compare programs by whole launches: which stacks, whose turn it is, and one launch."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, installed_stacks

SOURCES = Path(__file__).parents[1] / "src"

Found = TypeVar("Found")


def chosen_stacks(names: Sequence[str]) -> list[Stack]:
    """The stacks of these names, or all that are installed; ends the program if one is missing."""
    installed = installed_stacks()
    if missing := [name for name in names if name not in installed]:
        sys.exit(f"There is no stack {', '.join(missing)}: polympi stack add {missing[0]}.")
    return [installed[name] for name in names or installed]


def environment(stack: Stack) -> dict[str, str]:
    """The variables of a launch that imports polympi from this checkout."""
    variables = {**stack.variables(), "PYTHONPATH": str(SOURCES)}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else each launch would compile the modules of the checkout
    return variables


def output_of(program: str, stack: Stack, *, ranks: int | None, timeout_s: float) -> str:
    """What a program in Python prints, on this many ranks, or None: without a launcher."""
    command = [stack.python, "-c", program]
    if ranks is not None:
        command = mpiexec_command(stack, ranks, command, processors=len(os.sched_getaffinity(0)))
    return subprocess.run(
        command,
        env=environment(stack),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=True,
    ).stdout


def in_turn(
    names: Iterable[str], launch: Callable[[str], Found], rounds: int, order: random.Random
) -> dict[str, list[Found]]:
    """Launch each arm once a round, in another order each time: what the launches found, by arm."""
    arms = list(names)
    for arm in arms:  # what is compiled and read from the disk once
        launch(arm)
    found: dict[str, list[Found]] = {arm: [] for arm in arms}
    for _ in range(rounds):
        order.shuffle(arms)
        for arm in arms:
            found[arm].append(launch(arm))
    return found
