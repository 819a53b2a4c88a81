"""A message that goes round: each rank adds its number, and rank 0 gets the sum.

    mpiexec -n 4 python -m polympi --as scientific examples/compat/scientific/ring.py

A receiver that gives a type code needs no array.
"""

from Scientific import N
from Scientific.MPI import world

right = (world.rank + 1) % world.size
left = (world.rank - 1) % world.size
token = N.zeros((1,), N.Int)

if world.rank == 0:
    world.send(token, right, 0)
token = world.receive(N.Int, left, 0)[0] + world.rank
if world.rank != 0:
    world.send(token, right, 0)
else:
    assert token[0] == world.size * (world.size - 1) // 2
    print(f"the token has come round {world.size} ranks: {token[0]}")
