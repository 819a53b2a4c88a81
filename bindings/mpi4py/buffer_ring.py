"""A message round all ranks with NumPy buffers: the loops that are timed, of rank 0 and of the others.

Rank 0 holds the clock. The methods are handed over bound (``comm.Send``), the arrays prepared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


def begun(
    send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, following: int, before: int, iterations: int
) -> None:
    """Send, then receive what has gone round."""
    for _ in range(iterations):
        send(outgoing, following, 1)
        recv(incoming, before, 1)


def passed_on(send: Call, recv: Call, incoming: Buffer, following: int, before: int, iterations: int) -> None:
    """Receive, then send the same on."""
    for _ in range(iterations):
        recv(incoming, before, 1)
        send(incoming, following, 1)
