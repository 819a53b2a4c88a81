"""Collectives with objects: the loops that are timed, the same on all ranks.

``call`` is the bound method, which takes what the rank gives and returns what it gets: ``comm.bcast``,
``comm.reduce``, ``comm.allreduce``, ``comm.gather``, ``comm.scatter``, ``comm.allgather``, ``comm.alltoall``. These
interfaces spell it alike (mpi4py, polympi), and in both root 0 and the sum (for objects, ``+``) are the defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def calls(call: Call, given: Any, iterations: int) -> Any:
    """Calls in a row; the collective itself holds the ranks together."""
    received = None
    for _ in range(iterations):
        received = call(given)
    return received
