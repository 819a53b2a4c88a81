"""The library's barrier: the loops that are timed, the same for all interfaces.

``call`` is the bound method ``comm.Barrier`` or ``comm.barrier``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Call


def barrier(call: Call, iterations: int) -> None:
    """Barriers in a row."""
    for _ in range(iterations):
        call()
