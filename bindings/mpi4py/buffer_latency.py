"""Ping-pong with NumPy buffers: the loops that are timed, one per kind of call.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``comm.Send``), the arrays
prepared, so that an iteration holds nothing but the MPI calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking; send is comm.Send, comm.Ssend or comm.Bsend.


def blocking_a(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(outgoing, 1, 1)
        recv(incoming, 1, 1)


def blocking_b(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive, then reply."""
    for _ in range(iterations):
        recv(incoming, 0, 1)
        send(outgoing, 0, 1)


# Nonblocking; isend is comm.Isend, comm.Issend or comm.Ibsend.


def nonblocking_a(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        request = isend(outgoing, 1, 1)
        request.Wait()
        request = irecv(incoming, 1, 1)
        request.Wait()


def nonblocking_b(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        request = irecv(incoming, 0, 1)
        request.Wait()
        request = isend(outgoing, 0, 1)
        request.Wait()


# Persistent; the methods of requests made by comm.Send_init, Ssend_init, Bsend_init and comm.Recv_init.


def persistent_a(start_send: Call, wait_send: Call, start_recv: Call, wait_recv: Call, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        start_send()
        wait_send()
        start_recv()
        wait_recv()


def persistent_b(start_send: Call, wait_send: Call, start_recv: Call, wait_recv: Call, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        start_recv()
        wait_recv()
        start_send()
        wait_send()


# Sendrecv, the same on both ranks.


def sendrecv(call: Call, outgoing: Buffer, incoming: Buffer, peer: int, iterations: int) -> None:
    """Exchange by one call."""
    for _ in range(iterations):
        call(outgoing, peer, 1, incoming, peer, 1)
