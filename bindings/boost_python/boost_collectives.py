"""Collectives: the loops that are timed, the same on all ranks.

``call`` is a function of the module, which takes the communicator, what the rank gives, and up to two more: the
operation of a reduction, then the root. It returns what the rank gets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def none_more(call: Call, comm: Any, given: Any, iterations: int) -> Any:
    """Calls in a row: ``all_gather``, ``all_to_all``."""
    received = None
    for _ in range(iterations):
        received = call(comm, given)
    return received


def one_more(call: Call, comm: Any, given: Any, more: Any, iterations: int) -> Any:
    """Calls in a row: ``all_reduce`` with its operation, ``broadcast``, ``gather`` and ``scatter`` with their root."""
    received = None
    for _ in range(iterations):
        received = call(comm, given, more)
    return received


def two_more(call: Call, comm: Any, given: Any, operation: Any, root: int, iterations: int) -> Any:
    """Calls in a row: ``reduce``."""
    received = None
    for _ in range(iterations):
        received = call(comm, given, operation, root)
    return received
