"""Messages from rank to rank: the loops that are timed, compiled by Numba.

``a`` is rank 0, which holds the clock, ``b`` rank 1. A loop is compiled when it is called first, for the type of its
arrays. The clock is a function in C, which compiled loops can call.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit
from numba_mpi import irecv, isend, recv, send, sendrecv, wait

if TYPE_CHECKING:
    from callbacks import Call

    Loops = tuple[Any, Any, Any]


def blocking(clock: Call) -> Loops:
    """Send, then receive; the loops of a, of its events, and of b."""

    @njit
    def a(outgoing, incoming, iterations):
        for _ in range(iterations):
            send(outgoing, 1, 1)
            recv(incoming, 1, 1)

    @njit
    def a_events(outgoing, incoming, times):
        for k in range(len(times)):
            before = clock()
            send(outgoing, 1, 1)
            recv(incoming, 1, 1)
            times[k] = clock() - before

    @njit
    def b(outgoing, incoming, iterations):
        for _ in range(iterations):
            recv(incoming, 0, 1)
            send(outgoing, 0, 1)

    return a, a_events, b


def nonblocking(clock: Call) -> Loops:
    """Send and wait, then receive and wait."""

    @njit
    def a(outgoing, incoming, iterations):
        for _ in range(iterations):
            _, sending = isend(outgoing, 1, 1)
            wait(sending)
            _, receiving = irecv(incoming, 1, 1)
            wait(receiving)

    @njit
    def a_events(outgoing, incoming, times):
        for k in range(len(times)):
            before = clock()
            _, sending = isend(outgoing, 1, 1)
            wait(sending)
            _, receiving = irecv(incoming, 1, 1)
            wait(receiving)
            times[k] = clock() - before

    @njit
    def b(outgoing, incoming, iterations):
        for _ in range(iterations):
            _, receiving = irecv(incoming, 0, 1)
            wait(receiving)
            _, sending = isend(outgoing, 0, 1)
            wait(sending)

    return a, a_events, b


def exchange(clock: Call) -> tuple[Any, Any]:
    """One call each way, the same on both ranks; the loop and that of events."""

    @njit
    def both(outgoing, incoming, peer, iterations):
        for _ in range(iterations):
            sendrecv(outgoing, peer, incoming, peer, 1, 1)

    @njit
    def both_events(outgoing, incoming, peer, times):
        for k in range(len(times)):
            before = clock()
            sendrecv(outgoing, peer, incoming, peer, 1, 1)
            times[k] = clock() - before

    return both, both_events


def ring(clock: Call) -> Loops:
    """A message round all ranks; the loops of rank 0, of its events, and of the others."""

    @njit
    def begun(outgoing, incoming, following, before, iterations):
        for _ in range(iterations):
            send(outgoing, following, 1)
            recv(incoming, before, 1)

    @njit
    def begun_events(outgoing, incoming, following, before, times):
        for k in range(len(times)):
            started = clock()
            send(outgoing, following, 1)
            recv(incoming, before, 1)
            times[k] = clock() - started

    @njit
    def passed_on(incoming, following, before, iterations):
        for _ in range(iterations):
            recv(incoming, before, 1)
            send(incoming, following, 1)

    return begun, begun_events, passed_on
