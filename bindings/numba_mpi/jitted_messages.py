"""Messages from rank to rank, one by one or many in flight: the loops that are timed, compiled by Numba.

``a`` is rank 0, which holds the clock, ``b`` rank 1. A loop is compiled when it is called first, for the type of its
arrays. The clock is a function in C, which compiled loops can call.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numba_mpi import RequestType, irecv, isend, recv, send, sendrecv, wait, waitall
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


# Many messages in flight. The slots of a window are rows of one array, each a message of ``count`` elements at its
# beginning: a tuple of arrays would take Numba a minute to compile. A user keeps requests in an array, because
# ``waitall`` wants one.


@njit
def send_all(slots, count, peer, requests):
    """Start a send of each slot."""
    for i in range(len(slots)):
        requests[i] = isend(slots[i][:count], peer, 1)[1][0]


@njit
def receive_all(slots, count, peer, requests):
    """Start a receive into each slot."""
    for i in range(len(slots)):
        requests[i] = irecv(slots[i][:count], peer, 1)[1][0]


def bandwidth_a(slots, count, acknowledgement, iterations):
    """A window of nonblocking sends, then the acknowledgement."""
    requests = np.empty(len(slots), RequestType)
    for _ in range(iterations):
        send_all(slots, count, 1, requests)
        waitall(requests)
        recv(acknowledgement, 1, 2)


def bandwidth_b(slots, count, acknowledgement, iterations):
    """A window of posted receives, then the acknowledgement."""
    requests = np.empty(len(slots), RequestType)
    for _ in range(iterations):
        receive_all(slots, count, 0, requests)
        waitall(requests)
        send(acknowledgement, 0, 2)


def bibandwidth(outgoing, incoming, count, peer, iterations):
    """A window each way, the same on both ranks."""
    requests = np.empty(2 * len(outgoing), RequestType)
    for _ in range(iterations):
        receive_all(incoming, count, peer, requests)
        send_all(outgoing, count, peer, requests[len(incoming) :])
        waitall(requests)


def stream_a(slots, count, acknowledgement, iterations):
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for i in range(len(slots)):
            send(slots[i][:count], 1, 1)
        recv(acknowledgement, 1, 2)


def stream_b(slots, count, acknowledgement, iterations):
    """Blocking receives in a row, then the acknowledgement."""
    for _ in range(iterations):
        for i in range(len(slots)):
            recv(slots[i][:count], 0, 1)
        send(acknowledgement, 0, 2)
