"""Every rank says which it is, in a script for MYMPI."""

import sys

import mpi

mpi.mpi_init(len(sys.argv), sys.argv)
rank = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD)
size = mpi.mpi_comm_size(mpi.MPI_COMM_WORLD)
print(f"Hello from rank {rank} of {size}")
mpi.mpi_finalize()
