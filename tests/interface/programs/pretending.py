"""Runs another program as if its ranks were on several machines: pretending.py PROGRAM MACHINE..., one of each rank."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

from polympi.native import core

_, program, *machines = sys.argv
rank = int(os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"])  # before MPI is started
core._pretend_machine(int(machines[rank]))  # type: ignore[attr-defined]
sys.argv = [program]
runpy.run_path(str(Path(__file__).with_name(f"{program}.py")), run_name="__main__")
