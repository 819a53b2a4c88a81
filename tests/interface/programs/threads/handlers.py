"""Signal handlers and destructors communicate while others are waited for."""

import signal
import sys
import time
from typing import Any

import numpy as np
from prelude import c, in_turn, other, rank

import polympi as mpi

sys.setswitchinterval(1e-4)  # 50 times as often as usual: threads meet in more places


class Farewell(np.ndarray):
    """Its last word is a message; it dies where the core drops it, in the midst of a call."""

    def __del__(self) -> None:
        if self.base is None:
            c.isend("farewell", rank, 3)
            c.recv(rank, 3)
            said.append(1)


said, handled, refused = [], [], []


def handler(*_: object) -> None:
    handled.append(c.sendrecv(len(handled), rank, 4, rank, 4))
    if len(requests) < 3:
        return
    requests[-1].test()
    requests.pop(0)
    try:
        requests[0].test(), requests[1].wait(timeout=1e-3)
    except mpi.StateError as error:
        refused.append(error)
    except mpi.Timeout:
        pass


def farewell(length: int) -> Any:
    return np.zeros(length).view(Farewell).copy()


signal.signal(signal.SIGALRM, handler)
for _turn in range(5):
    requests = [c.irecv(other, tag) for tag in range(30)]
    waited = list(requests)
    for length in 3, 50_000:
        c.isend(farewell(length), other, 50)
        c.irecv(other, 50, into=farewell(length))  # given up at once
        waited.append(c.irecv(other, 50))
    if rank == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.02)
    else:
        time.sleep(0.3)
        in_flight = [c.isend(tag, 0, tag) for tag in range(30)]
    if rank == 0:
        assert mpi.wait_all(waited)[:30] == list(range(30))
        signal.setitimer(signal.ITIMER_REAL, 0)
        mpi.wait_all([c.isend(tag, 1, tag) for tag in range(30)])
    else:
        assert mpi.wait_all(waited)[:30] == list(range(30))
        mpi.wait_all(in_flight)
    in_turn()
assert (len(handled) > 0) == (rank == 0)
assert said
