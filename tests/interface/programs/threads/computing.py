"""Other threads compute while one waits.

What each waits for comes from the thread that computes, when it is done: if it could not run, nobody would end.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from prelude import c, rank, same

import polympi as mpi

sys.setswitchinterval(1e-4)  # 50 times as often as usual: threads meet in more places


def compute() -> int:
    return sum(number * number for number in range(200_000))


big = np.arange(10**5)
WAITS = [
    lambda: c.recv(rank, 1),
    lambda: c.irecv(rank, 1).wait(),
    lambda: c.probe(rank, 1) and c.recv(rank, 1),
    lambda: mpi.wait_any([c.irecv(rank, 1)])[1],
    lambda: mpi.wait_all([c.irecv(rank, 1)])[0],
    lambda: c.sendrecv(0, mpi.PROC_NULL, 0, rank, 1),
    lambda: c.recv(rank, 1, into=np.zeros(10**5, int), timeout=50),
]
for wait in WAITS:

    def work(number: int) -> Any:
        if number == 0:
            return wait()
        assert compute() > 0
        c.isend(big, rank, 1).wait()
        return big

    with ThreadPoolExecutor(2) as pool:
        waiting, computing = pool.submit(work, 0), pool.submit(work, 1)
        assert same(waiting.result(timeout=50), computing.result(timeout=50))
for send in lambda: c.ssend(big, rank, 2), lambda: c.send(big, rank, 2), lambda: c.issend(1, rank, 2).wait():
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(lambda: compute() and c.recv(rank, 2))
        send()
        received.result(timeout=50)
