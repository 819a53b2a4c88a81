"""Communicators of some of the ranks: even and odd ones compute by themselves.

    mpiexec -n 4 python -m polympi --as scientific examples/compat/scientific/subsets.py

All ranks make both communicators; those that are not in one get None for it.
"""

from Scientific import MPI, N

world = MPI.world
even = world.subset(range(0, world.size, 2))  # all ranks make each of them, in the same order
odd = world.subset(range(1, world.size, 2))
mine = even if world.rank % 2 == 0 else odd
assert (even is None) == (world.rank % 2 == 1)
assert mine.rank == world.rank // 2

number = N.array([world.rank])
total = N.zeros_st((1,), number)
mine.allreduce(number, total, MPI.sum)
assert total[0] == sum(range(world.rank % 2, world.size, 2))
if mine.rank == 0:
    print(f"the sum of the {'odd' if world.rank else 'even'} ranks is {total[0]}")
