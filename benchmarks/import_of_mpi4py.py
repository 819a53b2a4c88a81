"""What the import of accelerated mpi4py adds to that of mpi4py, in interleaved launches.

    python benchmarks/import_of_mpi4py.py --rounds 41

For each installed stack, every round launches each arm once, in another order. A program takes the time of its import
by itself, in two cases: ``import`` is the import alone (``mpi4py.rc.initialize = False``), of one process; ``start`` is
the import that starts MPI, as usual, on rank 0 of two. Each line says the medians of mpi4py and of the arm, and the
median over rounds of the difference, with an interval that holds it with 95 %, in ms.

Two arms show what the figures are worth: ``again`` is mpi4py once more, and must not differ; ``planted`` is mpi4py with
a pause of 10 ms, and must, by that much.
"""

import argparse
import random
import statistics
from functools import partial

from launched_arms import chosen_stacks, in_turn, output_of

from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.effects import paired_effect

SEED = 20261125
TIMEOUT_S = 60
OWN = "from mpi4py import MPI"
ARMS = {
    "mpi4py": OWN,
    "again": OWN,
    "accelerated": "from polympi.mpi4py import MPI",
    "planted": f"{OWN}\ntime.sleep(0.010)",
}
PROGRAM = """
import time
{before}
began = time.perf_counter()
{arm}
took = time.perf_counter() - began
import mpi4py.MPI
if not mpi4py.MPI.Is_initialized() or mpi4py.MPI.COMM_WORLD.rank == 0:
    print(took)
"""
WITHOUT_MPI = "import mpi4py\nmpi4py.rc.initialize = False"


def launch(case: str, arm: str, stack: Stack) -> float:
    """The time of an import, in ns."""
    program = PROGRAM.format(before=WITHOUT_MPI if case == "import" else "", arm=ARMS[arm])
    return 1e9 * float(output_of(program, stack, ranks=2 if case == "start" else None, timeout_s=TIMEOUT_S))


def line(stack: Stack, case: str, arm: str, times: dict[str, list[float]]) -> str:
    """What an arm adds, as a row of a table."""
    effect = paired_effect(times[arm], times["mpi4py"])
    interval = effect.delta_interval
    ends = f"{interval.low / 1e6:.1f} to {interval.high / 1e6:.1f}" if interval else "too few rounds"
    own, its = (statistics.median(times[name]) / 1e6 for name in ("mpi4py", arm))
    return f"| {stack.name} | {case} | {arm} | {own:.1f} | {its:.1f} | {effect.delta_ns / 1e6:.1f} | {ends} |"


def main() -> None:
    """Measure both cases on each stack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stacks", nargs="*", metavar="STACK", help="all that are installed by default")
    parser.add_argument("--rounds", type=int, default=41)
    options = parser.parse_args()
    order = random.Random(SEED)
    print("| stack | case | arm | mpi4py, ms | this, ms | difference | 95 % |\n|---|---|---|---|---|---|---|")
    for stack in chosen_stacks(options.stacks):
        for case in ("import", "start"):
            times = in_turn(ARMS, partial(launch, case, stack=stack), options.rounds, order)
            for arm in list(ARMS)[1:]:
                print(line(stack, case, arm, times), flush=True)


if __name__ == "__main__":
    main()
