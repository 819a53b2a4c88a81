"""Raw calls with arrays on a device: copied, also where a collective writes only some of the elements."""

import numpy as np
import stand_in_device as device
from prelude import c, other, raises, rank, same

import polympi as mpi


def later(values: object) -> device.Array:
    values = np.asarray(values)
    array = device.empty(values.shape, values.dtype)
    array[...] = device.asarray(values)
    return array


raw = c.raw
for shape in [(3, 4), (300, 100)]:
    mine = np.arange(float(np.prod(shape))).reshape(shape) + rank
    theirs = mine + other - rank
    into = later(np.zeros(shape))
    device.counts.reset()
    assert raw.sendrecv(later(mine), other, source=other, into=into) is into
    assert same(into.host(), theirs)
    request = raw.irecv(into, other)
    raw.send(later(mine)[:, ::-1], other)
    assert request.wait() is into
    assert same(into.host(), theirs[:, ::-1].copy())
    if rank == 0:
        raw.send(mine, 1)
        raw.isend(later(mine), 1).wait()
    else:
        raw.recv(into[:, ::-1], 0)
        assert same(into.host(), theirs[:, ::-1].copy())
        raw.recv(into, 0)
    raw.bcast(into, root=1)
    assert same(into.host(), mine - rank)
    assert same(raw.allreduce(later(mine), into).host(), mine + theirs)

room = later(np.full(6, -1.0))
raw.allgatherv(later(np.full(2, float(rank))), room, counts=[2, 2])
assert room.host().tolist() == [0, 0, 1, 1, -1, -1]
longer = later(np.full(5, -1.0))
_, status = raw.sendrecv(later(np.arange(3.0)), other, source=other, into=longer, status=True)
assert status.elements == 3
assert longer.host().tolist() == [0, 1, 2, -1, -1]
raw.barrier()
if rank == 0:
    raw.send(later(np.zeros(6)), 1)
else:
    with raises(mpi.TruncationError, "the message is longer than the 5 elements"):
        raw.recv(longer, 0)
