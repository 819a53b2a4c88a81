"""Every rank says which it is: what a program needs before it does anything."""

from boost import mpi  # type: ignore[import-not-found]

print(f"Hello from rank {mpi.world.rank} of {mpi.world.size}")
