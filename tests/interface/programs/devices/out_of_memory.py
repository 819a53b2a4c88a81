"""A copy that fails is the exception of its rank; the message is lost, and nobody hangs."""

import contextlib
from collections.abc import Iterator

import numpy as np
import stand_in_device as device
from prelude import c, other, raises, rank

import polympi as mpi


@contextlib.contextmanager
def failing(*copies: str) -> Iterator[None]:
    device.failing.update(copies)
    try:
        yield
    finally:
        device.failing.clear()


for shape in [(3,), (100_000,)]:
    array, into = device.asarray(np.ones(shape)), device.asarray(np.zeros(shape))

    # nothing is sent
    if rank == 0:
        with failing("to_host"):
            for send in (c.send, c.ssend, c.isend, lambda value, dest: c.send([1, {"a": value}], dest)):
                with raises(device.OutOfMemoryError, "no memory for a copy on the host"):
                    send(array, 1)
    c.barrier()
    assert c.iprobe() is None
    c.barrier()

    # it arrives, and is lost
    for target in (None, into):
        if rank == 0:
            for _ in range(3):
                c.ssend(array, 1, 5, timeout=60)
            c.send("after", 1, 5)
        else:
            with failing("to_device"):
                for _ in range(2):
                    with raises(device.OutOfMemoryError, "no memory for a copy on the device"):
                        c.recv(0, 5, into=target, timeout=60)
                request = c.irecv(0, 5, into=target)
                with raises(device.OutOfMemoryError):
                    request.wait(timeout=60)
            assert c.recv(0, 5) == "after"
            assert not into.host().any()

    # in collectives, too
    d = c.dup()
    for call in (d.bcast, d.allgather, d.allreduce, lambda value: d.alltoall([value, value])):
        with failing(*["to_host"] * (rank == 0)), raises(device.OutOfMemoryError if rank == 0 else mpi.Error):
            call(array)
        if rank == 1:
            with failing("to_device"), raises(device.OutOfMemoryError):
                call(array)
        else:
            call(array)
    d.free()

# what doesn't fit is refused on the host, and the next message isn't affected
for count in (5, 50_000):
    if rank == 0:
        for _ in range(2):
            c.send(device.asarray(np.arange(float(count))), 1)
        c.send("after", 1)
    else:
        device.counts.reset()
        with raises(mpi.MismatchError, "float64 elements of shape", "float32"):
            c.recv(0, into=device.empty((count,), "f4"))
        with raises(mpi.TruncationError):
            c.recv(0, into=device.empty((count - 1,), "f8"))
        assert c.recv(0) == "after"
        assert device.counts.to_device == 0

with raises(mpi.MismatchError, "it is on a device"), c.plan() as plan:
    plan.send(array, other)
