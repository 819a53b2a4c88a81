"""Which of mpi4py's methods are replaced, and when polympi learns of communicators."""

from __future__ import annotations

import atexit
import sys

from polympi.errors import Timeout
from polympi.mpi4py.workers import has_workers
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_ALL_RANKS = (
    "all ranks of a job must import polympi.mpi4py, or none: `python -m polympi --as mpi4py` instead of `python` "
    "does it for them"
)

_prepared = False
_started = False


def prepare(mpi: ModuleType, version: int) -> None:
    """Replace methods of mpi4py's classes, in place; and start, if MPI runs.

    Raises:
        LibraryError: it uses another MPI library, or an mpi4py that is too old.
    """
    global _prepared  # noqa: PLW0603  (a process has one mpi4py)
    if _prepared or (_runs(mpi) and has_workers(mpi)):
        return
    from polympi import library
    from polympi.errors import LibraryError
    from polympi.mpi4py import help, legacy, pickling, requests, several  # noqa: A004

    if library.is_serial():
        raise LibraryError(
            "mpi4py needs an MPI library, but polympi runs without one: unset POLYMPI_BACKEND, or use mpi4py itself."
        )
    if sys.modules["mpi4py"].__version__.split(".") < ["4"]:
        raise LibraryError("mpi4py is older than 4.0: pip install --upgrade mpi4py, or use it without polympi.")
    several.prepare(mpi)
    core.mpi4py_accelerate(mpi, help)
    requests.prepare(mpi)
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
            start()
            return result

        method.__name__, method.__doc__ = before.__name__, before.__doc__
        return method

    mpi.Init, mpi.Init_thread = starting(mpi.Init), starting(mpi.Init_thread)
    if _runs(mpi):
        start()


def _runs(mpi: Any) -> bool:
    return mpi.Is_initialized() and not mpi.Is_finalized()


def start() -> None:
    """Let mpi4py's communicators use the core, now that MPI runs; all ranks call it together."""
    global _started  # noqa: PLW0603
    if _started:
        return
    from polympi.communicator import Communicator
    from polympi.startup import init

    try:
        core.mpi4py_open(Communicator, init())
    except Timeout as error:
        error.args = (f"{error}; {_ALL_RANKS}",)
        raise
    atexit.register(core.mpi4py_stop)
    _started = True
