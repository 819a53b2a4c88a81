"""Ranks that pretend to be on several machines: `MACHINES` has a number for each, of the machine it is on."""

import os

from polympi.native import core


def pretend() -> None:
    """Say where this rank is, before MPI is started."""
    if machines := os.environ.get("MACHINES", "").split():
        rank = int(os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"])
        core._pretend_machine(int(machines[rank]))  # type: ignore[attr-defined]
