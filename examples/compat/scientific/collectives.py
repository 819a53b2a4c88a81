"""What all ranks do together: broadcast, share, reduce and allreduce.

    mpiexec -n 3 python -m polympi --as scientific examples/compat/scientific/collectives.py

Each call fills an array that all ranks have.
"""

from Scientific import MPI, N

world = MPI.world

# Broadcast: all get the array of rank 0.
table = N.arange(6, typecode=N.Float) if world.rank == 0 else N.zeros((6,), N.Float)
world.broadcast(table, 0)
assert table.tolist() == [0, 1, 2, 3, 4, 5]

# Share: all get the arrays of all.
mine = world.rank * N.ones((2,), N.Int)
all_of_them = N.zeros_st((world.size, 2), mine)
world.share(mine, all_of_them)
assert all_of_them.tolist() == [[rank, rank] for rank in range(world.size)]

# Reduce: rank 0 gets the sum, element by element. Allreduce: all get it.
total = N.zeros_st((2,), mine)
world.reduce(mine, total, MPI.sum, 0)
if world.rank == 0:
    assert N.sum(total) == world.size * (world.size - 1)
highest = N.zeros_st((2,), mine)
world.allreduce(mine, highest, MPI.max)
assert highest.tolist() == [world.size - 1] * 2

if world.rank == 0:
    print(f"{world.size} ranks have shared {all_of_them.tolist()}, of which the sum is {total.tolist()}")
