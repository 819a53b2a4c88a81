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

import argparse
import json
import math
import random
import statistics
from functools import partial

from launched_arms import chosen_stacks, in_turn, output_of

from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.effects import paired_effect

SEED = 20261129
TIMEOUT_S = 120
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
    found: dict[str, float] = json.loads(output_of(program, stack, ranks=2, timeout_s=TIMEOUT_S))
    return found


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
    order = random.Random(SEED)
    arms = [arm for arm in ARMS if arm != "mpi4py"]
    print(f"| stack | communicators | mpi4py, µs | {' | '.join(arms)} |\n|---|---|---|{'---|' * len(arms)}")
    for stack in chosen_stacks(options.stacks):
        times = in_turn(ARMS, partial(launch, stack=stack, turns=options.turns), options.rounds, order)
        for way in times["mpi4py"][0]:
            print(line(stack, way, times), flush=True)


if __name__ == "__main__":
    main()
