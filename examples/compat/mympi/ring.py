"""A message goes around a ring; each processor adds its number to it.

mpiexec -n 4 python -m polympi --as mympi examples/compat/mympi/ring.py
"""

import sys

import mpi

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
myid = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD)
numnodes = mpi.mpi_comm_size(mpi.MPI_COMM_WORLD)

TAG = 1234

if numnodes < 2:
    print("Alone there is no ring: start it on two processors or more")
elif myid == 0:
    mpi.mpi_send([0], 1, mpi.MPI_INT, 1, TAG, mpi.MPI_COMM_WORLD)
    message = mpi.mpi_recv(numnodes, mpi.MPI_INT, numnodes - 1, TAG, mpi.MPI_COMM_WORLD)
    print("Processor 0 got the message back, which went through", message)
    assert list(message) == list(range(numnodes))
else:
    message = mpi.mpi_recv(myid, mpi.MPI_INT, myid - 1, TAG, mpi.MPI_COMM_WORLD)
    assert mpi.mpi_status()[0] == myid - 1
    mpi.mpi_send([*message, myid], myid + 1, mpi.MPI_INT, (myid + 1) % numnodes, TAG, mpi.MPI_COMM_WORLD)

mpi.mpi_finalize()
