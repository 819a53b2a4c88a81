"""Every rank says which it is, in a script for Scientific.MPI."""

from Scientific.MPI import world

print(f"Hello from rank {world.rank} of {world.size}")
