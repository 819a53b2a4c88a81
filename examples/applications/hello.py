"""Every rank says which it is.

    mpiexec -n 4 python examples/applications/hello.py

The lines come in any order.
"""

from polympi import world

print(f"Hello, world! I'm process {world.rank} of {world.size}.")
