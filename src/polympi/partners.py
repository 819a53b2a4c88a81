"""Converting between polympi's communicators and those of mpi4py, or of C or Fortran code in this process.

mpi4py's objects are recognized by their attributes; it is imported only if a program asks for one of them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import index

from polympi import startup
from polympi.communicator import Communicator
from polympi.errors import LibraryError, MismatchError
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


def to_mpi4py(comm: core.Communicator) -> Any:
    """A duplicate of a communicator for mpi4py; see :meth:`polympi.Communicator.to_mpi4py`."""
    try:
        MPI = import_module("mpi4py.MPI")  # noqa: N806  (its own name)
    except ImportError as error:
        raise LibraryError(
            f"rank {comm.rank}, to_mpi4py(): mpi4py cannot be imported ({error}): install it beside polympi."
        ) from error
    _require_same_library(MPI, "to_mpi4py")
    return MPI.Comm.f2py(comm._dup_for_others())


def handle_of(comm: object, function: str) -> int:
    """The value of C's ``MPI_Comm`` for a communicator argument.

    Raises:
        TypeError: it is none.
        LibraryError: mpi4py runs on another MPI library than polympi.
    """
    if isinstance(comm, core.Communicator):
        return comm.handle
    py2f = getattr(comm, "py2f", None)
    if py2f is not None:
        _require_same_library(sys.modules.get("mpi4py.MPI"), function)
        return core.from_fortran(py2f())
    if isinstance(comm, bool) or not hasattr(comm, "__index__"):
        raise MismatchError(
            f"{function}(): a {type(comm).__name__} is no communicator: give one of mpi4py, or the value of an "
            "MPI_Comm as an int."
        )
    return index(comm)


def _require_same_library(module: Any, function: str) -> None:
    """Refuse communicators of an mpi4py that runs on another MPI library, whose handles are meaningless here."""
    if module is None:
        return
    theirs, ours = (
        " ".join(text.strip("\0").split()) for text in (module.Get_library_version(), core.library_version())
    )
    if theirs != ours or (core.phase() == "running" and not module.Is_initialized()):
        raise LibraryError(
            f"{function}(): mpi4py runs on another MPI library ({theirs[:40]}) than polympi ({ours[:40]}): import "
            "mpi4py.MPI before the first use of polympi, which then takes the library that is there, or install an "
            "mpi4py for this library."
        )
