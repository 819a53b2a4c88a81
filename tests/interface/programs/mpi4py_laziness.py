"""When communicators of mpi4py get what polympi needs, and that messages need none of it."""

import numpy as np
from mpi4py_ring import MPI, comm, rank, size

from polympi.native import core

is_joint = core.mpi4py_is_joint
big = 10**5


def messages(made: MPI.Comm) -> None:
    """Objects, small and large, contiguous and strided, travel in a ring."""
    peers, mine = made.size, made.rank
    after, before = (mine + 1) % peers, (mine - 1) % peers
    assert made.sendrecv(("small", mine), after, 1, None, before, 1) == ("small", before)
    posted = [made.irecv(source=before, tag=2 + number) for number in range(3)]
    made.send(np.full(big, mine), after, 2)
    made.send(np.full((big, 2), mine)[:, 1], after, 3)
    made.send([b"x" * big, mine], after, 4)
    whole, strided, pair = (request.wait() for request in posted)
    assert (whole == before).all() and whole.size == strided.size == big and (strided == before).all()
    assert pair == [b"x" * big, before]


def waited(pair: tuple[MPI.Intracomm, MPI.Request]) -> MPI.Intracomm:
    """The communicator of an Idup."""
    made, request = pair
    request.Wait()
    return made


assert not is_joint(comm) and not is_joint(MPI.COMM_SELF)
messages(comm)
assert not is_joint(comm)

# Where ranks have other numbers than in the world, in meshes that leave ranks over, and however they are made.
for make in (
    comm.Dup,
    lambda: waited(comm.Idup()),
    lambda: comm.Split(rank % 2, -rank),
    lambda: comm.Create_cart([max(size - 1, 1)], [True]),
    lambda: comm.Create_cart([size], [True]).Sub([True]),
    lambda: MPI.Comm.f2py(comm.Dup().py2f()),
):
    made = make()
    if made == MPI.COMM_NULL:
        continue
    messages(made)
    made.Barrier()
    made.Bcast(np.zeros(1))
    assert core.mpi4py_is_attached(made) and not is_joint(made)
    assert made.allreduce(1) == made.size and is_joint(made)
    messages(made)
    assert made.allgather(np.full(big, made.rank))[-1][0] == made.size - 1
    made.Free()

# Large data that were sent before the first collective, and are received after it; and the other way round.
made = comm.Dup()
after, before = (rank + 1) % size, (rank - 1) % size
for turn in range(2):
    sent = made.isend(np.full(big, rank + turn), after)
    if turn == 0:
        assert made.bcast("met" if rank == 0 else None) == "met"
    got = made.recv(source=before)
    assert (got == before + turn).all()
    sent.wait()

# Each collective may be the first.
calls = [
    lambda one: one.bcast(1, size - 1),
    lambda one: one.gather(rank, size - 1),
    lambda one: one.scatter(list(range(size)) if rank == 0 else None),
    lambda one: one.allgather(rank),
    lambda one: one.alltoall(list(range(size))),
    lambda one: one.reduce(rank, MPI.MAX, size - 1),
    lambda one: one.allreduce(rank),
    lambda one: one.scan(rank),
    lambda one: one.exscan(rank),
]
plain = [call(made) for call in calls]
for call, expected in zip(calls, plain, strict=True):
    one = comm.Dup()
    assert call(one) == expected and is_joint(one)
    one.Free()

# A first collective brings in what its rank has to fetch while it waits.
one = comm.Dup()
if size > 1 and rank == 0:
    posted = one.irecv(source=1)
    assert one.bcast("behind") == "behind"
    assert posted.wait().size == big
elif size > 1:
    if rank == 1:
        one.ssend(np.zeros(big), 0)
    assert one.bcast(None) == "behind"
one.Free()

# Handles of those that C code frees are used again.
for turn in range(200):
    one = comm.Dup()
    if turn % 2:
        assert one.allreduce(1) == size
    messages(one) if turn % 50 == 0 else one.sendrecv(turn, after, 0, None, before, 0)
    one.Free()
made.Free()
comm.barrier()
print("good")
