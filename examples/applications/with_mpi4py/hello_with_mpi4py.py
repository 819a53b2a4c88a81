"""Every rank says which it is: ../hello.py with mpi4py.

    mpiexec -n 4 python examples/applications/with_mpi4py/hello_with_mpi4py.py

The lines come in any order.
"""

from mpi4py import MPI

world = MPI.COMM_WORLD
print(f"Hello, world! I'm process {world.rank} of {world.size}.")
