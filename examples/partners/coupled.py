"""Two ranks of Python and one of C in one job, which solve a problem together.

    mpicc -o partner examples/partners/partner.c
    mpiexec -n 2 python examples/partners/coupled.py : -n 1 ./partner

The two ranks of Python are a world of polympi, and send each other any objects. C holds the parameters, gets
the field that they have computed, and answers with its sum.
"""

import numpy as np

import polympi as mpi

FIELD, SUM = 1, 2  # tags that both programs know


def main() -> None:
    """C is the last rank of the job."""
    job = mpi.raw_world  # MPI_COMM_WORLD: starts MPI, and no other rank has to do anything
    partner = job.size - 1
    world = mpi.init(world=job.split(0))  # C calls MPI_Comm_split, too, and takes no part in the result

    parameters = job.bcast(np.empty(2), root=partner)
    rows = np.array_split(np.arange(10), world.size)[world.rank]
    mine = {"rank": world.rank, "rows": parameters[0] + parameters[1] * rows}
    parts = world.gather(mine)  # objects, between ranks of polympi
    if parts:
        field = np.concatenate([part["rows"] for part in parts])
        job.send(field, dest=partner, tag=FIELD)
        total = job.recv(np.empty(1), source=partner, tag=SUM)
        print(f"C says that the sum is {total[0]:g}")
        assert total[0] == field.sum()


if __name__ == "__main__":
    main()
