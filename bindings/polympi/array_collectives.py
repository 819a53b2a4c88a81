"""Collectives with arrays: the loops that are timed, the same on all ranks.

``call`` is the bound method: ``world.bcast``, ``reduce``, ``allreduce``, ``gather``, ``scatter``, ``allgather`` or
``alltoall``. A rank that gives or gets nothing has None in that place. Root 0 and the sum are polympi's defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from operation import Buffer, Call, Clock, Times


def calls_into(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, into=incoming)


def calls_into_events(
    call: Call,
    outgoing: Buffer | None,
    incoming: Buffer | None,
    own_barrier: Callable[[], None],
    clock: Clock,
    times: Times,
) -> None:
    """Calls timed one by one behind the program's own barrier."""
    for k in range(len(times)):
        own_barrier()
        before = clock()
        call(outgoing, into=incoming)
        times[k] = clock() - before
