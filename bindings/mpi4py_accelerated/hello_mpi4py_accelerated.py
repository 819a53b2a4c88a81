"""Every rank says which it is: what a program needs before it does anything."""

from polympi.mpi4py import MPI

world = MPI.COMM_WORLD
print(f"Hello from rank {world.rank} of {world.size}")
