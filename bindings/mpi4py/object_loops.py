"""Objects through mpi4py's lower-case methods: the loops that are timed.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``comm.send``); a loop that
receives objects returns the one that came last, so that it can be checked.
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


# An object round all ranks: the loops of rank 0, which holds the clock, and of the others.


def begun(send: Call, recv: Call, obj: Any, following: int, before: int, iterations: int) -> Any:
    """Send, then receive what has gone round."""
    received = None
    for _ in range(iterations):
        send(obj, following, 1)
        received = recv(None, before, 1)
    return received


def passed_on(send: Call, recv: Call, following: int, before: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = recv(None, before, 1)
        send(received, following, 1)
    return received


# Many objects in flight: each slot of the window has its own object, and for a posted receive a buffer.
# The acknowledgement is the one byte that C sends too (``comm.Send``, ``comm.Recv``), so that a window differs from C's
# in its payload only.


def bandwidth_a(
    isend: Call, waitall: Call, recv_byte: Call, objects: list[Any], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        waitall([isend(obj, 1, 1) for obj in objects])
        recv_byte(acknowledgement, 1, 2)


def bandwidth_b(
    irecv: Call, waitall: Call, send_byte: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> Any:
    """A window of posted receives, then the acknowledgement."""
    received = None
    for _ in range(iterations):
        received = waitall([irecv(slot, 0, 1) for slot in slots])
        send_byte(acknowledgement, 0, 2)
    return received


def bibandwidth(
    isend: Call, irecv: Call, waitall: Call, objects: list[Any], slots: list[Buffer], peer: int, iterations: int
) -> Any:
    """A window each way, the same on both ranks; what the sends return comes after what was received."""
    received = None
    for _ in range(iterations):
        requests = [irecv(slot, peer, 1) for slot in slots]
        requests += [isend(obj, peer, 1) for obj in objects]
        received = waitall(requests)
    return received


def stream_a(send: Call, recv_byte: Call, objects: list[Any], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for obj in objects:
            send(obj, 1, 1)
        recv_byte(acknowledgement, 1, 2)


def stream_b(recv: Call, send_byte: Call, window: int, acknowledgement: Buffer, iterations: int) -> None:
    """Blocking receives in a row, each object given up for the next, then the acknowledgement."""
    for _ in range(iterations):
        for _ in range(window):
            _received = recv(None, 0, 1)
        send_byte(acknowledgement, 0, 2)


def stream_b_keeping_all(recv: Call, send_byte: Call, window: int, acknowledgement: Buffer) -> list[Any]:
    """One iteration of ``stream_b`` that keeps every object, for the validation pass."""
    received = [recv(None, 0, 1) for _ in range(window)]
    send_byte(acknowledgement, 0, 2)
    return received
