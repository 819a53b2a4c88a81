"""Arrays that are exchanged again and again by a plan: the loops that are timed, the same on both ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Call


def exchanges(plan: Call, iterations: int) -> None:
    """Send and receive all parts of the plan."""
    for _ in range(iterations):
        plan()
