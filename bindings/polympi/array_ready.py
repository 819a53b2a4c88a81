"""Ping-pong in ready mode with arrays: a receive is always posted before the message that triggers its send.

a posts the receive of the reply before it sends; b posts the next receive before it replies. So b has one receive
posted before the first iteration (it tells a by a message with tag 2) and one left after the last (which a completes by
an empty array); both are outside everything timed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking: world.rsend.


def ready_a(rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(1, 1, into=incoming)
        rsend(outgoing, 1, 1)
        reply.wait()


def ready_b(rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, iterations: int) -> None:
    """Wait for the message, post the next receive, reply."""
    message = irecv(0, 1, into=incoming)
    send(None, 0, 2)
    for _ in range(iterations):
        message.wait()
        message = irecv(0, 1, into=incoming)
        rsend(outgoing, 0, 1)
    message.wait()


# Nonblocking: world.irsend.


def ready_nonblocking_a(irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send and wait, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(1, 1, into=incoming)
        request = irsend(outgoing, 1, 1)
        request.wait()
        reply.wait()


def ready_nonblocking_b(
    irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, iterations: int
) -> None:
    """Wait for the message, post the next receive, reply and wait."""
    message = irecv(0, 1, into=incoming)
    send(None, 0, 2)
    for _ in range(iterations):
        message.wait()
        message = irecv(0, 1, into=incoming)
        request = irsend(outgoing, 0, 1)
        request.wait()
    message.wait()
