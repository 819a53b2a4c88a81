"""Every rank says which it is, in a script for pyMPI."""

import mpi

print(f"Hello from rank {mpi.rank} of {mpi.size}")
