"""Ranks 0 and 1 of four: a world of polympi of two, whose partners are C and mpi4py."""

import numpy as np
from hostless import refused

import polympi as mpi

job = mpi.raw_world
assert job.size == 4
coupled = job.split(7)
rank, large = coupled.rank, 3_000_000

# Before there is a world of polympi: messages with C and mpi4py.
if rank == 0:
    coupled.send(np.array([1.5, 2.5, 3.5]), 2, 1)
    into, status = coupled.recv(np.zeros(10), 2, 2, status=True)
    assert (into[:2] == [1.5, 2.5]).all()
    assert (status.elements, status.nbytes) == (2, 16)
    assert coupled.probe(2, dtype="i4") == (2, 3, 5, 20)
    assert coupled.recv(np.zeros(5, "i4"), 2, 3).tolist() == [4, 5, 6, 7, 8]
    numbers = np.arange(float(large))
    coupled.send(numbers, 2, 4)
    assert (coupled.recv(np.zeros(large), 2, 5) == numbers).all()
    table = np.zeros((large // 2, 3))
    table[:, 1] = -1
    coupled.send(table[:, 1], 2, 6)
    coupled.send(b"bytes\0", 2, 7)
else:
    coupled.send(np.arange(4.0), 3, 20)
    assert coupled.recv(np.zeros(4), 3, 21).tolist() == [0, 2, 4, 6]

# A world of polympi of these two; the partners have no part in its start.
two = coupled.split(0)
world = mpi.init(world=two)
assert world is mpi.world is mpi.init()
assert (world.rank, world.size) == (rank, 2)
assert world.raw is two
assert world.sendrecv({"rank": rank}, 1 - rank, source=1 - rank) == {"rank": 1 - rank}
assert (world.allreduce(np.full(100_000, rank)) == 1).all()
assert world.gather("x" * rank) == (["", "x"] if rank == 0 else None)
assert world.split(0, -rank).rank == 1 - rank
if world.handle_size:
    assert mpi.wrap(world.dup().handle).size == 2
for mistake, kind, text in (
    (lambda: mpi.wrap(coupled.handle), mpi.MismatchError, "2 of its ranks do not belong to polympi.world"),
    (lambda: mpi.init(world=coupled), mpi.StateError, "was made before, of another communicator"),
    (lambda: mpi.init(world=None), TypeError, "world is a NoneType"),
    (two.free, mpi.StateError, "polympi.world was made of this communicator"),
    (lambda: world.send(1, 2), mpi.RankError, "the ranks of this communicator are 0 to 1"),
):
    refused(kind, text, mistake)
assert mpi.raw(coupled.handle).rank == rank

# Collectives of all four.
coupled.barrier()
assert coupled.bcast(np.zeros(5, "i4"), 2).tolist() == [4, 5, 6, 7, 8]
mine = np.array([rank + 1.0])
assert coupled.allreduce(mine, np.zeros(1))[0] == 10
assert coupled.allreduce(mine, np.zeros(1), mpi.MAX)[0] == 4
assert coupled.allgather(mine, np.zeros(4)).tolist() == [1, 2, 3, 4]
everyone = coupled.gather(mine, np.zeros(4) if rank == 0 else None)
assert everyone is None if rank else everyone.tolist() == [1, 2, 3, 4]
coupled.scatter(np.array([0.0, 10, 20, 30]) if rank == 0 else None, mine)
assert mine[0] == 10 * rank
pieces = coupled.allgatherv(np.full(rank, rank, "i4"), np.zeros(6, "i4"), range(4))
assert pieces.tolist() == [1, 2, 2, 3, 3, 3]
assert (coupled.allreduce(np.full(large, float(rank)), np.zeros(large)) == 6).all()

# The world ends by itself, and what goes to a partner is not given up.
ends = coupled.dup()
if rank == 0:
    ends.isend(np.full(large, 9.0), 2, 9)
print("polympi done")
