"""Strings, lists and arrays are broadcast, scattered in slices and gathered again.

    mpiexec -n 3 python -m polympi --as pympi examples/compat/pympi/scatter_gather.py

Slices have the type of what is cut.
"""

import mpi
import numpy as np

text = mpi.bcast("the quick brown fox" if mpi.rank == 0 else None)
part = mpi.scatter(text)  # a slice of the same type; the first ranks have one more, if need be
assert isinstance(part, str)
letters = mpi.gather(part)  # a list of the items of all
assert letters == (list("the quick brown fox") if mpi.rank == 0 else None)

numbers = mpi.scatter(list(range(10)))
squares = mpi.allgather([number**2 for number in numbers])
assert squares == [number**2 for number in range(10)]

table = mpi.bcast(np.arange(12.0).reshape(6, 2))
rows = mpi.scatter(table)
column = mpi.gather(rows[:, 1])  # views are fine
if mpi.rank == 0:
    assert np.array_equal(column, table[:, 1])
    print(f"{len(letters)} letters, squares {squares}, a column with the sum {sum(column):g}")
