"""The launcher of this process: whether it belongs to the MPI library, and whether it has started this process.

A launcher sets variables that describe each process that it starts. Children inherit these variables.
"""

from __future__ import annotations

import os
import stat

from polympi import library
from polympi.errors import LauncherError

OPEN_MPI_LAUNCHER = "Open MPI's mpiexec"

# The identity of a process for its launcher: PMIx (Open MPI, Slurm), PMI-1 and PMI-2 (Hydra, Slurm), plain Slurm.
IDENTITY = (
    *("PMIX_NAMESPACE", "PMIX_RANK", "PMI_FD", "PMI_PORT", "PMI_ID", "PMI_JOBID", "PMI_RANK"),
    *("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID"),
)
SOCKET_VARIABLE = "PMI_FD"  # an open connection to the launcher
RANK_VARIABLE = "POLYMPI_RANK"  # left by a rank to its children: rank, process, and identity for the launcher


def check(size: int | None = None) -> None:
    """Refuse to run as one of many ranks 0 of 1, as happens with the launcher of another MPI.

    Args:
        size: of the world; None before MPI is started, which MPICH refuses fatally under Open MPI's launcher.
    """
    from polympi.native import core  # programs that only launch ranks need no library

    launcher, launched, advice = launch_of_process()
    version = " ".join(core.library_version().split())
    stranger = launcher == OPEN_MPI_LAUNCHER and "Open MPI" not in version
    if launched <= 1 or (not stranger if size is None else size > 1):
        return
    if library.is_serial() and _is_child_of_rank():
        return
    if size is not None:
        core.finish()
    if library.is_serial():
        raise LauncherError(
            f"{launcher} started {launched} processes, but {library.BACKEND_VARIABLE} asks for the serial backend, "
            f"which would make each of them rank 0 of 1: unset {library.BACKEND_VARIABLE}, or start one process."
        )
    path = library.chosen[0] if library.chosen else "unknown"
    raise LauncherError(
        f"{launcher} started {launched} processes, but the MPI library in this one ({version[:40]}; {path}) knows of "
        f"no other, and would make each of them rank 0 of 1: {advice}, or choose the launcher's library with "
        f"{library.LIBRARY_VARIABLE} or {library.ABI_VARIABLE}."
    )


def refuse_child() -> None:
    """Refuse to use MPI instead of the rank that has started this process.

    This is allowed on the serial backend.
    """
    if _is_child_of_rank() and not library.is_serial():
        rank, process, *_ = os.environ[RANK_VARIABLE].split(" ")
        raise LauncherError(
            f"this process (pid {os.getpid()}) was not started by an MPI launcher but by rank {rank} of a job (pid "
            f"{process}), and cannot use MPI in its place: use polympi in the rank alone, or start this "
            "program with its own mpiexec."
        )


def _is_child_of_rank() -> bool:
    """Whether this process was started by a rank.

    A child inherits its parent's variables; another launcher would have set others.
    """
    _, _, rest = os.environ.get(RANK_VARIABLE, "").partition(" ")
    _, _, identity = rest.partition(" ")
    here, socket = _identity()
    there, _, its_socket = identity.rpartition(" ")
    return bool(here) and here == there and socket in ("", its_socket)


def mark_rank(rank: int) -> None:
    """Mark this process as a rank for its children."""
    identity, socket = _identity()
    if identity:
        os.environ[RANK_VARIABLE] = f"{rank} {os.getpid()} {identity} {socket}"


def _identity() -> tuple[str, str]:
    """The identity of this process for its launcher, empty without one; the number of its open connection, if any."""
    values = [f"{name}={os.environ[name]}" for name in IDENTITY if os.environ.get(name)]
    socket = ""
    number = os.environ.get(SOCKET_VARIABLE, "")
    if number.isdigit():
        try:
            found = os.fstat(int(number))
        except OSError:  # closed, as subprocess does for children
            pass
        else:
            socket = str(found.st_ino) if stat.S_ISSOCK(found.st_mode) else ""
    return ",".join(values).replace(" ", "_"), socket


def has_started() -> bool:
    """Whether a launcher has started this process, and so can start others."""
    return bool(launch_of_process()[0] or _identity()[0])


def launch_of_process() -> tuple[str, int, str]:
    """Which launcher started this process, as one of how many, and what to do if the library does not know it.

    A launcher above another one (mpiexec inside of srun) leaves its variables, too: the nearest one counts.
    """
    own = "start the program with the mpiexec that belongs to this library"
    plugin = (
        "give srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH and Intel MPI ('srun --mpi=list' shows which it has)"
    )
    for variable, launcher, advice in (
        ("OMPI_COMM_WORLD_SIZE", OPEN_MPI_LAUNCHER, own),
        ("PMI_SIZE", "srun --mpi=pmi2", plugin) if library.by_srun_with_pmi2() else ("", "", ""),
        ("PMI_SIZE", "The launcher of MPICH or Intel MPI, or srun with PMI-2,", own),
        ("SLURM_STEP_NUM_TASKS", "srun", plugin),  # set by srun alone, not in the batch script
    ):
        number = os.environ.get(variable, "")
        if number.isdigit():
            return launcher, int(number), advice
    return "", 1, ""
