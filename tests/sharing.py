"""How tests share a machine: its processors, and what is on its disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from polympi.lab.home import home

# Ranks of MPICH sleep while they wait. Otherwise they poll, and where they outnumber processors, the one that is waited
# for runs when their time slices are over.
MPICH_SLEEPS = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10"}


def let_ranks_yield_beside_others() -> None:
    """Let ranks that wait leave their processor to those of other tests, if tests run side by side (pytest-xdist)."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ |= {**MPICH_SLEEPS, "OMPI_MCA_mpi_yield_when_idle": "1"}


@contextlib.contextmanager
def only_one_makes() -> Iterator[None]:
    """Held by one process of tests at a time; who comes later finds what was made."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
