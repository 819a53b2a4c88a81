"""The ranks of benchmarks/hot_path.py: rank 0 makes each call between two marks, and rank 1 its counterpart.

A mark is a call of ``getppid``, which nothing else makes. Rank 0 prints a line for each row.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import polympi as mpi

WINDOW = 64  # as in the benchmarks of bandwidth
ANNOUNCED = 4096  # from here on data may arrive before the wait or in it, so its instructions aren't the same each time

Step = Callable[[], Any]


def row(name: str, repeats: int, steps: tuple[Callable[[], Step], Callable[[], Step]]) -> None:
    """Repeat a call: the step of each rank is prepared, and made when the other one's has been, too."""
    if mpi.world.rank == 0:
        print("row:", name)
    for _ in range(repeats):
        step = steps[mpi.world.rank]()
        mpi.world.barrier()
        if mpi.world.rank == 0:
            os.getppid()
            held = step()
            del step
            os.getppid()
        else:
            held = step()
        if isinstance(held, mpi.Request):
            held.wait()
        mpi.world.barrier()


def messages(size: int, repeats: int) -> None:
    """Calls between two ranks."""
    c, peer = mpi.world, 1 - mpi.world.rank
    out, into = np.zeros(size // 8), np.zeros(size // 8)
    windows = [[np.zeros(size // 8) for _ in range(WINDOW)] for _ in range(2)]
    sends = partial(c.isend, out, peer, 1)
    receives = partial(c.irecv, peer, 1, into=into)

    def many_sent() -> Step:
        return partial(mpi.wait_all, [c.isend(array, peer, 1) for array in windows[0]])

    def many_received() -> Step:
        return partial(mpi.wait_all, [c.irecv(peer, 1, into=array) for array in windows[1]])

    row(f"send {size}", repeats, (lambda: partial(c.send, out, 1, 1), lambda: receives().wait))
    row(f"recv {size}", repeats, (lambda: partial(c.recv, 1, 1, into=into), lambda: sends().wait))
    row(f"isend {size}", repeats, (lambda: sends, lambda: receives().wait))
    row(f"irecv {size}", repeats, (lambda: receives, lambda: sends().wait))
    row(f"wait (isend) {size}", repeats, (lambda: sends().wait, lambda: receives().wait))
    row(f"wait_all (64 isend) {size}", repeats, (many_sent, many_received))
    if size < ANNOUNCED:
        row(f"wait (irecv) {size}", repeats, (lambda: receives().wait, lambda: sends().wait))
        row(f"wait_all (64 irecv) {size}", repeats, (many_received, many_sent))
    exchange = partial(c.sendrecv, out, peer, 1, peer, 1, into=into)
    row(f"sendrecv {size}", repeats, (lambda: exchange, lambda: exchange))


def collectives(size: int, repeats: int) -> None:
    """Calls of all ranks."""
    c, out, into = mpi.world, np.zeros(size // 8), np.zeros(size // 8)
    root, other = partial(c.bcast, out, 0), partial(c.bcast, None, 0, into=into)
    if size < ANNOUNCED:
        row(f"bcast {size}", repeats, (lambda: root, lambda: other))
    reduction = partial(c.allreduce, out, into=into)
    row(f"allreduce {size}", repeats, (lambda: reduction, lambda: reduction))


def main() -> None:
    """All rows, for each size of the arguments; the first argument says how often each call is repeated."""
    repeats, *sizes = map(int, sys.argv[1:])
    for size in sizes:
        messages(size, repeats)
        collectives(size, repeats)
    row("barrier 0", repeats, (lambda: mpi.world.barrier, lambda: mpi.world.barrier))


if __name__ == "__main__":
    main()
