"""The MPI handle behind a communicator of mpi4py or C, and an mpi4py communicator for one of polympi.

mpi4py's objects are recognized by their attributes; it is imported only if a program asks for one of them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import index

from polympi.errors import LibraryError, MismatchError
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def to_mpi4py(comm: core.Communicator) -> Any:
    """A duplicate of a communicator for mpi4py; see :meth:`polympi.Communicator.to_mpi4py`."""
    try:
        MPI = import_module("mpi4py.MPI")  # noqa: N806  (its own name)
    except ImportError as error:
        raise LibraryError(
            f"rank {comm.rank}, to_mpi4py(): mpi4py cannot be imported ({error}): install it next to polympi."
        ) from error
    _require_same_library(MPI, "to_mpi4py")
    return MPI.Comm.f2py(comm._dup_for_others())


def handle_of(comm: object, function: str) -> int:
    """The value of C's ``MPI_Comm`` for a communicator argument.

    Raises:
        TypeError: it isn't a communicator.
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
            f"{function}(): a {type(comm).__name__} isn't a communicator: give one of mpi4py, or the value of an "
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
