"""Ping-pong in ready mode with NumPy buffers: a receive is always posted before the message that triggers its send.

a posts the receive of the reply before it sends; b posts the next receive before it replies. So b has one receive
posted before the first iteration (it tells a by an empty message with tag 2) and one left after the last (which a
completes by an empty message); both are outside everything timed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking: comm.Rsend.


def ready_a(rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(incoming, 1, 1)
        rsend(outgoing, 1, 1)
        reply.Wait()


def ready_b(
    rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, empty: Buffer, iterations: int
) -> None:
    """Wait for the message, post the next receive, reply."""
    message = irecv(incoming, 0, 1)
    send(empty, 0, 2)
    for _ in range(iterations):
        message.Wait()
        message = irecv(incoming, 0, 1)
        rsend(outgoing, 0, 1)
    message.Wait()


# Nonblocking: comm.Irsend.


def ready_nonblocking_a(irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send and wait, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(incoming, 1, 1)
        request = irsend(outgoing, 1, 1)
        request.Wait()
        reply.Wait()


def ready_nonblocking_b(
    irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, empty: Buffer, iterations: int
) -> None:
    """Wait for the message, post the next receive, reply and wait."""
    message = irecv(incoming, 0, 1)
    send(empty, 0, 2)
    for _ in range(iterations):
        message.Wait()
        message = irecv(incoming, 0, 1)
        request = irsend(outgoing, 0, 1)
        request.Wait()
    message.Wait()


# Persistent; the methods of requests made by comm.Rsend_init and comm.Recv_init.


def ready_persistent_a(start_send: Call, wait_send: Call, start_recv: Call, wait_recv: Call, iterations: int) -> None:
    """Start the receive, send and wait, wait for the reply."""
    for _ in range(iterations):
        start_recv()
        start_send()
        wait_send()
        wait_recv()


def ready_persistent_b(
    start_send: Call,
    wait_send: Call,
    start_recv: Call,
    wait_recv: Call,
    send: Call,
    empty: Buffer,
    iterations: int,
) -> None:
    """Wait for the message, start the next receive, reply and wait."""
    start_recv()
    send(empty, 0, 2)
    for _ in range(iterations):
        wait_recv()
        start_recv()
        start_send()
        wait_send()
    wait_recv()
