"""Communicators of some of the processors: by a color, and by a group.

mpiexec -n 4 python -m polympi --as mympi examples/compat/mympi/groups.py
"""

import sys

import mpi

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
world = mpi.MPI_COMM_WORLD
myid = mpi.mpi_comm_rank(world)
numnodes = mpi.mpi_comm_size(world)

# Even and odd ones
half = mpi.mpi_comm_split(world, myid % 2, myid)
members = mpi.mpi_gather(myid, 1, mpi.MPI_INT, 1, mpi.MPI_INT, 0, half)
if mpi.mpi_comm_rank(half) == 0:
    print(f"Processors {list(members)} are in one communicator")
    assert list(members) == list(range(myid, numnodes, 2))
mpi.mpi_comm_free(half)

# All but the last one, backwards
group = mpi.mpi_comm_group(world)
chosen = list(range(numnodes - 1))[::-1] or [0]
group = mpi.mpi_group_incl(group, len(chosen), chosen)
some = mpi.mpi_comm_create(world, group)
if some == mpi.MPI_COMM_NULL:
    assert mpi.mpi_group_rank(group) == mpi.MPI_UNDEFINED
else:
    assert mpi.mpi_comm_rank(some) == mpi.mpi_group_rank(group) == chosen.index(myid)
    total = mpi.mpi_reduce(1, 1, mpi.MPI_INT, mpi.MPI_SUM, 0, some)
    if mpi.mpi_comm_rank(some) == 0:
        print(f"{total[0]} processors are in another one, of which {myid} is the first")
        assert total[0] == len(chosen)

mpi.mpi_finalize()
