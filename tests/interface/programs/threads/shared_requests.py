"""Threads share requests that come and go."""

import contextlib
import random
import threading
import time
from typing import Any

import numpy as np
from prelude import c, in_turn, other, same
from together import together

import polympi as mpi

VALUES = [5, "text", np.arange(10), np.arange(20_000), [np.arange(5000), {"x": "y" * 9000}]]
shared, lock = [], threading.Lock()


def any_of(requests: list[mpi.Request]) -> Any:
    return mpi.wait_any(requests, timeout=0.01)


def all_of(requests: list[mpi.Request]) -> Any:
    return mpi.wait_all(requests, timeout=0.01)


def work(number: int) -> None:
    chance = random.Random(number)
    for turn in range(60):
        tag = 100 * number + turn
        value = VALUES[tag % len(VALUES)]
        mine = [(c.irecv(other, tag), value), (c.isend(value, other, tag), None)]
        with lock:
            shared.extend(mine)
            some = chance.sample(shared, min(6, len(shared)))
        for request, _ in some:
            with contextlib.suppress(mpi.StateError):
                request.test()
        requests = [request for request, _ in some]
        with contextlib.suppress(mpi.StateError, mpi.Timeout):
            chance.choice([mpi.test_all, any_of, all_of])(requests)
        with lock:  # what others wait for is dropped, too
            shared[:] = shared[-20:]
        while True:
            try:
                assert all(same(request.wait(), value) for request, value in mine)
                break
            except mpi.StateError:  # another thread has it just now
                time.sleep(1e-4)


together(work, 6)
in_turn()
assert c.iprobe() is None
