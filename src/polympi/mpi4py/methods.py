"""Which of mpi4py's methods are replaced, and when polympi learns of communicators."""

from __future__ import annotations

import atexit
import sys

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_prepared = False
_started = False


def prepare(mpi: ModuleType, version: int) -> None:
    """Replace methods of mpi4py's classes, in place; and start, if MPI runs.

    Raises:
        LibraryError: it uses another MPI library, or an mpi4py that is too old.
    """
    global _prepared  # noqa: PLW0603  (a process has one mpi4py)
    if _prepared:
        return
    from polympi import library
    from polympi.errors import LibraryError
    from polympi.mpi4py import creation, help, legacy, pickling, requests, several  # noqa: A004

    if library.is_serial():
        raise LibraryError(
            "mpi4py needs an MPI library, but polympi runs without one: unset POLYMPI_BACKEND, or use mpi4py itself."
        )
    if sys.modules["mpi4py"].__version__.split(".") < ["4"]:
        raise LibraryError("mpi4py is older than 4.0: pip install --upgrade mpi4py, or use it without polympi.")
    several.prepare(mpi)
    core.mpi4py_accelerate(mpi, help)
    requests.prepare(mpi)
    creation.prepare(mpi)
    pickling.prepare(mpi)
    if version == 1:
        legacy.prepare(mpi)
    _watch_start(mpi)
    _prepared = True


def _watch_start(mpi: Any) -> None:
    """Start with MPI: now, or with the call that starts it."""

    def starting(before: Any) -> Any:
        def method(*args: Any, **kwargs: Any) -> Any:
            result = before(*args, **kwargs)
            start(mpi)
            return result

        method.__name__, method.__doc__ = before.__name__, before.__doc__
        return method

    mpi.Init, mpi.Init_thread = starting(mpi.Init), starting(mpi.Init_thread)
    if mpi.Is_initialized() and not mpi.Is_finalized():
        start(mpi)


def start(mpi: Any) -> None:
    """Have polympi know MPI_COMM_WORLD and MPI_COMM_SELF; all ranks call it together."""
    global _started  # noqa: PLW0603
    if _started:
        return
    from polympi.communicator import Communicator
    from polympi.startup import init

    init()
    core.mpi4py_open()
    atexit.register(core.mpi4py_stop)
    core.mpi4py_attach(Communicator, mpi.COMM_WORLD, None)
    core.mpi4py_attach(Communicator, mpi.COMM_SELF, None)
    _started = True
