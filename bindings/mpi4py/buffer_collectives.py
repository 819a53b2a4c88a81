"""Collectives with NumPy buffers: the loops that are timed, the same on all ranks.

``call`` is the bound method: one that takes a send and a receive buffer (``comm.Reduce``, ``comm.Allreduce``,
``comm.Gather``, ``comm.Scatter``, ``comm.Allgather``, ``comm.Alltoall``) or one buffer (``comm.Bcast``). Root 0 and
MPI.SUM are mpi4py's defaults. In the loop ``started_...`` it is nonblocking (``comm.Ibcast``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from common_start import UNTIMED

if TYPE_CHECKING:
    from callbacks import Buffer, Call, Clock, Times
    from common_start import CommonStart


def two_buffers(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, incoming)


def two_buffers_events(
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
            call(outgoing, incoming)
        begun = wait()
        call(outgoing, incoming)
        times[k] = clock() - begun
        k += agree()


def one_buffer_events(call: Call, buffer: Buffer, start: CommonStart, clock: Clock, times: Times) -> None:
    """Calls timed one by one from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call(buffer)
        begun = wait()
        call(buffer)
        times[k] = clock() - begun
        k += agree()


def started_one_buffer_events(call: Call, buffer: Buffer, start: CommonStart, clock: Clock, times: Times) -> None:
    """Calls and waits timed one by one from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call(buffer).Wait()
        begun = wait()
        call(buffer).Wait()
        times[k] = clock() - begun
        k += agree()
