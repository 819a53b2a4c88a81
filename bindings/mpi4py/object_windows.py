"""Many objects in flight: the loops of ``bandwidth``, ``bibandwidth`` and ``stream``.

Each slot of the window has an object of its own, and a buffer of its own for a posted receive. ``a`` is rank 0, which
holds the clock, ``b`` rank 1. The acknowledgement is the one byte that C sends too (``comm.Send``, ``comm.Recv``), so
that a window differs from C's in its payload only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Buffer, Call


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
