"""Messages that are the same each time, both ways at once: the loops that are timed, the same on both ranks.

The requests are persistent ones: mpi4py then looks at buffers, counts and datatypes only once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def exchanges(startall: Call, waitall: Call, requests: list[Any], iterations: int) -> None:
    """Start all receives and sends, wait for all."""
    for _ in range(iterations):
        startall(requests)
        waitall(requests)
