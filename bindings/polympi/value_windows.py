"""Many objects in flight: the loops of ``bandwidth``, ``bibandwidth`` and ``stream``.

Each slot of the window has an object of its own. ``a`` is rank 0, which holds the clock, ``b`` rank 1. The
acknowledgement is the one byte that C sends too, in an array, so that a window differs from C's in its payload only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Buffer, Call


def bandwidth_a(
    isend: Call, wait_all: Call, recv: Call, objects: list[Any], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        wait_all([isend(obj, 1, 1) for obj in objects])
        recv(1, 2, into=acknowledgement)


def bandwidth_b(irecv: Call, wait_all: Call, send: Call, window: int, acknowledgement: Buffer, iterations: int) -> Any:
    """A window of posted receives, then the acknowledgement."""
    received = None
    slots = range(window)
    for _ in range(iterations):
        received = wait_all([irecv(0, 1) for _ in slots])
        send(acknowledgement, 0, 2)
    return received


def bibandwidth(isend: Call, irecv: Call, wait_all: Call, objects: list[Any], peer: int, iterations: int) -> Any:
    """A window each way, the same on both ranks; what the sends return comes after what was received."""
    received = None
    for _ in range(iterations):
        requests = [irecv(peer, 1) for _ in objects]
        requests += [isend(obj, peer, 1) for obj in objects]
        received = wait_all(requests)
    return received


def stream_a(send: Call, recv: Call, objects: list[Any], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for obj in objects:
            send(obj, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_b(recv: Call, send: Call, window: int, acknowledgement: Buffer, iterations: int) -> None:
    """Blocking receives in a row, each object given up for the next, then the acknowledgement."""
    slots = range(window)
    for _ in range(iterations):
        for _ in slots:
            _received = recv(0, 1)
        send(acknowledgement, 0, 2)


def stream_b_keeping_all(recv: Call, send: Call, window: int, acknowledgement: Buffer) -> list[Any]:
    """One iteration of ``stream_b`` that keeps every object, for the validation pass."""
    received = [recv(0, 1) for _ in range(window)]
    send(acknowledgement, 0, 2)
    return received


# In ready mode all receives are posted before the message that makes the other side send.


def stream_ready_a(rsend: Call, recv: Call, objects: list[Any], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row when their receives are posted, then the acknowledgement."""
    for _ in range(iterations):
        recv(1, 2, into=acknowledgement)
        for obj in objects:
            rsend(obj, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_ready_b(
    irecv: Call, wait_all: Call, send: Call, window: int, acknowledgement: Buffer, iterations: int
) -> Any:
    """A window of posted receives, of which an acknowledgement tells, then another one."""
    received = None
    for _ in range(iterations):
        requests = [irecv(0, 1) for _ in range(window)]
        send(acknowledgement, 0, 2)
        received = wait_all(requests)
        send(acknowledgement, 0, 2)
    return received
