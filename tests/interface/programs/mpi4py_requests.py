"""Requests and matched messages of objects, alone and among those of mpi4py."""

import gc

import numpy as np
from mpi4py_ring import MPI, after, before, comm, error_class, rank

Request = MPI.Request

# One.
comm.barrier()
request = comm.irecv(1 << 16, before, 3)
assert isinstance(request, Request) and request and request != MPI.REQUEST_NULL and request in [request]
assert request.test() == (False, None) and not request.Test() and not request.get_status()
comm.barrier()
comm.send({"large": np.arange(10**6)}, after, 3)  # larger than any size that was given
while not request.get_status():
    pass
status = MPI.Status()
assert request.get_status(status) and (status.source, status.tag) == (before, 3)
done, value = request.test(status)
assert done and value["large"][-1] == 10**6 - 1 and not request and request == MPI.REQUEST_NULL
assert request.test() == (True, None) and request.wait() is None and request.Wait() is True

# Given up.
request = comm.irecv(source=before, tag=4)
request.cancel()
assert request.wait(status) is None and status.Is_cancelled() and not request
request = comm.irecv(source=before, tag=4)
request.Free()
assert not request
comm.irecv(source=before, tag=4)  # dropped
gc.collect()
comm.barrier()
comm.send("not lost", after, 4)
assert comm.recv(source=before, tag=4) == "not lost"


def ours(tag):
    """Two requests of objects."""
    return [comm.irecv(source=before, tag=tag), comm.isend([rank, tag], after, tag)]


def theirs(tag):
    """Two requests of arrays, one of them in a form that is mpi4py's own."""
    return [comm.Irecv(arrived, before, tag), comm.Isend([np.full(2, float(rank)), MPI.DOUBLE], after, tag)]


arrived = np.zeros(2)
for make in (ours, lambda tag: [*ours(tag), *theirs(100 + tag)], lambda tag: theirs(100 + tag)):
    requests = make(1)
    count = len(requests)
    statuses = []
    values = Request.waitall(requests, statuses)
    assert len(values) == len(statuses) == count and not any(requests)
    assert values[0] in ([before, 1], None)
    assert statuses[0].source == before

    requests = make(2)
    assert Request.Waitall(requests) is True and not any(requests)
    requests = make(3)
    while True:
        done, values = Request.testall(requests)
        if done:
            break
        assert values is None
    assert len(values) == count and Request.Testall(requests)
    requests = make(4)
    seen = set()
    for _ in range(count):
        index, value = Request.waitany(requests, status)
        seen.add(index)
        assert not requests[index]
    assert seen == set(range(count))
    assert Request.waitany(requests) == (MPI.UNDEFINED, None)
    assert Request.testany(requests) == (MPI.UNDEFINED, True, None) and Request.Waitany(requests) == MPI.UNDEFINED
    requests = make(5)
    seen = []
    while len(seen) < count:
        indices, values = Request.waitsome(requests)
        assert indices and len(indices) == len(values)
        seen += indices
    assert sorted(seen) == list(range(count)) and Request.testsome(requests) == (None, None)
    comm.Barrier()

# Matched messages.
sent = comm.isend(np.arange(5), after, 7)
message = comm.mprobe(before, 7, status)
assert isinstance(message, MPI.Message) and message and message != MPI.MESSAGE_NULL and status.tag == 7
assert (message.recv(status) == np.arange(5)).all() and not message and status.source == before
sent.wait()
assert comm.improbe(before, 8) is None
comm.barrier()
sent = comm.isend("matched", after, 8)
message = None
while message is None:
    message = MPI.Message.iprobe(comm, before, 8)
request = message.irecv()
assert not message and request.wait() == "matched"
sent.wait()
sent = comm.isend("once more", after, 9)
message = MPI.Message.probe(comm, MPI.ANY_SOURCE, 9)
assert error_class(lambda: message.Recv(bytearray(100))) == MPI.ERR_REQUEST
assert message.recv() == "once more"
sent.wait()
assert comm.mprobe(MPI.PROC_NULL) == MPI.MESSAGE_NO_PROC

# Very many.
requests = [comm.isend(i, after, 1) for i in range(2000)] + [comm.irecv(source=before, tag=1) for _ in range(2000)]
assert Request.waitall(requests) == [None] * 2000 + list(range(2000))
comm.barrier()
print("good")
