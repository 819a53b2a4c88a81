"""Messages of objects between ranks, by mpi4py's methods on polympi's core."""

import pickle
import warnings

import numpy as np
from mpi4py_ring import MPI, after, before, comm, error_class, rank, refuses, size

from polympi.native import core

assert core.mpi4py_is_attached(comm)

# The classes are mpi4py's.
assert type(comm) is MPI.Intracomm and isinstance(comm, MPI.Comm)
assert pickle.loads(pickle.dumps(comm)) is comm
assert comm.send.__doc__

grid = np.arange(30.0).reshape(5, 6)
values = [None, True, 7, 10**30, 2.5, 1j, "text", b"bytes", (1, [2, {"a": 3}]), {4}, np.float32(1), grid, grid[:, 2]]
values += [np.array("2020", "M8[D]"), np.zeros((0, 3)), np.full(100_000, 1.5), list(range(10_000)), range(3)]
status = MPI.Status()
for tag, value in enumerate(values):
    for send in (comm.isend, comm.issend, comm.ibsend):
        request = send(value, after, tag)
        got = comm.recv(source=before, tag=tag, status=status)
        assert request and request.wait() is None and not request
        assert type(got) is type(value)
        assert np.array_equal(got, value) if isinstance(value, np.ndarray) else got == value
        assert (status.source, status.tag, status.error) == (before, tag, MPI.SUCCESS)
        assert not status.Is_cancelled() and status.Get_count(MPI.BYTE) >= 0
    got = comm.sendrecv(value, after, tag, None, before, tag, status)
    assert np.array_equal(got, value) if isinstance(value, np.ndarray) else got == value
    assert (status.Get_source(), status.Get_tag()) == (before, tag)
comm.sendrecv(np.zeros(5), after, source=before, status=status)
assert status.Get_count(MPI.BYTE) == status.Get_elements(MPI.BYTE) == 40

# To and from nobody, any rank, any tag; keywords; integers of NumPy.
comm.send(1, MPI.PROC_NULL)
assert comm.recv(source=MPI.PROC_NULL, status=status) is None and status.source == MPI.PROC_NULL
assert comm.sendrecv(1, MPI.PROC_NULL, source=MPI.PROC_NULL) is None
request = comm.irecv(source=before)
assert comm.sendrecv(rank, after, 3, source=MPI.PROC_NULL) is None
assert request.wait() == before
request = comm.isend(obj="x", dest=np.int64(after), tag=np.int32(5))
assert comm.recv(source=np.int64(before), tag=5) == "x"
request.Wait()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    request = comm.isend(1, after)
    assert comm.recv(bytearray(100), before) == 1
    request.wait()
assert caught[0].category is UserWarning

# Wrong arguments raise what mpi4py raises, and nothing is sent.
assert error_class(lambda: comm.send(1, size)) == MPI.ERR_RANK
assert error_class(lambda: comm.recv(source=size + 3)) == MPI.ERR_RANK
assert error_class(lambda: comm.isend(1, -77)) == MPI.ERR_RANK
assert error_class(lambda: comm.send(1, after, -5)) == MPI.ERR_TAG
calls = [lambda: comm.send(1), lambda: comm.send(1, "0"), lambda: comm.recv(status=3), lambda: comm.send(1, 0, x=1)]
for call in calls:
    refuses(call, TypeError)
assert not comm.iprobe()
comm.barrier()

# Probes of both kinds find messages of both kinds, which keep their order.
request = comm.isend([rank] * 3, after, 8)
buffered = comm.Isend([np.full(2, rank), MPI.LONG], after, 9)
assert comm.probe(before, status=status) is True and (status.source, status.tag) == (before, 8)
assert comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG, status) is True and status.tag == 8
assert comm.recv(source=status.source, tag=status.tag) == [before] * 3
while not comm.Iprobe(status=status):
    pass
assert comm.iprobe() is True and status.tag == 9 and status.Get_count(MPI.LONG) == 2
mine = np.empty(2, int)
comm.Recv(mine, before, 9)
buffered.Wait()
assert (mine == before).all()
request.wait()
assert comm.iprobe() is False and comm.Iprobe() is False
comm.barrier()

# A program may pickle by itself.
request = comm.Isend([pickle.dumps({"by": "hand"}), MPI.BYTE], after)
assert comm.recv(source=before) == {"by": "hand"}
request.Wait()

# The same communicator as another object, and a class of the program's own.
again = MPI.Comm.f2py(comm.py2f())
assert again == comm
request = MPI.Intracomm(comm).isend(np.ones(3), after)
assert (again.recv(source=before) == 1).all()
request.wait()


class Mine(MPI.Intracomm):
    """Counts what it sends."""

    sent = 0

    def send(self, obj, dest, tag=0):
        """Count, and send."""
        self.sent += 1
        super().send(obj, dest, tag)


mine = Mine(comm)
assert isinstance(mine, MPI.Comm)
mine.send("counted", rank)
assert mine.recv(source=rank) == "counted" and mine.sent == 1 and mine.rank == rank

# An object that cannot be pickled is refused, and the next message is not affected.
refuses(lambda: comm.send(lambda: 0, after), (pickle.PicklingError, AttributeError, TypeError))
assert comm.sendrecv(1, after, source=before) == 1
comm.barrier()
print("good")
