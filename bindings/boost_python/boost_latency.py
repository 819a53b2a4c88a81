"""Ping-pong with objects: the loops that are timed, one per kind of call.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``world.send``), and take the
object last. Every loop returns the object that came last, so that it can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def blocking_a(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(1, 1, obj)
        received = recv(1, 1)
    return received


def blocking_b(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = recv(0, 1)
        send(0, 1, obj)
    return received


# Nonblocking. What a receive waited for returns is the object and its status.


def nonblocking_a(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        isend(1, 1, obj).wait()
        received, _status = irecv(1, 1).wait()
    return received


def nonblocking_b(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        received, _status = irecv(0, 1).wait()
        isend(0, 1, obj).wait()
    return received
