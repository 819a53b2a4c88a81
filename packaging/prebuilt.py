"""Compile the laboratory's own C for an MPI, for machines without a compiler, and bundle the scripts of its pages.

    python packaging/prebuilt.py NAME PROGRAMS INTO

NAME is mpich or openmpi, PROGRAMS the folder of its mpicc. ``packaging/wheels.py`` calls it with the laboratory on
PYTHONPATH, and with Zig behind that mpicc. polympi.lab.stacks.prebuilt and polympi.lab.report.vega use what it makes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from polympi.lab.arms import REFERENCE
from polympi.lab.audit.recorder import LIBRARY, compile_recorder
from polympi.lab.bindings.build import build
from polympi.lab.bindings.harness import SHARED, start_library
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.report.vega import RUNTIME, bundle
from polympi.lab.stacks.check import compile_check
from polympi.lab.stacks.prebuilt import CHECK, COMPILER, HARNESS
from polympi.lab.stacks.stack import Stack


def main() -> None:
    """The command line."""
    name, programs, into = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    stack = Stack(
        name=name,
        family=name,
        origin="wheel",
        mpiexec=str(programs / "mpiexec"),
        mpicc=str(programs / "mpicc"),
        python=sys.executable,
    )
    for part in (CHECK, HARNESS):
        (into / part).mkdir(parents=True)
    compile_check(stack, into / CHECK / "check")
    shutil.copy2(start_library(stack), into / HARNESS / SHARED)
    (into.parent / RUNTIME.name).write_text(bundle(), encoding="utf-8")
    audit = into.with_name(f"{into.name.removesuffix(f'-{name}')}-audit")
    audit.mkdir(exist_ok=True)  # for every MPI
    compile_recorder(audit / LIBRARY)
    reference = load_bindings()[REFERENCE]
    shutil.copytree(build(reference, stack), into / reference.manifest.name)
    said = subprocess.run([os.environ["CC"], "--version"], capture_output=True, text=True, check=True).stdout
    (into / COMPILER).write_text(f"{said.splitlines()[0]} for {os.environ['ZIG_TARGET']}\n")


if __name__ == "__main__":
    main()
