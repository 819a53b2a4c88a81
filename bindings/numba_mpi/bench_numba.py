"""What numba-mpi costs: calls of MPI from loops that Numba compiles (``docs/protocol.md``).

Usage: bench_numba.py PLAN SAMPLES [--name NAME]

The first half of ``main`` is timed: it loads the binding, starts MPI and comes to the first barrier. The loops are
compiled later, in the validation pass of each case, which is not timed.
"""

from __future__ import annotations

import os
import sys
import time

BINDINGS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[1:1] = [os.path.join(BINDINGS, "mpi4py"), os.path.join(BINDINGS, "harness", "python")]


def main(plan: str, samples: str, name: str) -> int:
    """Run a plan and return the exit code."""
    started = time.monotonic_ns()
    import mpi4py

    mpi4py.rc.initialize = False
    import numba_mpi
    from mpi4py import MPI

    imported = time.monotonic_ns()
    MPI.Init_thread(MPI.THREAD_MULTIPLE)  # what mpi4py, which starts MPI for numba-mpi, asks for by itself
    initialised = time.monotonic_ns()
    numba_mpi.barrier()
    ready = time.monotonic_ns()
    from footprint import footprint

    memory = footprint()
    from last_words import or_abort

    startup = (ready, imported - started, initialised - imported)
    code = or_abort(lambda: measure((plan, samples), name, startup, memory), MPI.COMM_WORLD.Abort)
    MPI.Finalize()
    return code


def measure(files: tuple[str, str], name: str, startup: tuple[int, int, int], memory: tuple[int, int]) -> int:
    """Load the rest of the program and run the plan."""
    from jitted_cases import JittedCases
    from mpi4py import MPI
    from program import run_program
    from world import World, header

    world = World(MPI.COMM_WORLD)
    return run_program(
        *files, header(name, startup, memory), world, lambda start, plan: JittedCases(world, start, plan)
    )


def arguments(words: list[str]) -> tuple[str, str, str]:
    """Plan, samples and name of the command line; argparse would cost memory before it is measured."""
    if len(words) in (2, 4) and words[2:3] in ([], ["--name"]):
        return words[0], words[1], words[3] if len(words) == 4 else "numba-mpi"
    print("Usage: bench_numba.py PLAN SAMPLES [--name NAME].", file=sys.stderr)
    sys.exit(3)  # docs/protocol.md, Exit codes


if __name__ == "__main__":
    sys.exit(main(*arguments(sys.argv[1:])))
