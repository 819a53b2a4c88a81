"""Raw messages: the elements of arrays and nothing else, as any partner in MPI sends and receives them.

    mpiexec -n 2 python examples/raw.py

Both ranks are Python here; each could as well be a program in C or Fortran that calls ``MPI_Recv``, ``MPI_Send`` and
``MPI_Allreduce``. A job of both is in ``partners/``.
"""

import numpy as np

import polympi as mpi


def main() -> None:
    """Rank 0 sends ten numbers to the last rank, which adds them up and sends back the sum."""
    raw = mpi.world.raw  # on MPI_COMM_WORLD
    last = raw.size - 1
    if raw.rank == 0:
        raw.send(np.arange(10.0), dest=last, tag=1)  # ten MPI_DOUBLEs
    if raw.rank == last:
        found = raw.probe(source=0, tag=1, dtype=float)  # MPI_Probe and MPI_Get_count
        numbers = raw.recv(np.empty(found.elements or 0), source=0, tag=1)
        print(f"{found.elements} numbers of {found.nbytes} bytes have arrived")
        raw.isend(np.array([numbers.sum()]), dest=0, tag=2)
    if raw.rank == 0:
        total, status = raw.recv(np.empty(5), source=last, tag=2, status=True)  # there is room for more
        assert (total[0], status.elements) == (45, 1)

    greatest = raw.allreduce(np.array([raw.rank]), np.empty(1, int), op=mpi.MAX)
    assert greatest[0] == last


if __name__ == "__main__":
    main()
