"""Compute pi: parameters by bcast, a sum by reduce of objects and by Reduce of arrays."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

parameters = comm.bcast({"intervals": 10_000} if rank == 0 else None, root=0)
width = 1.0 / parameters["intervals"]
middles = (np.arange(rank, parameters["intervals"], size) + 0.5) * width
part = np.array([(4.0 / (1.0 + middles**2)).sum() * width])

whole = np.zeros(1)
comm.Reduce(part, whole, op=MPI.SUM, root=0)
again = comm.reduce(part[0], op=MPI.SUM, root=0)
if rank == 0:
    assert abs(whole[0] - again) < 1e-12
    print(f"pi is nearly {whole[0]:.6f}")
