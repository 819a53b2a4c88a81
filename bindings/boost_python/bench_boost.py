"""What the Python module of Boost.MPI costs (``docs/protocol.md``).

Usage: bench_boost.py PLAN SAMPLES LIBRARY [--name NAME]

LIBRARY is linked with the MPI of the stack. It is loaded first, because ``boost.mpi`` itself asks for ``libmpi.so.40``
by name, and would get the machine's own.

The first half of ``main`` is timed: it loads the library, starts MPI and comes to the first barrier. Only then is the
rest loaded (NumPy too, which ``boost.mpi`` does not need), so that it is in neither the times nor the memory.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ctypes

NAME = "boost-python"
LEVELS = ("single", "funneled", "serialized", "multiple")  # of threads, as Open MPI numbers them

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "python"))


def main(plan: str, samples: str, library: str, name: str) -> int:
    """Run a plan and return the exit code."""
    started = time.monotonic_ns()
    import ctypes

    loaded_library = ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
    imported = time.monotonic_ns()
    from boost import mpi  # type: ignore[import-not-found]  # it starts MPI when it is imported

    initialised = time.monotonic_ns()
    mpi.world.barrier()
    ready = time.monotonic_ns()
    from footprint import footprint

    pss, rss = footprint()
    from last_words import or_abort

    startup = (ready, imported - started, initialised - imported)
    code = or_abort(lambda: measure(mpi, loaded_library, (plan, samples), name, startup, (pss, rss)), mpi.world.abort)
    mpi.finalize()
    return code


def measure(
    mpi: Any,
    library: ctypes.CDLL,
    files: tuple[str, str],
    name: str,
    startup: tuple[int, int, int],
    memory: tuple[int, int],
) -> int:
    """Load the rest of the program and run the plan."""
    from boost_cases import PythonModule
    from boost_world import World, library_version, thread_level
    from program import Header, run_program

    world = World(mpi)
    header = Header(
        binding=name,
        library=library_version(library),
        ranks=world.size,
        threads=LEVELS[thread_level(library)],
        host=mpi.processor_name,
        startup_ns=startup,
        memory_bytes=(mpi.all_reduce(mpi.world, memory[0], max), mpi.all_reduce(mpi.world, memory[1], max)),
    )
    return run_program(*files, header, world, lambda s, p: PythonModule(mpi, world, s, p))


def arguments(words: list[str]) -> tuple[str, str, str, str]:
    """Plan, samples, library and name of the command line; argparse would cost memory before it is measured."""
    if len(words) in (3, 5) and words[3:4] in ([], ["--name"]):
        plan, samples, library = words[:3]
        return plan, samples, library, words[4] if len(words) == 5 else NAME
    print("Usage: bench_boost.py PLAN SAMPLES LIBRARY [--name NAME].", file=sys.stderr)
    sys.exit(3)  # docs/protocol.md, Exit codes


if __name__ == "__main__":
    sys.exit(main(*arguments(sys.argv[1:])))
