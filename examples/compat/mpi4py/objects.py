"""Send a dictionary with an array in it, and tell what it took of it.

mpiexec -n 2 python objects.py                          # by mpi4py itself
mpiexec -n 2 python -m polympi --as mpi4py objects.py   # accelerated
"""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if comm.Get_size() == 1:
    raise SystemExit("objects.py needs two ranks: start it by mpiexec -n 2.")

if rank == 0:
    request = comm.isend({"step": 7, "field": np.linspace(0, 1, 100_001)}, dest=1, tag=11)
    request.wait()
elif rank == 1:
    status = MPI.Status()
    message = comm.irecv(1 << 20, source=0, tag=MPI.ANY_TAG).wait(status)
    print(f"step {message['step']}, {message['field'].size} values, tag {status.Get_tag()}")
