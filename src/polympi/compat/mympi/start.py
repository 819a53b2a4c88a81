"""The start and the end of MPI, its clock, and what it says of itself."""

from __future__ import annotations

import os
import time

import numpy as np

import polympi
from polympi.compat.mympi import communicators, errors
from polympi.compat.mympi.constants import (
    MPI_ANY_SOURCE,
    MPI_HOST,
    MPI_IO,
    MPI_PROC_NULL,
    MPI_TAG_UB,
    MPI_UNIVERSE_SIZE,
    MPI_WTIME_IS_GLOBAL,
    VERSION,
)
from polympi.compat.mympi.errors import answer, here, refuse
from polympi.compat.tags import highest_tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.mympi.datatypes import Array


def mpi_init(argc: int, argv: Sequence[str], /) -> tuple[str, ...]:  # noqa: ARG001  (the arguments of MYMPI)
    """Start MPI; all ranks call it. Gives the arguments of the program. A second call starts nothing."""
    _start("mpi_init")
    return tuple(argv)


def mpi_start(argc: int, command_line: str, /) -> Array:  # noqa: ARG001  (the arguments of MYMPI)
    """Obsolete: start MPI; gives the rank and the number of ranks."""
    world = _start("mpi_start")
    return np.array([world.rank, world.size])


def _start(call: str) -> communicators.Communicator:
    try:
        return communicators.start()
    except polympi.Error as failure:
        refuse(call, str(failure), errors.OTHER)


def mpi_finalize() -> int:
    """End MPI; gives 0. A second call does nothing."""
    try:
        polympi.finalize()
    except polympi.Error as failure:
        world = communicators.by_number.get(communicators.MPI_COMM_WORLD)
        return answer(failure, world.handler if world else errors.FATAL)
    here.error = 0
    return 0


def mpi_get_processor_name() -> str:
    """The name of the machine."""
    return os.uname().nodename


def mpi_wtime() -> float:
    """Seconds since some moment, by a clock that all ranks of a machine share."""
    return time.perf_counter()


def mpi_wtick() -> float:
    """Seconds between two moments that :func:`mpi_wtime` can tell apart."""
    return time.get_clock_info("perf_counter").resolution


def mpi_attr_get(comm: int, keyval: int, /) -> int:
    """The value of MPI_TAG_UB or another of MPI's attributes.

    Raises:
        error: there is no such attribute.
    """
    on = communicators.communicator(comm, "mpi_attr_get")
    if keyval == MPI_TAG_UB:
        return highest_tag(on.comm)
    values = {
        MPI_HOST: MPI_PROC_NULL,  # no rank is special
        MPI_IO: MPI_ANY_SOURCE,  # all can read and write files
        MPI_WTIME_IS_GLOBAL: 0,  # each machine has its own clock
        MPI_UNIVERSE_SIZE: communicators.by_number[communicators.MPI_COMM_WORLD].size,  # no further ones can be started
    }
    if keyval not in values:
        refuse(
            "mpi_attr_get",
            f"there is no attribute {keyval!r}: give one like MPI_TAG_UB or MPI_UNIVERSE_SIZE",
            errors.ARG,
        )
    return values[keyval]


def pydusa_version() -> str:
    """The version of MYMPI whose interface this is."""
    return VERSION
