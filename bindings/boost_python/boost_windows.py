"""Many objects in flight: the loops of ``bandwidth``, ``bibandwidth`` and ``stream``.

Each slot of the window has an object of its own. ``a`` is rank 0, which holds the clock, ``b`` rank 1. The
acknowledgement is a bool, the smallest message that the module sends.

A receive that was posted looks for its message when it is waited for. So receives are waited for in order, as their
messages were sent; ``mpi.wait_all`` would look for all of them in turn, and messages could change places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def bandwidth_a(isend: Call, recv: Call, objects: list[Any], iterations: int) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        requests = [isend(1, 1, obj) for obj in objects]
        for request in requests:
            request.wait()
        recv(1, 2)


def bandwidth_b(irecv: Call, send: Call, window: int, iterations: int) -> Any:
    """A window of posted receives, then the acknowledgement."""
    received = None
    slots = range(window)
    for _ in range(iterations):
        requests = [irecv(0, 1) for _ in slots]
        received = [request.wait()[0] for request in requests]
        send(0, 2, True)
    return received


def bibandwidth(isend: Call, irecv: Call, objects: list[Any], peer: int, iterations: int) -> Any:
    """A window each way, the same on both ranks."""
    received = None
    for _ in range(iterations):
        receiving = [irecv(peer, 1) for _ in objects]
        sending = [isend(peer, 1, obj) for obj in objects]
        received = [request.wait()[0] for request in receiving]
        for request in sending:
            request.wait()
    return received


def stream_a(send: Call, recv: Call, objects: list[Any], iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for obj in objects:
            send(1, 1, obj)
        recv(1, 2)


def stream_b(recv: Call, send: Call, window: int, iterations: int) -> None:
    """Blocking receives in a row, each object given up for the next, then the acknowledgement."""
    slots = range(window)
    for _ in range(iterations):
        for _ in slots:
            _received = recv(0, 1)
        send(0, 2, True)


def stream_b_keeping_all(recv: Call, send: Call, window: int) -> list[Any]:
    """One iteration of ``stream_b`` that keeps every object, for the validation pass."""
    received = [recv(0, 1) for _ in range(window)]
    send(0, 2, True)
    return received
