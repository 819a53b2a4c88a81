"""How ranks wait: ``POLYMPI_WAIT``, and :func:`waiting` for a part of a program."""

from __future__ import annotations

import os

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

WAYS = ("spin", "balanced", "quiet")  # in the order of the core


class waiting:  # noqa: N801  (used as a function)
    """How the threads of this process wait, in a ``with`` statement: ``with mpi.waiting("quiet"):``.

    At its end, they wait again as before. The process has one way, also of its other threads; ``POLYMPI_WAIT`` sets it
    at the start.

    Args:
        way: ``spin``: a thread that waits keeps its processor, for the shortest delay. ``balanced``, the default: it
            sleeps once its wait is so long that this adds a twentieth at most. ``quiet``: it sleeps nearly at once.

    Raises:
        ValueError: there is no such way.
    """

    __slots__ = ("_before", "_number", "way")

    def __init__(self, way: str) -> None:
        self._number = _number(way, "waiting(): way")
        self.way = way

    def __enter__(self) -> None:
        self._before = core.get_waiting()
        core.set_waiting(self._number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        core.set_waiting(self._before)


def begin(variable: str) -> None:
    """Wait as a variable says."""
    core.set_waiting(_number(os.environ[variable], variable))


def _number(way: str, what: str) -> int:
    if way not in WAYS:
        raise ValueError(f"{what} is {way!r}: give 'spin', 'balanced' or 'quiet'.")
    return WAYS.index(way)
