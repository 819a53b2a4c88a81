"""A rank of mpi4py, which knows nothing of polympi, in a job with ranks of polympi and C."""

import mpi4py
import numpy as np

# MPICH 5.0 ends the job in a collective of ranks on several hosts of which some, but not all, have asked for MULTIPLE.
mpi4py.rc.thread_level = "serialized"
from mpi4py import MPI

coupled = MPI.COMM_WORLD.Split(7, 0)
assert (coupled.rank, coupled.size) == (3, 4)
numbers = np.zeros(4)
coupled.Recv(numbers, 1, 20)
assert numbers.tolist() == [0, 1, 2, 3]
coupled.Send(2 * numbers, 1, 21)

assert coupled.Split(MPI.UNDEFINED) == MPI.COMM_NULL  # the others make their own world
coupled.Barrier()
header = np.zeros(5, "i4")
coupled.Bcast(header, 2)
assert header.tolist() == [4, 5, 6, 7, 8]
for operation, result in ((MPI.SUM, 10), (MPI.MAX, 4)):
    total = np.zeros(1)
    coupled.Allreduce(np.array([4.0]), total, operation)
    assert total[0] == result
everyone = np.zeros(4)
coupled.Allgather(np.array([4.0]), everyone)
assert everyone.tolist() == [1, 2, 3, 4]
coupled.Gather(np.array([4.0]), None, 0)
mine = np.zeros(1)
coupled.Scatter(None, mine, 0)
assert mine[0] == 30
pieces = np.zeros(6, "i4")
coupled.Allgatherv(np.full(3, 3, "i4"), [pieces, [0, 1, 2, 3]])
assert pieces.tolist() == [1, 2, 2, 3, 3, 3]
sums = np.zeros(3_000_000)
coupled.Allreduce(np.full(3_000_000, 3.0), sums)
assert (sums == 6).all()
coupled.Dup()
print("mpi4py done")
