"""Ping-pong in ready mode with objects: a receive is always posted before the message that triggers its send.

a posts the receive of the reply before it sends; b posts the next receive before it replies. So b has one receive
posted before the first iteration (it tells a by a message with tag 2) and one left after the last (which a completes by
a None); both are outside everything timed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


# Blocking: world.rsend.


def ready_a(rsend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Post the receive, send, wait for the reply."""
    received = None
    for _ in range(iterations):
        reply = irecv(1, 1)
        rsend(obj, 1, 1)
        received = reply.wait()
    return received


def ready_b(rsend: Call, irecv: Call, obj: Any, send: Call, iterations: int) -> Any:
    """Wait for the message, post the next receive, reply."""
    received = None
    message = irecv(0, 1)
    send(None, 0, 2)
    for _ in range(iterations):
        received = message.wait()
        message = irecv(0, 1)
        rsend(obj, 0, 1)
    message.wait()
    return received


# Nonblocking: world.irsend.


def ready_nonblocking_a(irsend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Post the receive, send and wait, wait for the reply."""
    received = None
    for _ in range(iterations):
        reply = irecv(1, 1)
        request = irsend(obj, 1, 1)
        request.wait()
        received = reply.wait()
    return received


def ready_nonblocking_b(irsend: Call, irecv: Call, obj: Any, send: Call, iterations: int) -> Any:
    """Wait for the message, post the next receive, reply and wait."""
    received = None
    message = irecv(0, 1)
    send(None, 0, 2)
    for _ in range(iterations):
        received = message.wait()
        message = irecv(0, 1)
        request = irsend(obj, 0, 1)
        request.wait()
    message.wait()
    return received
