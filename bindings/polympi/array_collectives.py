"""Collectives with arrays: the loops that are timed, the same on all ranks.

``call`` is the bound method: ``world.bcast``, ``reduce``, ``allreduce``, ``gather``, ``scatter``, ``allgather`` or
``alltoall``. A rank that gives or gets nothing has None in that place. Root 0 and the sum are polympi's defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


def calls_into(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, into=incoming)
