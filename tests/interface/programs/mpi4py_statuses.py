"""The statuses of mpi4py's calls, accelerated or (with the argument `plain`) by mpi4py itself: the same is printed."""

import sys

import numpy as np

if "plain" in sys.argv:
    from mpi4py import MPI
else:
    from polympi.mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
after, before = (rank + 1) % size, (rank - 1) % size
Request = MPI.Request
sent, arrived = np.arange(3.0), np.zeros(3)


def marked():
    """A status with values that no call gives."""
    status = MPI.Status()
    status.source, status.tag, status.error = 77, 78, 79
    return status


def show(name, *statuses):
    """What they say, as seen from each rank alike."""
    told = [(s.source - before, s.tag, s.error, s.Is_cancelled()) for s in statuses]
    if rank == 0:
        print(name, *told)


def deep(depth):
    """Leave something on the stack."""
    return 0 if depth == 0 else 1 + deep(depth - 1)


def one(name, call, send):
    """A call for one message, with a status that is new and one that has an error."""
    for status in (MPI.Status(), marked()):
        deep(100)
        request = send()
        call(status)
        request.wait()
        show(name, status)
        comm.Barrier()


def received(status, found):
    """Receive what a probe has found, which must not change the status again."""
    comm.Recv(arrived, before, 5)
    return found


def send():
    return comm.Isend(sent, after, 5)


def send_object():
    return comm.isend({"rank": rank}, after, 5)


# ---- one message ----

one("Recv", lambda s: comm.Recv(arrived, before, 5, s), send)
one("Recv, any", lambda s: comm.Recv(arrived, status=s), send)
one("Recv of a list", lambda s: comm.Recv([arrived, MPI.DOUBLE], before, 5, s), send)
one("Probe", lambda s: received(s, comm.Probe(before, 5, s)), send)
one("Wait", lambda s: comm.Irecv(arrived, before, 5).Wait(s), send)
one("Sendrecv", lambda s: comm.Sendrecv(sent, after, 6, arrived, before, 6, s), lambda: MPI.REQUEST_NULL)
one("recv", lambda s: comm.recv(None, before, 5, s), send_object)
one("probe", lambda s: (comm.probe(before, 5, s), comm.recv(None, before, 5)), send_object)
one("mprobe", lambda s: comm.mprobe(before, 5, s).recv(), send_object)
one("recv of a message", lambda s: comm.mprobe(before, 5).recv(s), send_object)
one("wait", lambda s: comm.irecv(None, before, 5).wait(s), send_object)
one("sendrecv", lambda s: comm.sendrecv(1, after, 6, None, before, 6, s), lambda: MPI.REQUEST_NULL)
for name in ("Iprobe", "iprobe", "improbe"):
    status = marked()
    assert not getattr(comm, name)(before, 99, status)
    show(name, status)
for receive in (lambda: comm.Irecv(arrived, before, 99), lambda: comm.irecv(None, before, 99)):
    request, status = receive(), marked()
    assert not request.Test(status) and not request.Get_status(status)
    show("not yet", status)
    request.Cancel()
    request.Wait(status)
    assert status.Is_cancelled() and status.error == 79
    status = marked()  # of what was waited for
    assert request.Test(status) and request.wait(status) is None
    show("null", status)

# ---- several ----


def makers():
    """Requests of arrays, of objects, and of both; receives first, since those of sends say nothing."""
    yield lambda: [comm.Irecv(arrived, before, 1), comm.Isend(sent, after, 1)]
    yield lambda: [comm.irecv(None, before, 2), comm.isend("x", after, 2)]
    yield lambda: [comm.Irecv(arrived, before, 1), comm.irecv(None, before, 2), send_both()]


def send_both():
    comm.Isend(sent, after, 1)
    return comm.isend("x", after, 2)


class Sequence:
    """Any sequence will do."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


for make in makers():
    for name in ("waitall", "Waitall", "testall", "Testall", "waitsome", "Waitsome"):
        for number, kind in ((0, list), (1, list), (9, list), (1, tuple), (9, tuple), (9, Sequence)):
            requests = make()
            while not all(request.Get_status() for request in requests):
                pass
            given = [marked() for _ in range(number)]
            statuses = kind(given)
            getattr(Request, name)(kind(requests) if kind is Sequence else requests, statuses)
            assert not any(requests)
            assert all(a is b for a, b in zip(given, statuses, strict=False))
            first = statuses[0]
            receives = sum(not s.error for s in statuses)
            show(f"{name} {kind.__name__} of {number}: {len(statuses)}, {receives} filled", first)
            assert all(s.error == 79 for s in given[len(requests) :])
    for name in ("waitany", "Waitany"):
        requests, status = make(), marked()
        getattr(Request, name)([requests[0]], status)
        show(name, status)
        Request.waitall(requests=requests)
    requests = make()
    for wrong in (3, [None] * 3, MPI.Status(), iter([MPI.Status()])):
        try:
            Request.Waitall(requests, wrong)
        except TypeError as error:
            if rank == 0:
                print(type(error).__name__, str(error))
        else:
            raise AssertionError(wrong)
    Request.waitall(requests, None)
    comm.Barrier()

# ---- the library finds something wrong with one of several ----

comm.Set_errhandler(MPI.ERRORS_RETURN)
for more in ((), (lambda: comm.irecv(None, before, 2), lambda: comm.isend("x", after, 2))):
    requests = [comm.Irecv(arrived[:1], before, 1), comm.Isend(sent, after, 1), *(make() for make in more)]
    statuses = [marked() for _ in requests]
    try:
        Request.waitall(requests, statuses)
    except MPI.Exception as error:
        assert error.Get_error_class() == MPI.ERR_IN_STATUS
    else:
        raise AssertionError("no error")
    classes = [MPI.Get_error_class(status.error) for status in statuses]
    assert classes[0] == MPI.ERR_TRUNCATE and set(classes[1:]) <= {MPI.SUCCESS, MPI.ERR_PENDING}, classes
    Request.waitall([request for request in requests if request])  # else their messages come to memory that is gone
print("good")
