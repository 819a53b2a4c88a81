"""What communicators of accelerated mpi4py cost, next to those of mpi4py, in interleaved launches.

    python benchmarks/communicators_of_mpi4py.py --rounds 21

For each installed stack, every round launches each arm once, in another order, on two ranks. Each launch makes and
frees communicators in several ways, and takes the median time of each over its turns, on rank 0: without any other
call on them, with one ``bcast`` of an object, and with one ``Bcast`` of an array on each. ``kept`` makes as many as it
has turns and frees none before the last. Each line gives the median of mpi4py, in µs, and the median over rounds of
the ratio, with an interval that holds it with 95 %.

Two arms show what the figures are worth: ``again`` is mpi4py once more, and must be at 1; ``planted`` is mpi4py with a
pause of 20 µs after each, and must be slower by that.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, installed_stacks
from polympi.lab.statistics.effects import paired_effect

SEED = 20261129
TIMEOUT_S = 120
SOURCES = Path(__file__).parents[1] / "src"
ARMS = {
    "accelerated": "from polympi.mpi4py import MPI",
    "again": "from mpi4py import MPI",
    "planted": "from mpi4py import MPI",
    "mpi4py": "from mpi4py import MPI",
}
PROGRAM = """
import json
import statistics
from time import perf_counter_ns

import numpy as np
{arm}
PAUSE = {pause}
TURNS = {turns}
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
array = np.zeros(1)


def nothing(comm):
    pass


def bcast(comm):
    comm.bcast(1)


def Bcast(comm):
    comm.Bcast(array)


def dup(use):
    comm = world.Dup()
    use(comm)
    comm.Free()


def split(use):
    comm = world.Split(rank % 2)
    use(comm)
    comm.Free()


def cart(use):
    comm = world.Create_cart([size, 1])
    part = comm.Sub([True, False])
    use(part)
    part.Free()
    comm.Free()


kept = []


def keep(use):
    comm = world.Dup()
    use(comm)
    kept.append(comm)


def times(make, use):
    taken = []
    for turn in range(TURNS):
        world.Barrier()
        began = perf_counter_ns()
        make(use)
        if PAUSE:
            until = perf_counter_ns() + PAUSE
            while perf_counter_ns() < until:
                pass
        taken.append(perf_counter_ns() - began)
    while kept:
        kept.pop().Free()
    return statistics.median(taken[TURNS // 10:])


names = {{"Dup, Free": dup, "Split, Free": split, "Create_cart, Sub, Free": cart, "Dup, kept": keep}}
times(dup, nothing), times(dup, bcast)
found = {{f"{{name}}{{text}}": times(make, use)
         for name, make in names.items() for text, use in (("", nothing), (", bcast", bcast), (", Bcast", Bcast))}}
if rank == 0:
    print(json.dumps(found))
"""


def launch(arm: str, stack: Stack, turns: int) -> dict[str, float]:
    """The time of each way, in ns."""
    program = PROGRAM.format(arm=ARMS[arm], pause=20_000 if arm == "planted" else 0, turns=turns)
    command = mpiexec_command(stack, 2, [stack.python, "-c", program], processors=len(os.sched_getaffinity(0)))
    variables = {**stack.variables(), "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(stack: Stack, rounds: int, turns: int, order: random.Random) -> dict[str, list[dict[str, float]]]:
    """Let all arms take turns: their times by arm, one a round."""
    arms = list(ARMS)
    times: dict[str, list[dict[str, float]]] = {arm: [] for arm in arms}
    for arm in arms:  # what is compiled and read from the disk once
        launch(arm, stack, turns)
    for _ in range(rounds):
        order.shuffle(arms)
        for arm in arms:
            times[arm].append(launch(arm, stack, turns))
    return times


def line(stack: Stack, way: str, times: dict[str, list[dict[str, float]]]) -> str:
    """The ratios of all arms in one way, as a row of a table."""
    own = [found[way] for found in times["mpi4py"]]
    cells = []
    for arm in ARMS:
        if arm == "mpi4py":
            continue
        effect = paired_effect([found[way] for found in times[arm]], own)
        interval = effect.log_interval
        ends = f" ({math.exp(interval.low):.2f}–{math.exp(interval.high):.2f})" if interval else ""
        cells.append(f"{math.exp(effect.log_ratio or 0):.2f}{ends}")
    return f"| {stack.name} | {way} | {statistics.median(own) / 1e3:.1f} | {' | '.join(cells)} |"


def main() -> None:
    """Measure all ways on each stack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stacks", nargs="*", metavar="STACK", help="all that are installed by default")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--turns", type=int, default=200, help="of each way in a launch")
    options = parser.parse_args()
    installed = installed_stacks()
    if missing := [name for name in options.stacks if name not in installed]:
        sys.exit(f"There is no stack {', '.join(missing)}: polympi stack add {missing[0]}.")
    order = random.Random(SEED)
    arms = [arm for arm in ARMS if arm != "mpi4py"]
    print(f"| stack | communicators | mpi4py, µs | {' | '.join(arms)} |\n|---|---|---|{'---|' * len(arms)}")
    for name in options.stacks or installed:
        times = measure(installed[name], options.rounds, options.turns, order)
        for way in times["mpi4py"][0]:
            print(line(installed[name], way, times), flush=True)


if __name__ == "__main__":
    main()
