"""Copies of requests and messages: of objects as of arrays."""

import copy
import gc
import pickle
import weakref

import numpy as np
from mpi4py_ring import MPI, after, before, comm, rank, refuses

Request, Message = MPI.Request, MPI.Message


class OwnRequest(Request):
    """A class of a program, which may have attributes."""


class OwnMessage(Message):
    """Likewise."""


def same(original, twin):
    """What is true of the two while neither is complete."""
    assert original == twin and twin == original and not original != twin and original in [twin]  # noqa: SIM202
    assert original and twin and isinstance(twin, type(original))
    null = type(original)()
    assert original != null and null != original and not null == original and null == type(original)()  # noqa: SIM201
    assert original != 3 and not original == 3  # noqa: SIM201
    refuses(lambda: hash(original), TypeError, "unhashable")
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        refuses(lambda: call(original), ValueError, "cannot serialize 'mpi4py.MPI.")


# ---- requests of objects ----

for make in (Request, OwnRequest, lambda r: Request.__new__(Request, r), lambda r: Request(request=r), MPI.Prequest):
    for finish in (
        lambda r: r.wait(),
        lambda r: Request.waitall([r])[0],
        lambda r: Request.waitall(requests=(r,))[0],
        lambda r: Request.waitall([r], [])[0],
        lambda r: Request.waitany([r])[1],
        lambda r: Request.waitsome([r])[1][0],
    ):
        request = comm.irecv(None, before, 1)
        assert type(request) is Request
        twin = make(request)
        same(request, twin)
        other = comm.irecv(None, before, 9)
        assert other != request and other != twin  # noqa: PLR1714  (they have no hash)
        other.Free()
        assert not other and other.test() == (True, None)
        sent = comm.isend([rank], after, 1)
        assert finish(twin) == [before]
        assert not twin and twin == MPI.REQUEST_NULL and twin != request and request
        assert Request.testall([request]) == (True, [[before]]) and not request  # never None without a word
        sent.wait()
sent, request = comm.isend("twice", after, 1), comm.irecv(None, before, 1)
assert Request.waitall([request, request]) == ["twice", "twice"] and not request
sent.wait()

# A copy of a send, and each after the other.
request = comm.isend(np.arange(10**5), after, 2)
twin = Request(request)
del request
gc.collect()
assert (comm.recv(None, before, 2) == np.arange(10**5)).all() and twin.wait() is None

# Given up through a copy, and freed: the other one knows, or goes on.
request = comm.irecv(None, before, 30)
twin, status = Request(request), MPI.Status()
twin.Cancel()
assert request.wait(status) is None and status.Is_cancelled() and not request
assert twin.test(status) == (True, None) and status.Is_cancelled()
request = comm.irecv(None, before, 3)
twin = OwnRequest(request)
twin.free()
assert not twin and request
sent = comm.isend("goes on", after, 3)
assert request.wait() == "goes on"
sent.wait()
for done in (request, twin):
    refuses(done.Free, MPI.Exception)  # REQUEST_NULL, as with mpi4py
    done.free()
refuses(lambda: comm.irecv(None, before, 99).wait(3), TypeError, "status")

# ---- requests of arrays ----


class Noticed(np.ndarray):
    """Subclasses are mpi4py's own."""


for cls in (np.ndarray, Noticed):
    array = np.zeros(4).view(cls)
    request = comm.Irecv(array, before, 4)
    assert type(request) is Request
    twin, watched = Request(request), weakref.ref(array)
    same(request, twin)
    del array, request
    gc.collect()
    assert watched() is not None  # MPI writes to it
    sent = comm.Isend(np.ones(4), after, 4)
    assert twin.Wait() is True and not twin
    sent.Wait()
    gc.collect()
    assert watched() is None
array, sent = np.zeros(4), comm.Isend(np.ones(4), after, 4)
request = comm.Irecv(array, before, 4)
assert Request.waitall([OwnRequest(request), sent]) == [None, None] and array.all()

# ---- messages ----

for make in (Message, OwnMessage, lambda m: Message.__new__(Message, m), lambda m: Message(message=m)):
    for receive in (lambda m: m.recv(), lambda m: m.irecv().wait(), lambda m: m.recv(status)):
        sent, message = comm.isend([rank], after, 5), comm.mprobe(before, 5)
        assert type(message) is Message
        twin = make(message)
        same(message, twin)
        for call in (twin.Recv, twin.Irecv):
            error = refuses(lambda: call(bytearray(9)), MPI.Exception)
            assert error.Get_error_class() == MPI.ERR_REQUEST and "recv or irecv" in str(error.__cause__)
        refuses(lambda: twin.recv(3), TypeError, "status")
        assert receive(twin) == [before] and not twin and twin == MPI.MESSAGE_NULL and message
        assert message.recv() == [before] and not message
        sent.wait()
print("good")
