"""Broadcasts: an array, and any other object, from one process to all.

    mpiexec -n 4 python -m polympi --as pympi examples/compat/pympi/broadcast.py

Only the root has to give a message; all get it as what the call returns.
"""

import mpi
import numpy as np

root = mpi.size - 1

table = mpi.bcast(np.arange(12.0).reshape(3, 4) if mpi.rank == root else None, root)
assert table.shape == (3, 4)
assert table.sum() == 66
table[0] = mpi.rank  # each process has its own array

column = mpi.bcast(table[:, 1], root)  # a strided one, too
assert column.tolist() == [root, 5, 9]

parameters = mpi.bcast({"steps": 10, "name": "wave"} if mpi.rank == 0 else None)
assert parameters == {"steps": 10, "name": "wave"}

mpi.synchronizedWriteln("process", mpi.rank, "has the column", [int(number) for number in column])
