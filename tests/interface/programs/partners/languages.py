"""Rank 0 of three: its partners are Fortran, by `use mpi` and by mpif.h, which do the same."""

import numpy as np

import polympi as mpi

job = mpi.raw_world
assert (job.rank, job.size) == (0, 3)
partners = range(1, 3)
coupled = job.split(7)

header = coupled.bcast(np.array([12, 5], "i4"))
rows, columns = header
table = np.arange(float(rows * columns)).reshape(rows, columns)
for partner in partners:
    coupled.send(table, partner, 1)  # elements in C's order
    coupled.send(table[:, 2], partner, 2)  # one column of it
    coupled.send(np.asfortranarray(table).T, partner, 3)  # in the order of Fortran
    coupled.send(np.array([1 + 2j, 3 - 4j], "c8"), partner, 4)
    coupled.send(b"halo", partner, 5)
for partner in partners:
    back, status = coupled.recv(np.zeros(100), partner, 6, status=True)
    assert status.elements == rows
    assert (back[:rows] == 2 * table[:, 2]).all()
    assert coupled.probe(partner, 7, dtype="i8") == (partner, 7, 3, 24)
    assert coupled.recv(np.zeros(3, "i8"), partner, 7).tolist() == [partner, 2**40, -1]
    assert coupled.recv(np.zeros(2, "c8"), partner, 8).tolist() == [1 - 2j, 3 + 4j]

mine = np.array([1.0, 10.0])
assert coupled.allreduce(mine, np.zeros(2), timeout=60).tolist() == [6, 30]
assert coupled.reduce(np.array([0], "i4"), np.zeros(1, "i4"), mpi.MAX)[0] == 2
pieces = coupled.gatherv(np.zeros(0, "f4"), np.zeros(3, "f4"), range(3))
assert pieces.tolist() == [1, 2, 2]
everyone = coupled.alltoall(np.arange(3, dtype="i4"), np.zeros(3, "i4"))
assert everyone.tolist() == [0, 10, 20]
coupled.barrier()
print("polympi done")
