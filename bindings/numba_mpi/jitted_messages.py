"""Messages from rank to rank: the loops that are timed, compiled by Numba.

``a`` is rank 0, which holds the clock, ``b`` rank 1. A loop is compiled when it is called first, for the type of its
arrays. The clock is a function in C, which compiled loops can call.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit
from numba_mpi import irecv, isend, recv, send, sendrecv, wait
from timed_loops import one_by_one

if TYPE_CHECKING:
    from callbacks import Call


def compiled(clock: Call, *loops: Call) -> tuple[Any, ...]:
    """Loops to be compiled at their first call: of rank 0, of its events, and of other ranks where they differ."""
    first, *others = loops
    return (njit(first), njit(one_by_one(first, clock)), *map(njit, others))


def blocking_a(outgoing, incoming, iterations):
    """Send, then receive."""
    for _ in range(iterations):
        send(outgoing, 1, 1)
        recv(incoming, 1, 1)


def blocking_b(outgoing, incoming, iterations):
    """Receive, then reply."""
    for _ in range(iterations):
        recv(incoming, 0, 1)
        send(outgoing, 0, 1)


def nonblocking_a(outgoing, incoming, iterations):
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        _, sending = isend(outgoing, 1, 1)
        wait(sending)
        _, receiving = irecv(incoming, 1, 1)
        wait(receiving)


def nonblocking_b(outgoing, incoming, iterations):
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        _, receiving = irecv(incoming, 0, 1)
        wait(receiving)
        _, sending = isend(outgoing, 0, 1)
        wait(sending)


def exchange(outgoing, incoming, peer, iterations):
    """One call each way, the same on both ranks."""
    for _ in range(iterations):
        sendrecv(outgoing, peer, incoming, peer, 1, 1)


# A message round all ranks.


def begun(outgoing, incoming, following, before, iterations):
    """Send, then receive what has gone round."""
    for _ in range(iterations):
        send(outgoing, following, 1)
        recv(incoming, before, 1)


def passed_on(incoming, following, before, iterations):
    """Receive, then send the same on."""
    for _ in range(iterations):
        recv(incoming, before, 1)
        send(incoming, following, 1)
