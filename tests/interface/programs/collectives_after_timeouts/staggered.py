"""Calls after staggered time-outs work.

The ranks give up one after the other: messages of the next call come to ranks that wait in this one still.
"""

import contextlib
import time

import numpy as np
from prelude import c, in_turn, rank, size

import polympi as mpi

large = np.arange(30000.0)
waits = [0.05, 0.12, 0.22, 0.15]
calls = [
    lambda late, **time: c.bcast("x", late, **time),
    lambda late, **time: c.barrier(**time),
    lambda late, **time: c.allreduce(1, **time),
    lambda late, **time: c.bcast(large, late, **time),
    lambda late, **time: c.gather(rank, (late + 1) % size, **time),
    lambda late, **time: c.scatter([rank] * size, late, **time),
    lambda late, **time: c.allgather(rank, **time),
    lambda late, **time: c.alltoall([rank] * size, **time),
]
for number, call in enumerate(calls):
    late = number % size
    in_turn()
    if rank == late:
        time.sleep(0.3)
        with contextlib.suppress(mpi.Timeout):
            call(late, timeout=2)
    else:
        with contextlib.suppress(mpi.Timeout):  # leaves of a tree may be through with it
            call(late, timeout=waits[(rank - late) % size])
    c.barrier(timeout=30)
    assert c.allgather((number, rank), timeout=30) == [(number, other) for other in range(size)]
    assert c.allreduce(number, timeout=30) == number * size
    assert c.bcast(number if rank == late else None, late, timeout=30) == number
