"""An object round all ranks: the loops that are timed, of rank 0 and of the others.

Rank 0 holds the clock. Every loop returns the object that came last, so that it can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def begun(send: Call, recv: Call, obj: Any, following: int, before: int, iterations: int) -> Any:
    """Send, then receive what has gone round."""
    received = None
    for _ in range(iterations):
        send(obj, following, 1)
        received = recv(before, 1)
    return received


def passed_on(send: Call, recv: Call, following: int, before: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = recv(before, 1)
        send(received, following, 1)
    return received
