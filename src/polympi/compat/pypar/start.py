"""The start and the end of MPI, and who this process is."""

from __future__ import annotations

import os
import warnings
from time import perf_counter

import polympi as mpi
from polympi.compat.tags import highest_tag

VERSION = "2.1.4"

comm = mpi.world.dup()  # messages of the program that are not sent through this facade never meet those that are
_rank, _size = comm.rank, comm.size

if _rank == 0:
    print(f"Pypar (version {VERSION}) initialised MPI OK with {_size} processors")


def size() -> int:
    """How many ranks there are; also after the end of MPI."""
    return _size


def rank() -> int:
    """The rank of this process; also after the end of MPI."""
    return _rank


barrier = comm.barrier  # waits until all ranks have called it


time = perf_counter  # as MPI_Wtime: seconds since some moment, by a clock that all ranks of a machine share


def get_processor_name() -> str:
    """The name of the machine."""
    return os.uname().nodename


def init(argv: list[str] | None = None) -> None:
    """Do nothing: the import of the module has started MPI."""


def initialized() -> int:
    """1: the import of the module has started MPI."""
    return 1


def finalize() -> None:
    """End MPI. A second call does nothing, and a program that does not call it ends MPI, too."""
    mpi.finalize()


def abort() -> None:
    """End all ranks at once, with exit code 1."""
    mpi.abort(1)


def Wtime() -> float:  # noqa: N802  (its name)
    """Obsolete: :func:`time`."""
    warnings.warn("pypar.Wtime is obsolete: use pypar.time", stacklevel=2)
    return time()


def Get_processor_name() -> str:  # noqa: N802  (its name)
    """Obsolete: :func:`get_processor_name`."""
    warnings.warn("pypar.Get_processor_name is obsolete: use pypar.get_processor_name", stacklevel=2)
    return get_processor_name()


def balance(N: int, P: int, p: int) -> tuple[int, int]:  # noqa: N803  (keywords of scripts)
    """The part (first, one past the last) of N things that rank p of P has; the first parts are larger by one."""
    each, more = divmod(N, P)
    first = p * each + min(p, more)
    return first, first + each + (p < more)


max_tag = highest_tag(comm)
