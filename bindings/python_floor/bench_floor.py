"""The least that two calls of Python cost around MPI_Send and MPI_Recv (``docs/protocol.md``).

Usage: bench_floor.py PLAN SAMPLES FOLDER [--name NAME]; the extension module is in FOLDER.

The first half of ``main`` is timed: it loads the module, starts MPI and comes to the first barrier. Only then is the
rest loaded, so that it is in neither the times nor the memory.
"""

from __future__ import annotations

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "python"))


def main(plan: str, samples: str, folder: str, name: str) -> int:
    """Run a plan and return the exit code."""
    started = time.monotonic_ns()
    sys.path.insert(0, folder)
    import mpifloor

    imported = time.monotonic_ns()
    level = mpifloor.init()
    initialised = time.monotonic_ns()
    mpifloor.barrier()
    ready = time.monotonic_ns()
    from footprint import footprint

    memory = footprint()
    from last_words import or_abort

    startup = (ready, imported - started, initialised - imported)
    code = or_abort(lambda: measure((plan, samples), name, level, startup, memory), mpifloor.abort)
    mpifloor.finalize()
    return code


def measure(
    files: tuple[str, str], name: str, level: str, startup: tuple[int, int, int], memory: tuple[int, int]
) -> int:
    """Load the rest of the program and run the plan."""
    import mpifloor
    from floor_cases import FloorCases, World
    from program import Header, run_program

    _, ranks, host, library = mpifloor.facts()
    header = Header(
        binding=name,
        library=" ".join(library.splitlines()[0].split()),
        ranks=ranks,
        threads=level,
        host=host,
        startup_ns=startup,
        memory_bytes=memory,
    )
    world = World()
    return run_program(*files, header, world, lambda _, plan: FloorCases(world, plan))


def arguments(words: list[str]) -> tuple[str, str, str, str]:
    """Plan, samples, folder and name of the command line."""
    if len(words) in (3, 5) and words[3:4] in ([], ["--name"]):
        plan, samples, folder = words[:3]
        return plan, samples, folder, words[4] if len(words) == 5 else "python-floor"
    print("Usage: bench_floor.py PLAN SAMPLES FOLDER [--name NAME].", file=sys.stderr)
    sys.exit(3)  # docs/protocol.md, Exit codes


if __name__ == "__main__":
    sys.exit(main(*arguments(sys.argv[1:])))
