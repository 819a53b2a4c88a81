"""Ping-pong with objects: the loops that are timed, one per kind of call.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The lower-case methods are handed over bound (``comm.send``);
every loop returns the object that came last, so that it can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking; send is comm.send, comm.ssend or comm.bsend.


def blocking_a(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(obj, 1, 1)
        received = recv(None, 1, 1)
    return received


def blocking_b(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = recv(None, 0, 1)
        send(obj, 0, 1)
    return received


# Nonblocking; isend is comm.isend, comm.issend or comm.ibsend. A posted receive needs a buffer for the pickled
# object may go, hence the buffer.


def nonblocking_a(isend: Call, irecv: Call, obj: Any, buffer: Buffer, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        request = isend(obj, 1, 1)
        request.wait()
        request = irecv(buffer, 1, 1)
        received = request.wait()
    return received


def nonblocking_b(isend: Call, irecv: Call, obj: Any, buffer: Buffer, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        request = irecv(buffer, 0, 1)
        received = request.wait()
        request = isend(obj, 0, 1)
        request.wait()
    return received


# sendrecv, the same on both ranks.


def sendrecv(call: Call, obj: Any, peer: int, iterations: int) -> Any:
    """Exchange by one call."""
    received = None
    for _ in range(iterations):
        received = call(obj, peer, 1, None, peer, 1)
    return received
