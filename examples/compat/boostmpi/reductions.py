"""Reductions of strings, numbers and arrays by functions of Python.

    mpiexec -n 4 python -m polympi --as boostmpi examples/compat/boostmpi/reductions.py

The module of Boost is also called mpi. Values are combined in the order of ranks.
"""

import operator
import random

import mpi
import numpy as np

WORDS = ["zero ", "one ", "two ", "three ", "many "]

mine = WORDS[min(mpi.rank, len(WORDS) - 1)]
counted = mpi.all_reduce(mine, lambda left, right: left + right)  # without a communicator: that of all ranks
assert counted == "".join(WORDS[min(rank, len(WORDS) - 1)] for rank in range(mpi.size))

random.seed(mpi.rank)
value = random.randint(0, 1000)
smallest = mpi.reduce(mpi.world, value, min, 0)
values = mpi.gather(mpi.world, value, 0)
assert smallest == (min(values) if mpi.rank == 0 else None)

before = mpi.scan(mpi.world, mpi.rank, operator.add)  # of the ranks up to this one
assert before == sum(range(mpi.rank + 1))

total = mpi.all_reduce(mpi.world, np.array([1.0, mpi.rank]), operator.add)
assert total.tolist() == [mpi.size, sum(range(mpi.size))]
highest = mpi.all_reduce(mpi.world, np.array([mpi.rank, -mpi.rank]), np.maximum)
assert highest.tolist() == [mpi.size - 1, 0]


def longer(left, right):
    """The longer of two words, of equal ones that of the lower rank."""
    return left if len(left) >= len(right) else right


longest = mpi.all_reduce(mpi.world, mine, longer)
if mpi.rank == 0:
    print(f"the words are {counted}, the longest is {longest}, the smallest of {values} is {smallest}")
    assert longest == max(counted.split(), key=len) + " "
