"""Which communicators of mpi4py go through polympi's core, and that they are given back."""

import os

import numpy as np
from mpi4py_ring import MPI, comm, rank, size

from polympi.native import core

is_attached = core.mpi4py_is_attached


def works(made: MPI.Comm, accelerated: bool = True) -> None:
    """Whether objects and arrays travel on a communicator, all ranks of which call this."""
    assert is_attached(made) is accelerated, made
    peers, mine = made.size, made.rank
    assert made.allgather(mine) == list(range(peers))
    after, before = (mine + 1) % peers, (mine - 1) % peers
    assert (made.sendrecv(np.full(2000, mine), after, 1, None, before, 1) == before).all()
    got = np.zeros(1)
    made.Sendrecv(np.full(1, float(mine)), after, 1, got, before, 1)
    assert got[0] == before


works(comm)
works(MPI.COMM_SELF)
assert not is_attached(MPI.COMM_NULL)

# Those that all ranks make; of the same class as with mpi4py.
group = comm.Get_group()
for make, kind in (
    (comm.Dup, MPI.Intracomm),
    (comm.Clone, MPI.Intracomm),
    (lambda: comm.Dup(MPI.INFO_NULL), MPI.Intracomm),
    (lambda: comm.Dup_with_info(MPI.INFO_NULL), MPI.Intracomm),
    (lambda: comm.Create(group), MPI.Intracomm),
    (lambda: comm.Create_group(group), MPI.Intracomm),
    (lambda: comm.Split(rank % 2, -rank), MPI.Intracomm),
    (lambda: comm.Split_type(MPI.COMM_TYPE_SHARED), MPI.Intracomm),
    (lambda: comm.Create_cart([size], [True]), MPI.Cartcomm),
    (lambda: comm.Create_graph([1] * size, [0] * size) if size == 1 else comm.Create_cart([size]), MPI.Topocomm),
    (lambda: comm.Create_dist_graph_adjacent([rank], [rank]), MPI.Distgraphcomm),
):
    made = make()
    assert isinstance(made, kind)
    works(made)
    inner = made.Dup()
    works(inner)
    assert type(inner) is type(made)
    made.Free()
    assert made == MPI.COMM_NULL
    works(inner)
    inner.Disconnect()

# In no group; a mesh that leaves ranks over; parts of a mesh.
alone = comm.Split(MPI.UNDEFINED if rank else 0)
assert (alone == MPI.COMM_NULL) == (rank > 0)
if rank == 0:
    works(alone)
    alone.free()
cart = comm.Create_cart([max(size // 2, 1), min(size, 2)])
row = cart.Sub([False, True])
works(row)
row.Free()
cart.Free()
few = comm.Create_cart([1])
assert (few == MPI.COMM_NULL) == (rank > 0)
if rank == 0:
    works(few)
    few.Free()

# However they are made: not all ranks wait for the first. Those of two groups are mpi4py's own.
later, request = comm.Idup()
request.Wait()
works(later)
child = later.Dup()
works(child)
child.Free()
later.Free()
if size > 1:
    half = comm.Split(rank % 2)
    both = half.Create_intercomm(0, comm, 1 - rank % 2, 5)
    assert not is_attached(both)
    if half.rank == 0:
        assert both.sendrecv({"from": rank}, 0, 0, None, 0, 0) == {"from": 1 - rank % 2}
    merged = both.Merge()
    works(merged)
    merged.Free()
    both.Free()
    half.Free()

# Attributes of the program are copied once.
copies = []
key = MPI.Comm.Create_keyval(copy_fn=lambda _comm, _key, value: copies.append(value) or value)
made = comm.Dup()
made.Set_attr(key, "mine")
again = made.Dup()
assert again.Get_attr(key) == "mine" and copies == ["mine"]
again.Free()
made.Free()
MPI.Comm.Free_keyval(key)

# Freed while a send is pending and a receive is posted; their messages still arrive.
made = comm.Dup()
posted = made.irecv(source=rank, tag=1)
sent = made.isend(np.arange(10**5), rank, 1)
made.Free()
assert (posted.wait() == np.arange(10**5)).all()
sent.wait()

# Handles are used again, and nothing is left behind.
before = os.statvfs("/dev/shm").f_bavail
for turn in range(300):
    made = comm.Dup()
    assert made.allreduce(1) == size
    if turn % 50 == 0:
        works(made)
    made.Free()
group.Free()
comm.barrier()
print("good")
