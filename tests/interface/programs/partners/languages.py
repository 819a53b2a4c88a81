"""Rank 0 of four: its partners are C++ and, by `use mpi` and by mpif.h, Fortran, which all do the same."""

import numpy as np

import polympi as mpi

job = mpi.raw_world
assert (job.rank, job.size) == (0, 4)
partners = range(1, 4)
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
assert coupled.allreduce(mine, np.zeros(2), timeout=60).tolist() == [10, 40]
assert coupled.reduce(np.array([0], "i4"), np.zeros(1, "i4"), mpi.MAX)[0] == 3
pieces = coupled.gatherv(np.zeros(0, "f4"), np.zeros(6, "f4"), range(4))
assert pieces.tolist() == [1, 2, 2, 3, 3, 3]
everyone = coupled.alltoall(np.arange(4, dtype="i4"), np.zeros(4, "i4"))
assert everyone.tolist() == [0, 10, 20, 30]
coupled.barrier()
print("polympi done")
