"""Arrays go round a ring of ranks, on a mesh that mpi4py makes."""

import numpy as np
from mpi4py import MPI

cart = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[True])
source, dest = cart.Shift(0, 1)
mine, theirs = np.full(1000, float(cart.rank)), np.empty(1000)
for _ in range(cart.size):
    cart.Sendrecv(mine, dest, 0, theirs, source, 0)
    mine, theirs = theirs, mine
assert (mine == cart.rank).all()
names = cart.gather(f"rank {cart.rank} has its array again", root=0)
if names is not None:
    print("\n".join(names))
cart.Free()
