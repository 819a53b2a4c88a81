"""Every rank says which it is: what a program needs before it does anything."""

from polympi import world

print(f"Hello from rank {world.rank} of {world.size}")
