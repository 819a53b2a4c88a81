"""Strings, lists and arrays are scattered, gathered and exchanged by all ranks.

    mpiexec -n 3 python -m polympi --as boostmpi examples/compat/boostmpi/scatter_gather.py

There is one value for each rank, and what is gathered is a tuple.
"""

import boostmpi as mpi
import numpy as np

root = mpi.size - 1
texts = [f"for rank {rank}" for rank in range(mpi.size)]
mine = mpi.scatter(mpi.world, texts if mpi.rank == root else None, root)
assert mine == f"for rank {mpi.rank}"
assert mpi.gather(mpi.world, mine, root) == (tuple(texts) if mpi.rank == root else None)

table = np.arange(12.0 * mpi.size).reshape(3 * mpi.size, 4)
rows = mpi.scatter(mpi.world, np.split(table, mpi.size), 0)  # pieces of three rows
columns = mpi.all_gather(mpi.world, rows[:, 1])  # views are fine
assert np.array_equal(np.concatenate(columns), table[:, 1])

# The value at place n goes to rank n.
pairs = mpi.all_to_all(mpi.world, [(mpi.rank, rank) for rank in range(mpi.size)])
assert pairs == tuple((rank, mpi.rank) for rank in range(mpi.size))
if mpi.rank == 0:
    print(f"{mine!r}, a column with the sum {sum(map(sum, columns)):g}, pairs from and to {pairs}")
