"""Many arrays in flight: the loops of ``bandwidth``, ``bibandwidth`` and ``stream``.

Each slot of the window is an array of its own. ``a`` is rank 0, which holds the clock, ``b`` rank 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


def bandwidth_a(
    isend: Call, wait_all: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        wait_all([isend(slot, 1, 1) for slot in slots])
        recv(1, 2, into=acknowledgement)


def bandwidth_b(
    irecv: Call, wait_all: Call, send: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of posted receives, then the acknowledgement."""
    for _ in range(iterations):
        wait_all([irecv(0, 1, into=slot) for slot in slots])
        send(acknowledgement, 0, 2)


def bibandwidth(
    isend: Call,
    irecv: Call,
    wait_all: Call,
    outgoing: list[Buffer],
    incoming: list[Buffer],
    peer: int,
    iterations: int,
) -> None:
    """A window each way, the same on both ranks."""
    for _ in range(iterations):
        requests = [irecv(peer, 1, into=slot) for slot in incoming]
        requests += [isend(slot, peer, 1) for slot in outgoing]
        wait_all(requests)


def stream_a(send: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for slot in slots:
            send(slot, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_b(send: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking receives in a row, then the acknowledgement."""
    for _ in range(iterations):
        for slot in slots:
            recv(0, 1, into=slot)
        send(acknowledgement, 0, 2)


# In ready mode all receives are posted before the message that makes the other side send.


def stream_ready_a(rsend: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row when their receives are posted, then the acknowledgement."""
    for _ in range(iterations):
        recv(1, 2, into=acknowledgement)
        for slot in slots:
            rsend(slot, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_ready_b(
    irecv: Call, wait_all: Call, send: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of posted receives, of which an acknowledgement tells, then another one."""
    for _ in range(iterations):
        requests = [irecv(0, 1, into=slot) for slot in slots]
        send(acknowledgement, 0, 2)
        wait_all(requests)
        send(acknowledgement, 0, 2)
