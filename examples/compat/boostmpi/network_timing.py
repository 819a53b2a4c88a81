"""How long a message takes: arrays of several sizes go from rank 0 to rank 1 and back.

    mpiexec -n 2 python -m polympi --as boostmpi examples/compat/boostmpi/network_timing.py

Each size goes as an object, for which the receiver makes a new array, and as the content of one that is there.
"""

import boostmpi as mpi
import numpy as np

ROUNDS = 20

if mpi.size != 2:
    raise SystemExit("network_timing.py needs two ranks: start it by mpiexec -n 2.")

other = 1 - mpi.rank
for elements in 1, 100, 10_000, 100_000:
    array = np.arange(float(elements))
    room = np.zeros(elements)
    for kind, buffer in ("object", None), ("content", mpi.get_content(room)):
        mpi.world.barrier()
        timer = mpi.Timer()
        for _ in range(ROUNDS):
            if mpi.rank == 0:
                mpi.world.send(other, 0, array)
                received = mpi.world.recv(other, 0, buffer)
            else:
                received = mpi.world.recv(other, 0, buffer)
                mpi.world.send(other, 0, array)
        seconds = timer.elapsed / ROUNDS / 2  # of one way
        assert np.array_equal(received, array)
        assert (received is room) == (kind == "content")
        if mpi.rank == 0:
            rate = array.nbytes / seconds / 1e6
            print(f"{array.nbytes:8d} bytes, {kind:7}: {1e6 * seconds:9.1f} microseconds, {rate:9.1f} MB/s")
