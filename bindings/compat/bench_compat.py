"""What scripts of older Python modules cost on polympi: ``polympi.compat``, each module in its own style.

Usage: bench_compat.py PLAN SAMPLES pypar|pympi|mympi|scientific|boostmpi FOLDER [--name NAME]
       [--applications APPLICATIONS]

APPLICATIONS holds the applications, which communicate in the style of the module. FOLDER holds the package ``polympi``
with a core for this MPI (``../polympi/install.py``). The module is loaded after MPI has started, so that the time of
each can be measured; its import loads NumPy, too, as that of the original did.
"""

from __future__ import annotations

import importlib
import os
import sys
import time

FACADES = {  # what a script imports, instead of the original
    "pypar": "polympi.compat.pypar",
    "pympi": "polympi.compat.pympi",
    "mympi": "polympi.compat.mympi",
    "scientific": "polympi.compat.scientific.MPI",
    "boostmpi": "polympi.compat.boostmpi",
}
OPTIONS = {"--name": "NAME", "--applications": "APPLICATIONS"}
BINDINGS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# As in ../polympi/bench_polympi.py: the stack is what was chosen, and not what a user chooses for programs.
FOR_PROGRAMS = ("POLYMPI_MPI", "POLYMPI_LIBMPI", "POLYMPI_CORE_FOLDER", "POLYMPI_TIMEOUT")

sys.path[1:1] = [os.path.join(BINDINGS, "harness", "python"), os.path.join(BINDINGS, "polympi")]


def main(plan: str, samples: str, module: str, folder: str, name: str) -> int:
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
    facade = importlib.import_module(FACADES[module])
    if module == "mympi":  # the only one whose import starts nothing
        facade.mpi_init(len(sys.argv), sys.argv)
    loaded = time.monotonic_ns()
    world.barrier()
    ready = time.monotonic_ns()
    from footprint import footprint

    startup = (ready, imported - started + loaded - initialised, initialised - imported)
    code = measure((plan, samples), module, name, startup, footprint())
    mpi.finalize()
    return code


def measure(
    files: tuple[str, str], module: str, name: str, startup: tuple[int, int, int], memory: tuple[int, int]
) -> int:
    """Load the rest of the program and run the plan."""
    from everybody import Everybody, header
    from program import run_program

    import polympi as mpi

    world = Everybody(mpi.world)
    cases = importlib.import_module(f"{module}_cases")
    return run_program(
        *files, header(name, startup, memory), world, lambda start, plan: cases.cases(world, start, plan)
    )


def arguments(words: list[str]) -> tuple[str, str, str, str, str]:
    """Plan, samples, module, folder and name; argparse would cost memory before it is measured."""
    options = dict(zip(words[4::2], words[5::2], strict=False))
    if len(words) >= 4 and len(words) % 2 == 0 and words[2] in FACADES and not set(options) - set(OPTIONS):
        plan, samples, module, folder = words[:4]
        if "--applications" in options:
            sys.path.insert(1, options["--applications"])
        return plan, samples, module, folder, options.get("--name", module)
    usage = "Usage: bench_compat.py PLAN SAMPLES " + "|".join(FACADES) + " FOLDER"
    usage += "".join(f" [{option} {value}]" for option, value in OPTIONS.items()) + "."
    print(usage, file=sys.stderr)
    sys.exit(3)  # docs/protocol.md, Exit codes


if __name__ == "__main__":
    sys.exit(main(*arguments(sys.argv[1:])))
