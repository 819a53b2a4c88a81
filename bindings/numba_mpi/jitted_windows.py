"""Many messages in flight: the loops of ``bandwidth``, ``bibandwidth`` and ``stream``, compiled by Numba.

The slots of a window are rows of one array, each a message of ``count`` elements at its beginning: a tuple of arrays
would take Numba a minute to compile. ``a`` is rank 0, which holds the clock, ``b`` rank 1. A user keeps requests in an
array, because ``waitall`` wants one.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"
from __future__ import annotations

import numpy as np
from numba import njit
from numba_mpi import RequestType, irecv, isend, recv, send, waitall


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
