"""Memory stays while a late piece comes into it."""

import contextlib
import time

import numpy as np
from prelude import c, in_turn, other, raises, rank

import polympi as mpi

n = 3_000_000
mine = np.full(n, 7, "u1")
in_turn()  # the ranks begin together, since what follows is a matter of tenths of a second
if rank == 0:  # sends what it has, times out, and makes no progress on it for a while
    with raises(mpi.Timeout):
        c.gather(mine, 1, timeout=0.2)
    time.sleep(0.6)
else:
    time.sleep(0.3)
    into = bytearray(2 * n)
    with raises(mpi.Timeout):
        c.gather(mine, 1, into=into, timeout=0.15)
    with raises(BufferError):
        into.clear()  # its memory is lent to MPI as yet
c.barrier(timeout=30)
c.sendrecv(mine, other, 5, other, 5)  # meanwhile it comes
in_turn()
if rank == 1:
    for _ in range(200):  # until the last of it has arrived, too
        with contextlib.suppress(BufferError):
            last = into[n - 1]
            into.clear()
            break
        c.iprobe()
        time.sleep(0.05)
    assert (last, len(into)) == (7, 0)
