"""Ping-pong with objects: the loops that are timed, one per kind of call.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``world.send``); every loop
returns the object that came last, so that it can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


# Blocking; send is world.send, world.ssend or world.bsend.


def blocking_a(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(obj, 1, 1)
        received = recv(1, 1)
    return received


def blocking_b(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = recv(0, 1)
        send(obj, 0, 1)
    return received


# Nonblocking; isend is world.isend, world.issend or world.ibsend.


def nonblocking_a(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        request = isend(obj, 1, 1)
        request.wait()
        request = irecv(1, 1)
        received = request.wait()
    return received


def nonblocking_b(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        request = irecv(0, 1)
        received = request.wait()
        request = isend(obj, 0, 1)
        request.wait()
    return received


# sendrecv, the same on both ranks.


def sendrecv(call: Call, obj: Any, peer: int, iterations: int) -> Any:
    """Exchange by one call."""
    received = None
    for _ in range(iterations):
        received = call(obj, peer, 1, peer, 1)
    return received
