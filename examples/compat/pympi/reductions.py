"""Reductions of numbers, strings, arrays and pairs, by operators and by a function.

    mpiexec -n 4 python -m polympi --as pympi examples/compat/pympi/reductions.py

Each assertion says what the call gives.
"""

import mpi
import numpy as np

total = mpi.reduce(mpi.rank, mpi.SUM)  # None on ranks other than the root
assert total == (sum(range(mpi.size)) if mpi.rank == 0 else None)

letters = "abcdefghij"
word = mpi.allreduce(letters[mpi.rank % 10], mpi.SUM)  # in the order of ranks
assert word == "".join(letters[rank % 10] for rank in range(mpi.size))


def with_two(left, right):
    """A function of two values: it is called on the root."""
    return left + right + 2


assert mpi.allreduce(mpi.rank, with_two) == sum(range(mpi.size)) + 2 * (mpi.size - 1)
assert mpi.allreduce(1, mpi.SUM, ground=100) == 100 + mpi.size

array = mpi.allreduce(np.array([1.0, mpi.rank]), mpi.SUM)
assert array.tolist() == [mpi.size, sum(range(mpi.size))]

highest = mpi.allreduce((-((mpi.rank - 1) ** 2), mpi.rank), mpi.MAXLOC)
assert highest == ((0, 1) if mpi.size > 1 else (-1, 0))

assert mpi.scan(mpi.rank, mpi.MAX) == mpi.rank
if mpi.rank == 0:
    print(f"the sum of the ranks is {total}, their letters are {word}, (value, rank) of the highest is {highest}")
