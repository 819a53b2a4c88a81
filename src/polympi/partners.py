"""Communicators of polympi for those of mpi4py, C or Fortran in this process."""

from __future__ import annotations

from polympi import startup
from polympi.communicator import Communicator
from polympi.handles import handle_of
from polympi.native import core


def wrap(comm: object) -> Communicator:
    """A communicator of polympi of the same ranks as mpi4py's or C's. All its ranks call it.

    polympi duplicates it, so messages on the two never match. The original remains its owner's, and may be freed
    afterwards. MPI is started if it isn't running.

    Args:
        comm: a communicator of mpi4py, or the value of an ``MPI_Comm`` of C as an int.

    Raises:
        TypeError: it is neither.
        MismatchError: it is MPI_COMM_NULL or an intercommunicator, or has ranks that do not belong to
            :data:`polympi.world`.
        LibraryError: mpi4py runs on another MPI library than polympi; or polympi runs without one.
        Timeout: not all ranks called it within POLYMPI_TIMEOUT.

    MPI 5.0, section 7.4.2 (MPI_Comm_dup).
    """
    startup.init()
    return core.wrap(Communicator, handle_of(comm, "wrap"))


def raw(comm: object) -> core.Raw:
    """MPI's own messages and collectives of array elements on a communicator, for any partners.

    The call is local and nothing is duplicated: partners use the same communicator, which remains its owner's. So does
    its error handler: if it is ``MPI_ERRORS_ARE_FATAL``, a message that is too long ends the job.

    Args:
        comm: a communicator of mpi4py or of polympi, or the value of an ``MPI_Comm`` of C as an int.

    Raises:
        TypeError: it is none of these.
        MismatchError: it is MPI_COMM_NULL or an intercommunicator.
        LibraryError: mpi4py runs on another MPI library than polympi; or polympi runs without one.
    """
    if isinstance(comm, core.Communicator):
        return comm.raw
    startup.raw_world()
    return core.raw_of_handle(handle_of(comm, "raw"))
