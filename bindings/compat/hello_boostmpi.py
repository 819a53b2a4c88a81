"""Every rank says which it is, in a script for boostmpi."""

import boostmpi as mpi

print(f"Hello from rank {mpi.rank} of {mpi.size}")
