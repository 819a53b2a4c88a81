"""What polympi costs, with arrays received into arrays, and with objects (``docs/protocol.md``).

Usage: bench_polympi.py PLAN SAMPLES arrays|objects|numba FOLDER [--name NAME] [--applications APPLICATIONS]

APPLICATIONS holds the applications, which compute with NumPy or, with `numba`, by compiled functions. FOLDER holds the
package ``polympi`` with a core for this MPI (``install.py``). The first half of ``main`` is timed: it loads the
binding, starts MPI and comes to the first barrier. Only then is the rest loaded (NumPy too, which polympi itself does
not need), so that it is in neither the times nor the memory.
"""

from __future__ import annotations

import os
import sys
import time

INTERFACES = {"arrays": "polympi", "objects": "polympi-object", "numba": "polympi-numba"}
OPTIONS = {"--name": "NAME", "--applications": "APPLICATIONS"}
KERNELS = {"arrays": "numpy", "numba": "numba"}

# A user's choice of library, core and time-out is for programs; here the stack is what was chosen. The thread level
# (POLYMPI_THREADS) is recorded with the samples and stays the user's.
FOR_PROGRAMS = ("POLYMPI_MPI", "POLYMPI_LIBMPI", "POLYMPI_CORE_FOLDER", "POLYMPI_TIMEOUT")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness", "python"))


def main(plan: str, samples: str, interface: str, folder: str, name: str) -> int:
    """Run a plan and return the exit code. An exception ends all ranks: polympi sees to that."""
    for variable in FOR_PROGRAMS:
        os.environ.pop(variable, None)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a rank has one processor; the BLAS of NumPy would take all of them
    sys.path.insert(0, folder)
    started = time.monotonic_ns()
    import polympi as mpi

    init = mpi.init  # the first name that is used loads the core and the MPI library
    imported = time.monotonic_ns()
    world = init()
    initialised = time.monotonic_ns()
    world.barrier()
    ready = time.monotonic_ns()
    from footprint import footprint

    pss, rss = footprint()
    startup = (ready, imported - started, initialised - imported)
    code = measure((plan, samples), interface, name, startup, (pss, rss))
    mpi.finalize()
    return code


def measure(
    files: tuple[str, str], interface: str, name: str, startup: tuple[int, int, int], memory: tuple[int, int]
) -> int:
    """Load the rest of the program and run the plan."""
    from everybody import Everybody, header
    from program import run_program

    import polympi as mpi

    comm = mpi.world
    world = Everybody(comm)
    launch = header(name, startup, memory)
    if interface in KERNELS:
        from array_cases import ArrayCases

        kernel = KERNELS[interface]
        return run_program(*files, launch, world, lambda start, plan: ArrayCases(comm, world, start, plan, kernel))
    from value_cases import ValueCases

    return run_program(*files, launch, world, lambda start, plan: ValueCases(comm, world, start, plan))


def arguments(words: list[str]) -> tuple[str, str, str, str, str]:
    """Plan, samples, interface, folder and name; argparse would cost memory before it is measured."""
    options = dict(zip(words[4::2], words[5::2], strict=False))
    if len(words) >= 4 and len(words) % 2 == 0 and words[2] in INTERFACES and not set(options) - set(OPTIONS):
        plan, samples, interface, folder = words[:4]
        if "--applications" in options:
            sys.path.insert(0, options["--applications"])
        return plan, samples, interface, folder, options.get("--name", INTERFACES[interface])
    usage = "Usage: bench_polympi.py PLAN SAMPLES " + "|".join(INTERFACES) + " FOLDER"
    print(usage + "".join(f" [{option} {value}]" for option, value in OPTIONS.items()) + ".", file=sys.stderr)
    sys.exit(3)  # docs/protocol.md, Exit codes


if __name__ == "__main__":
    sys.exit(main(*arguments(sys.argv[1:])))
