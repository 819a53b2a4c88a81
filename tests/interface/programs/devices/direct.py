"""A library that knows devices gets their memory, and nothing is copied; the stand-in's memory is the host's then."""

from collections.abc import Callable
from typing import Any

import numpy as np
import stand_in_device as device
from prelude import c, other, rank, same

import polympi as mpi
from polympi import devices


class Library(devices.Library):
    """The stand-in, which says how to wait for its stream."""

    def settle(self, array: Any) -> bool:
        device.synchronise()
        return True


def later(values: np.ndarray[Any, Any]) -> device.Array:
    array = device.empty(values.shape, values.dtype)
    array[...] = device.asarray(values)
    return array


def check(call: Callable[[], Any], into: device.Array, expected: np.ndarray[Any, Any], *copies: int) -> None:
    device.counts.reset()
    assert call() is into
    assert (device.counts.to_host, device.counts.to_device) == copies
    assert same(into.host(), expected)


knows, devices.mpi_knows = devices.mpi_knows, lambda device: device == devices.CUDA
devices.LIBRARIES["stand_in_device"] = ("stand_in_device", Library)
device.protecting = False
try:
    shape = (100, 50)
    mine, theirs = np.arange(5000.0).reshape(shape) + rank, np.arange(5000.0).reshape(shape) + other
    array, into = later(mine), later(np.zeros(shape))
    check(lambda: c.sendrecv(array, other, source=other, into=into), into, theirs, 0, 0)
    request = c.irecv(other, 7, into=into)
    array = later(mine)
    c.isend({"inside": 1}, other, 3)
    c.isend(array, other, 7).wait()
    assert c.recv(other, 3) == {"inside": 1}
    check(request.wait, into, theirs, 0, 0)
    if rank == 0:
        c.send([array, 1], 1)
        c.ssend(array, 1)
        c.send(array[:, 1:3], 1)  # strided: copied
    else:
        assert same(c.recv(0)[0].host(), theirs)
        assert same(c.recv(0).host(), theirs)
        assert same(c.recv(0).host(), theirs[:, 1:3].copy())
    whole = later(np.zeros(6000))
    check(lambda: c.sendrecv(array, other, source=other, into=whole[:5000]) and whole, whole,
          np.concatenate([theirs.reshape(-1), np.zeros(1000)]), 0, 0)  # fmt: skip
    # what overlaps is copied, and the old content is sent
    check(lambda: c.sendrecv(array, other, source=other, into=array), array, theirs, 1, 0)
    small = later(np.arange(3.0))
    target = later(np.zeros(3))
    check(lambda: c.sendrecv(small, other, source=other, into=target), target, np.arange(3.0), 1, 1)
    c.send(later(mine), rank)  # a copy, since nobody waits for it
    assert same(c.recv(rank).host(), mine)
    mpi.buffer_attach(100_000)
    c.bsend(later(mine), other)
    assert same(c.recv(other).host(), theirs)
    mpi.buffer_detach()
    assert same(c.allreduce(later(mine)).host(), mine + theirs)

    raw = c.raw
    array = later(mine)
    check(lambda: raw.sendrecv(array, other, source=other, into=into), into, theirs, 0, 0)
    check(lambda: raw.allreduce(array, into=into), into, mine + theirs, 0, 0)
    check(lambda: raw.sendrecv(array, other, source=other, into=array), array, theirs, 1, 0)
finally:
    devices.mpi_knows = knows
    del devices.LIBRARIES["stand_in_device"]
    device.protecting = True
