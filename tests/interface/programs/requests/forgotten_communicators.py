"""Pending operations outlive their communicator."""

import gc
import sys

import numpy as np
from prelude import c, in_turn, rank, same

import polympi as mpi


class Mourned(mpi.Communicator):
    died = 0

    def __del__(self) -> None:
        Mourned.died += 1
        self.rank, repr(self), mpi.world.size


def send_from(send: str, value: object, keep: int) -> list[mpi.Request]:
    """Send from a communicator that is forgotten at once, and maybe so is the request; whether it is dead."""
    Mourned.died, twin = 0, twins.pop()
    request = getattr(twin, send)(value, 1, 7)
    del twin
    kept = [request] if keep else []
    del request
    gc.collect()
    return kept


big = np.arange(10.0**6)
SENDS = [("isend", big, 0), ("isend", big, 1), ("issend", 5, 0), ("issend", [big, "x"], 1), ("bsend", big, 0)]
for send, value, keep in SENDS:
    twins = [c.dup()]
    twins[0].__class__ = Mourned
    fresh = c.dup()
    if rank == 0:
        with mpi.buffer_attach(10**8):
            kept = send_from(send, value, keep)
            assert Mourned.died == 0, "a communicator died under its message"
            references = sys.getrefcount(fresh)
            in_turn()
            mpi.wait_all(kept)
            c.recv(1)
            while Mourned.died == 0:
                c.iprobe()
            assert Mourned.died == 1
            assert sys.getrefcount(fresh) == references
    else:
        in_turn()
        assert same(twins[0].recv(0, 7), value)
        c.send("received", 0)
    assert fresh.allreduce(1) == 2

twins = [c.dup()]
request = twins[0].irecv(0, 3)
second = twins[0].irecv(0, 4)
if rank == 1:
    del twins  # the communicator is forgotten
    gc.collect()
    in_turn()
    assert same(request.wait(), big)
    assert same(second.wait(), big)
    assert c.recv(0, 1) == "both are there"
else:
    in_turn()
    twins[0].send(big, 1, 4)
    twins[0].send(big, 1, 3)
    c.send("both are there", 1, 1)
    assert request.cancel()
    assert second.cancel()
in_turn()
