"""Many receives and dropped sends are all moved on.

Waits look at a few of them at a time only: each must have its turn, the announced ones, too, and calls that say
whether anything is under way must see all.
"""

from typing import Any

import numpy as np
from prelude import c, in_turn, other, rank, same

import polympi as mpi

N = 300


def value(tag: int) -> Any:
    return np.full(10_000 if tag % 7 == 0 else 3, tag)


for turn in range(2):
    if rank == 0:
        for tag in range(N):
            c.isend(value(tag), 1, tag)  # dropped at once
        for tag in reversed(range(N)):
            c.issend(value(tag), 1, 1000 + tag)
        assert c.recv(1, 5000) == "all are here"
    else:
        requests = [c.irecv(0, tag) for tag in range(N)] + [c.irecv(0, 1000 + tag) for tag in range(N)]
        for_nothing = [c.irecv(0, 2000 + tag) for tag in range(N)]
        while not mpi.test_all(requests[-5:]) if turn else not requests[-1].test():
            pass
        assert all(same(got, value(n % N)) for n, got in enumerate(mpi.wait_all(requests)))
        c.send("all are here", 0, 5000)
    in_turn()
twin = c.dup()
requests = [twin.irecv(other, tag) for tag in range(N)]
sent = [twin.isend(tag, other, tag) for tag in range(N)]
c.sendrecv(0, other, 5, other, 5)
twin.free()  # all have arrived
assert mpi.wait_all(requests) == list(range(N))
mpi.wait_all(sent)
