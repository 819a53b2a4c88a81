"""The ranks of benchmarks/hot_path.py: rank 0 makes each call between two marks, and rank 1 its counterpart.

A mark is a call of ``getppid``, which nothing else makes. Rank 0 prints a line for each row.
"""

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import polympi as mpi

WINDOW = 64  # as in the benchmarks of bandwidth
COMPLETE_S = 2e-3  # after which the other rank's part of a call is complete, on most of the repeats of any machine

Step = Callable[[], Any]


def row(name: str, repeats: int, mine: Callable[[], Step], other: Callable[[], Step]) -> None:
    """Repeat a call: the step of each rank is prepared, and made when the other one's has been, too."""
    if mpi.world.rank == 0:
        print("row:", name)
    for _ in range(repeats):
        step = (mine, other)[mpi.world.rank]()
        mpi.world.barrier()
        if mpi.world.rank == 0:
            time.sleep(COMPLETE_S)
            os.getppid()
            held = step()
            del step
            os.getppid()
        else:
            held = step()
        if isinstance(held, mpi.Request):
            held.wait()
        mpi.world.barrier()


def main() -> None:
    """All rows; the argument says how often each call is repeated."""
    repeats, c, peer = int(sys.argv[1]), mpi.world, 1 - mpi.world.rank
    out, into = np.zeros(1), np.zeros(1)
    windows = [[np.zeros(1) for _ in range(WINDOW)] for _ in range(2)]
    sends = partial(c.isend, out, peer, 1)
    receives = partial(c.irecv, peer, 1, into=into)
    exchange = partial(c.sendrecv, out, peer, 1, peer, 1, into=into)
    reduction = partial(c.allreduce, out, into=into)

    def many_sent() -> Step:
        return partial(mpi.wait_all, [c.isend(array, peer, 1) for array in windows[0]])

    def many_received() -> Step:
        return partial(mpi.wait_all, [c.irecv(peer, 1, into=array) for array in windows[1]])

    row("send", repeats, lambda: partial(c.send, out, 1, 1), lambda: receives().wait)
    row("recv", repeats, lambda: partial(c.recv, 1, 1, into=into), lambda: sends().wait)
    row("send of a float", repeats, lambda: partial(c.send, 1.5, 1, 1), lambda: c.irecv(peer, 1).wait)
    row("recv of a float", repeats, lambda: partial(c.recv, 1, 1), lambda: c.isend(1.5, peer, 1).wait)
    row("isend", repeats, lambda: sends, lambda: receives().wait)
    row("irecv", repeats, lambda: receives, lambda: sends().wait)
    row("wait (isend)", repeats, lambda: sends().wait, lambda: receives().wait)
    row("wait (irecv)", repeats, lambda: receives().wait, lambda: sends().wait)
    row("wait_all (64 isend)", repeats, many_sent, many_received)
    row("wait_all (64 irecv)", repeats, many_received, many_sent)
    row("sendrecv", repeats, lambda: exchange, lambda: exchange)
    row("bcast", repeats, lambda: partial(c.bcast, out, 0), lambda: partial(c.bcast, None, 0, into=into))
    row("allreduce", repeats, lambda: reduction, lambda: reduction)
    row("barrier", repeats, lambda: c.barrier, lambda: c.barrier)


if __name__ == "__main__":
    main()
