"""Messages and collectives of buffers: contiguous arrays by the core, all other forms by mpi4py; each with each."""

import array

import numpy as np
from mpi4py_ring import MPI, after, before, comm, error_class, rank, refuses, size

status = MPI.Status()

for code in "?bBhHiIlLqQfdgFDG":
    for count in (0, 1, 5, 100_000):
        mine = (np.arange(count) + rank).astype(code)
        wanted = (np.arange(count) + before).astype(code)
        got = np.zeros_like(mine)
        request = comm.Isend(mine, after, 4)
        comm.Recv(got, source=before, tag=4, status=status)
        request.Wait()
        assert np.array_equal(got, wanted)
        assert (status.source, status.tag, status.Get_count(MPI.BYTE)) == (before, 4, mine.nbytes)
    # Whole arrays here, other forms there.
    got = np.zeros(10, code)
    mine, wanted = (np.arange(10) + rank).astype(code), (np.arange(10) + before).astype(code)
    for send, receive in ((mine, [got, 10]), ([mine, 10], got), ([mine, (10, None)], [got, (10, None)])):
        got[...] = 0
        comm.Sendrecv(send, after, 1, receive, before, 1, status)
        assert np.array_equal(got, wanted) and status.tag == 1
        got[...] = 0
        requests = [comm.Irecv(receive, before, 2), comm.Isend(send, after, 2)]
        assert all(isinstance(request, MPI.Request) for request in requests) and all(requests)
        MPI.Request.Waitall(requests)
        assert np.array_equal(got, wanted) and not any(requests)

# Fortran order, no axes, strided with a datatype, bytearray, array.array, read-only sends.
matrix = np.asfortranarray(np.arange(6.0).reshape(2, 3)) + rank
got = np.zeros_like(matrix)
comm.Sendrecv(matrix, after, 0, got, before, 0)
assert (got == matrix - rank + before).all()
number, got = np.array(float(rank)), np.array(0.0)
comm.Sendrecv(number, after, 0, got, before, 0)
assert got == before
column = MPI.DOUBLE.Create_vector(4, 1, 3).Commit()
grid, got = np.arange(12.0).reshape(4, 3), np.zeros(4)
comm.Sendrecv([grid, 1, column], after, 0, got, before, 0)
assert (got == grid[:, 0]).all()
column.Free()
data, values = bytearray(8), array.array("d", [0])
number.flags.writeable = False
comm.Sendrecv(number, after, 0, data, before, 0)
comm.Sendrecv(number, after, 0, values, before, 0)
assert np.frombuffer(data)[0] == values[0] == before
for wrong in np.zeros((4, 4))[:, 1], number:
    refuses(lambda: comm.Recv(wrong, before), (ValueError, BufferError))

# A message that is too long, wrong ranks, nobody.
if size > 1:
    if rank == 0:
        comm.Send(np.zeros(10), 1)
    elif rank == 1:
        assert error_class(lambda: comm.Recv(np.zeros(2), source=0)) == MPI.ERR_TRUNCATE
assert error_class(lambda: comm.Send(np.zeros(1), size)) == MPI.ERR_RANK
comm.Send(np.zeros(1), MPI.PROC_NULL)
untouched = np.ones(1)
comm.Recv(untouched, MPI.PROC_NULL, status=status)
assert untouched[0] == 1 and status.source == MPI.PROC_NULL

# Collectives.
for root in range(size):
    shared = np.full(5, float(rank))
    comm.Bcast(shared, root)
    assert (shared == root).all()
    shared = np.full(5, float(rank))
    comm.Bcast(shared if rank % 2 else [shared, MPI.DOUBLE], root=root)  # one message, whatever the form
    assert (shared == root).all()
total = np.zeros(3)
comm.Allreduce(np.arange(3.0) + rank, total)
assert (total == size * np.arange(3) + sum(range(size))).all()
comm.Allreduce(np.full(3, float(rank)), total, op=MPI.MAX)
assert (total == size - 1).all()
comm.Allreduce(MPI.IN_PLACE, total)
assert (total == size * (size - 1)).all()


def add(given, into, datatype) -> None:
    """An operation of the program."""
    np.frombuffer(into, "d")[...] += np.frombuffer(given, "d")


op = MPI.Op.Create(add, commute=True)
comm.Allreduce(np.full(3, 1.0), total, op)
assert (total == size).all()
op.Free()
gathered = np.empty((size, 2))
comm.Allgather(np.full(2, float(rank)), gathered)
assert (gathered[:, 0] == range(size)).all()
persistent = [comm.Recv_init(total, before, 6), comm.Send_init(np.full(3, 7.0), after, 6)]
MPI.Prequest.Startall(persistent)
MPI.Request.Waitall(persistent)
assert (total == 7).all()
comm.barrier()
print("good")
