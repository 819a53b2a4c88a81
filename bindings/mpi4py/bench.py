"""What mpi4py costs, on buffers, with pickled objects, and with ``mpi4py.util.pkl5`` (``docs/protocol.md``).

Usage: bench.py PLAN SAMPLES buffers|object|pkl5 [--name NAME] [--applications APPLICATIONS] [--accelerated POLYMPI]

APPLICATIONS holds the applications that use mpi4py. POLYMPI holds the package polympi, which then accelerates mpi4py.

The first half of ``main`` is timed: it loads the binding, starts MPI and comes to the first barrier. Only then is the
rest loaded (NumPy too, which mpi4py itself does not need), so that it is in neither the times nor the memory.
"""

from __future__ import annotations

import os
import sys
import time

OPTIONS = {"--name": "NAME", "--applications": "APPLICATIONS", "--accelerated": "POLYMPI"}
INTERFACES = {"buffers": "mpi4py", "object": "mpi4py-object", "pkl5": "mpi4py-pkl5"}

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "python"))


def main(plan: str, samples: str, interface: str, name: str, accelerated: str | None) -> int:
    """Run a plan and return the exit code."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a rank has one processor; the BLAS of NumPy would take all of them
    started = time.monotonic_ns()
    if accelerated:
        sys.path.insert(0, accelerated)
        import polympi.mpi4py

        polympi.mpi4py.install()
    import mpi4py

    mpi4py.rc.initialize = False
    from mpi4py import MPI

    if interface == "pkl5":
        import mpi4py.util.pkl5
    imported = time.monotonic_ns()
    MPI.Init_thread(MPI.THREAD_MULTIPLE)  # what mpi4py asks for by itself
    initialised = time.monotonic_ns()
    MPI.COMM_WORLD.Barrier()
    ready = time.monotonic_ns()
    from footprint import footprint

    pss, rss = footprint()
    from last_words import or_abort

    startup = (ready, imported - started, initialised - imported)
    code = or_abort(lambda: measure((plan, samples), interface, name, startup, (pss, rss)), MPI.COMM_WORLD.Abort)
    MPI.Finalize()
    return code


def measure(
    files: tuple[str, str], interface: str, name: str, startup: tuple[int, int, int], memory: tuple[int, int]
) -> int:
    """Load the rest of the program and run the plan."""
    from mpi4py import MPI
    from program import run_program
    from world import World, header

    comm = MPI.COMM_WORLD
    world = World(comm)
    launch = header(name, startup, memory)
    if interface == "buffers":
        from buffer_cases import UpperCaseMethods

        return run_program(*files, launch, world, lambda s, p: UpperCaseMethods(comm, world, s, p))
    from object_cases import LowerCaseMethods

    if interface == "object":
        return run_program(*files, launch, world, lambda s, p: LowerCaseMethods(comm, world, s, p, True))
    from mpi4py.util import pkl5

    return run_program(*files, launch, world, lambda s, p: LowerCaseMethods(pkl5.Intracomm(comm), world, s, p, False))


def arguments(words: list[str]) -> tuple[str, str, str, str, str | None]:
    """Plan, samples, interface, name and place of polympi; argparse would cost memory before that is measured."""
    options = dict(zip(words[3::2], words[4::2], strict=False))
    if len(words) >= 3 and len(words) % 2 == 1 and words[2] in INTERFACES and not set(options) - set(OPTIONS):
        plan, samples, interface = words[:3]
        if "--applications" in options:
            sys.path.insert(0, options["--applications"])
        name = options.get("--name", INTERFACES[interface])
        return plan, samples, interface, name, options.get("--accelerated")
    usage = "Usage: bench.py PLAN SAMPLES " + "|".join(INTERFACES)
    print(usage + "".join(f" [{option} {value}]" for option, value in OPTIONS.items()) + ".", file=sys.stderr)
    sys.exit(3)  # docs/protocol.md, Exit codes


if __name__ == "__main__":
    sys.exit(main(*arguments(sys.argv[1:])))
