"""Groups of ranks: each color has its own communicator.

    mpiexec -n 4 python -m polympi --as boostmpi examples/compat/boostmpi/groups.py

Even ranks send, and odd ones sort.
"""

import operator

import boostmpi as mpi

color = mpi.rank % 2
group = mpi.world.split(color, -mpi.rank)  # ordered from the highest rank on
members = mpi.all_gather(group, mpi.rank)
assert list(members) == [rank for rank in reversed(range(mpi.size)) if rank % 2 == color]
assert members[group.rank] == mpi.rank
assert mpi.all_reduce(group, mpi.rank, operator.add) == sum(members)

everybody = mpi.Communicator()  # that of all ranks, as mpi.world is
assert everybody.size == mpi.size
told = mpi.gather(everybody, (color, group.rank), 0)
if mpi.rank == 0:
    print(f"colors and ranks in them: {told}")
    assert len(set(told)) == mpi.size
