"""Collectives with arrays: the loops that are timed, the same on all ranks.

``call`` is the bound method: ``world.bcast``, ``reduce``, ``allreduce``, ``gather``, ``scatter``, ``allgather`` or
``alltoall``. A rank that gives or gets nothing has None in that place. Root 0 and the sum are polympi's defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from common_start import UNTIMED

if TYPE_CHECKING:
    from callbacks import Buffer, Call, Clock, Times
    from common_start import CommonStart


def calls_into(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, into=incoming)


def calls_into_events(
    call: Call,
    outgoing: Buffer | None,
    incoming: Buffer | None,
    start: CommonStart,
    clock: Clock,
    times: Times,
) -> None:
    """Calls timed one by one from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call(outgoing, into=incoming)
        begun = wait()
        call(outgoing, into=incoming)
        times[k] = clock() - begun
        k += agree()
