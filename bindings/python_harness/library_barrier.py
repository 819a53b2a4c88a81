"""The library's barrier: the loops that are timed, the same for all interfaces.

``call`` is the bound method ``comm.Barrier`` or ``comm.barrier``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from operation import Call, Clock, Times


def barrier(call: Call, iterations: int) -> None:
    """Barriers in a row."""
    for _ in range(iterations):
        call()


def barrier_events(call: Call, own_barrier: Callable[[], None], clock: Clock, times: Times) -> None:
    """Barriers timed one by one, each behind the program's own."""
    for k in range(len(times)):
        own_barrier()
        before = clock()
        call()
        times[k] = clock() - before
