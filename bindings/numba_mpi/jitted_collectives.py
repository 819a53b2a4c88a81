"""Collectives: the loops that are timed, the same on all ranks, compiled by Numba.

An iteration is a small compiled function that Numba inlines into two loops: one in a row, and one in which every call
has a common start. A rank that gets nothing hands over its outgoing array in that place, which nobody writes to.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba_mpi
from common_start import UNTIMED
from numba import njit

if TYPE_CHECKING:
    from callbacks import Call

SUM = numba_mpi.Operator.SUM
BEFORE_EACH_START = len(UNTIMED)


@njit(inline="always")
def barrier(outgoing, incoming):  # noqa: ARG001
    """All ranks wait for each other."""
    numba_mpi.barrier()


@njit(inline="always")
def bcast(outgoing, incoming):  # noqa: ARG001
    """From rank 0."""
    numba_mpi.bcast(incoming, 0)


@njit(inline="always")
def reduce(outgoing, incoming):
    """The sum to rank 0."""
    numba_mpi.reduce(outgoing, incoming, SUM, 0)


@njit(inline="always")
def allreduce(outgoing, incoming):
    """The sum to all."""
    numba_mpi.allreduce(outgoing, incoming, SUM)


@njit(inline="always")
def gather(outgoing, incoming):
    """To rank 0."""
    numba_mpi.gather(outgoing, incoming, outgoing.size, 0)


@njit(inline="always")
def scatter(outgoing, incoming):
    """From rank 0."""
    numba_mpi.scatter(outgoing, incoming, incoming.size, 0)


@njit(inline="always")
def allgather(outgoing, incoming):
    """To all."""
    numba_mpi.allgather(outgoing, incoming, outgoing.size)


CALLS = {call.__name__: call for call in (barrier, bcast, reduce, allreduce, gather, scatter, allgather)}


def collective(call: Any, clock: Call, wait: Call, agree: Call) -> tuple[Any, Any]:
    """The loop of calls in a row, and that of calls from a common start each."""

    @njit
    def calls(outgoing, incoming, iterations):
        for _ in range(iterations):
            call(outgoing, incoming)

    @njit
    def calls_events(outgoing, incoming, times):
        k = 0
        agree()
        while k < len(times):
            for _ in range(BEFORE_EACH_START):
                call(outgoing, incoming)
            begun = wait()
            call(outgoing, incoming)
            times[k] = clock() - begun
            k += agree()

    return calls, calls_events
