"""A message goes around the ring of all ranks, once with blocking calls and once with requests.

    mpiexec -n 3 python -m polympi --as pympi examples/compat/pympi/ring.py

Blocking calls first, then requests.
"""

import mpi

left, right = (mpi.rank - 1) % mpi.size, (mpi.rank + 1) % mpi.size

if mpi.rank == 0:
    mpi.send([0], right)
    visited, status = mpi.recv(left)
    print(f"the message came back from rank {status.source} after ranks {visited}")
    assert visited == list(range(mpi.size))
else:
    visited, status = mpi.recv(left)
    mpi.send([*visited, mpi.rank], right)

# All at the same time: each receives what its left neighbour sends.
coming = mpi.irecv(left, tag=1)
going = mpi.isend({"from": mpi.rank}, right, tag=1)
mpi.waitall(coming, going)
assert coming.message == {"from": left}
assert coming.status.tag == 1
