"""How long a message takes: arrays of several sizes go from rank 0 to rank 1 and back.

    mpiexec -n 2 python -m polympi --as pympi examples/compat/pympi/network_timing.py

The two ranks measure together, so the time of one way is half of what they take.
"""

import mpi
import numpy as np
from mpi import time

ROUNDS = 20

if mpi.size < 2:
    raise SystemExit("network_timing.py needs two ranks: start it by mpiexec -n 2.")

for elements in 1, 100, 10_000, 100_000:
    array = np.arange(float(elements))
    mpi.barrier()
    start = time()
    for _ in range(ROUNDS):
        if mpi.rank == 0:
            mpi.send(array, 1)
            array, status = mpi.recv(1)
        elif mpi.rank == 1:
            received, status = mpi.recv(0)
            mpi.send(received, 0)
    seconds = (time() - start) / ROUNDS / 2
    if mpi.rank == 0:
        print(f"{array.nbytes:8d} bytes: {1e6 * seconds:9.1f} microseconds, {array.nbytes / seconds / 1e6:9.1f} MB/s")
        assert np.array_equal(array, np.arange(float(elements)))
        assert seconds > 0
