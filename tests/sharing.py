"""How tests share a machine: its processors, its memory, and what is on its disk."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import subprocess
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from polympi.lab.bindings.made_once import made_once
from polympi.lab.home import home

# Ranks of MPICH sleep while they wait. Otherwise they poll, and where they outnumber processors, the one that is waited
# for runs when their time slices are over.
MPICH_SLEEPS = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10"}
ATTACHED_S = 1.0  # a rank that has made shared memory has it in its address space by then


@contextlib.contextmanager
def yielding_ranks(of_interface: bool, in_containers: bool) -> Iterator[None]:
    """Let ranks that wait leave their processor to those of other tests, if tests run side by side (pytest-xdist).

    Args:
        of_interface: whether polympi itself waits, which yields; other programs poll in the MPI library.
        in_containers: whether programs may run where this machine's files are not.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ and not of_interface:
            for name, value in (MPICH_SLEEPS | {"OMPI_MCA_mpi_yield_when_idle": "1"}).items():
                patch.setenv(name, value)
        if not in_containers:
            for name, value in patience().items():
                patch.setenv(name, value, prepend=":")
        yield


def patience() -> dict[str, str]:
    """Variables with which ranks that wait long sleep between two looks, if tests run side by side."""
    return patience_of_many() if "PYTEST_XDIST_WORKER" in os.environ else {}


@functools.cache
def patience_of_many() -> dict[str, str]:
    """The same for very many ranks, which otherwise mostly yield to each other."""
    source = Path(__file__).with_name("patience.c")
    folder = home() / "tests" / f"patience-{zlib.crc32(source.read_bytes()):08x}"
    with made_once(folder) as made:
        if made:
            library = ["-shared", "-fPIC", "-o", str(made / "patience.so")]
            subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", str(source), *library], check=True)
    return {"LD_PRELOAD": str(folder / "patience.so")}


def remove_memory_of_killed_ranks(since: float) -> None:
    """Remove shared memory of MPICH that no process has any more: ranks that are killed leave it, some megabytes each.

    Args:
        since: what is older is left alone; seconds since the epoch.
    """
    used: set[str] = set()
    left = [file for file in Path("/dev/shm").glob("mpich_shm_*") if _is_ours(file, since)]
    for maps in Path("/proc").glob("[0-9]*/maps") if left else ():
        with contextlib.suppress(OSError):  # the process has ended, or is of somebody else
            used.update(line.split()[-1] for line in maps.read_text(errors="replace").splitlines())
    for file in left:
        if str(file) not in used:
            file.unlink(missing_ok=True)


def _is_ours(file: Path, since: float) -> bool:
    with contextlib.suppress(OSError):
        status = file.stat()
        return status.st_uid == os.geteuid() and since < status.st_ctime < time.time() - ATTACHED_S
    return False


@contextlib.contextmanager
def only_one_makes(what: str = "tests") -> Iterator[None]:
    """Held by one process of tests at a time; who comes later finds what was made."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / f"{what}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
