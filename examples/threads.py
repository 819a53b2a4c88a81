"""Threads: any Python thread may call polympi; one that waits lets the others run.

    mpiexec -n 2 python examples/threads.py

Give each thread tags (or a communicator) of its own, so that none takes a message meant for another. Nothing else is
needed: at the default thread level polympi lets one thread at a time into the MPI library.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import polympi as mpi

THREADS, MESSAGES = 4, 25


def serve(tag: int) -> float:
    """Receive this thread's arrays; their sum."""
    return sum(float(mpi.world.recv(source=0, tag=tag, timeout=30).sum()) for _ in range(MESSAGES))


def feed(tag: int) -> None:
    """Send this thread's arrays."""
    for number in range(MESSAGES):
        mpi.world.send(np.full(1000, float(number)), dest=1, tag=tag, timeout=30)


def main() -> None:
    """As many threads on rank 0 send as threads on rank 1 receive."""
    world = mpi.world
    if world.rank > 1:
        return
    with ThreadPoolExecutor(THREADS) as threads:
        results = list(threads.map(feed if world.rank == 0 else serve, range(THREADS)))
    if world.rank == 1:
        print(f"rank 1: {THREADS} threads, level '{mpi.thread_level()}', sums {results}")
        assert results == [1000.0 * sum(range(MESSAGES))] * THREADS


if __name__ == "__main__":
    main()
