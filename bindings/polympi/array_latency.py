"""Ping-pong with arrays: the loops that are timed, one per kind of call.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``world.send``), the arrays
prepared, so that an iteration holds nothing but the calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking; send is world.send, world.ssend or world.bsend.


def blocking_a(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(outgoing, 1, 1)
        recv(1, 1, into=incoming)


def blocking_b(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive, then reply."""
    for _ in range(iterations):
        recv(0, 1, into=incoming)
        send(outgoing, 0, 1)


# Nonblocking; isend is world.isend, world.issend or world.ibsend.


def nonblocking_a(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        request = isend(outgoing, 1, 1)
        request.wait()
        request = irecv(1, 1, into=incoming)
        request.wait()


def nonblocking_b(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        request = irecv(0, 1, into=incoming)
        request.wait()
        request = isend(outgoing, 0, 1)
        request.wait()


# sendrecv, the same on both ranks.


def sendrecv(call: Call, outgoing: Buffer, incoming: Buffer, peer: int, iterations: int) -> None:
    """Exchange by one call."""
    for _ in range(iterations):
        call(outgoing, peer, 1, peer, 1, into=incoming)
