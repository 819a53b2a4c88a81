"""Arrays on a device through every call, each copied once from the device and once to it.

What a library's stream still has to do when a call begins must be done before the elements are read.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import stand_in_device as device
from prelude import c, other, rank, same, size

import polympi as mpi


def given(shape: tuple[int, ...] = (4, 3), dtype: str = "f8", of: int = rank) -> np.ndarray[Any, Any]:
    return (np.arange(np.prod(shape)) + 10 * of).reshape(shape).astype(dtype)


def later(values: np.ndarray[Any, Any]) -> device.Array:
    """An array whose elements are there only when its stream is synchronised."""
    array = device.empty(values.shape, values.dtype)
    array[...] = device.asarray(values)
    return array


def check(name: str, call: Callable[[], Any], expected: Any, to_host: int, to_device: int) -> None:
    device.counts.reset()
    result = call()
    counts = (device.counts.to_host, device.counts.to_device)
    assert counts == (to_host, to_device), f"{name}: {counts}"
    assert same(on_host(result), expected), f"{name}: {on_host(result)} instead of {expected}"


def on_host(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(map(on_host, result))
    if isinstance(result, dict):
        return {key: on_host(value) for key, value in result.items()}
    assert not isinstance(result, np.ndarray), "it arrived on the host"
    return result.host() if isinstance(result, device.Array) else result


mine, theirs = given(), given(of=other)
TYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]
for dtype in TYPES:
    for shape in [(), (0,), (3, 0), (5,), (4, 3), (40, 30)]:
        value = later(given(shape, dtype))
        expected = given(shape, dtype, other)
        check(f"{dtype} {shape}", lambda value=value: c.sendrecv(value, other, source=other), expected, 1, 1)
whole = given((40, 60))
for view in (np.s_[:, 3], np.s_[::2, ::-3], np.s_[5:], np.s_[5:5]):
    array = later(whole)[view]
    expected = given((40, 60), of=other)[view]
    check(f"{view}", lambda array=array: c.sendrecv(array, other, source=other), expected.copy(), 1, 1)
inside = {"a": [later(mine), 1], "b": (later(mine), "text")}
check("inside", lambda: c.sendrecv(inside, other, source=other), {"a": [theirs, 1], "b": (theirs, "text")}, 2, 2)

array = later(mine)
twice = c.sendrecv([array, array], other, source=other)
assert twice[0] is twice[1]

total, half = given(of=0) + given(of=1), slice(2 * rank, 2 * rank + 2)
both = [given(of=0), given(of=1)]
sums = [given(of=0), total]
pieces = [given(of=one)[half].copy() for one in range(size)]
COLLECTIVES: dict[str, tuple[Callable[[], Any], Any, int, int]] = {
    "bcast": (lambda: c.bcast(array if rank == 0 else None), both[0], 1 - rank, rank),
    "ibcast": (lambda: c.ibcast(array if rank == 0 else None).wait(), both[0], 1 - rank, rank),
    "scatter": (lambda: c.scatter(array if rank == 0 else None), both[0][half].copy(), 2 * (1 - rank), 1),
    "gather": (lambda: c.gather(array), both if rank == 0 else None, 1, 2 * (1 - rank)),
    "allgather": (lambda: c.allgather(array), both, 2, 2),  # also of the rank's own, which is copied
    "iallgather": (lambda: c.iallgather(array).wait(), both, 2, 2),
    "alltoall": (lambda: c.alltoall(array), pieces, 2, 2),
    "reduce": (lambda: c.reduce(array), total if rank == 0 else None, 1, 1 - rank),
    "allreduce": (lambda: c.allreduce(array), total, 1, 1),
    "iallreduce": (lambda: c.iallreduce(array).wait(), total, 1, 1),
    "maximum": (lambda: c.allreduce(array, mpi.MAX), both[1], 1, 1),
    "scan": (lambda: c.scan(array), sums[rank], 1, 1),
    "exscan": (lambda: c.exscan(array), None if rank == 0 else both[0], 1, rank),
    "reduce_scatter": (lambda: c.reduce_scatter(array), total[half].copy(), 1, 1),
}
for name, (call, expected, to_host, to_device) in COLLECTIVES.items():
    array = later(mine)
    check(name, call, expected, to_host, to_device)

large = later(given((300, 100)))
expected = given((300, 100), of=0) + given((300, 100), of=1)
check("large", lambda: c.allreduce(large), expected, 1, 1)
check("large, in place", lambda: c.allreduce(large, into=large), expected, 1, 1)
check("large broadcast", lambda: c.bcast(large if rank == 0 else None), expected, 1 - rank, rank)

# into=
for shape in [(4, 3), (300, 100)]:
    array, into = later(given(shape)), later(np.zeros(shape))
    expected = given(shape, of=other)
    check("into", lambda: c.sendrecv(array, other, source=other, into=into), expected, 1, 1)
    request = c.irecv(other, into=into)
    c.isend(array, other).wait()
    check("irecv", request.wait, expected, 0, 1)
    check("its own memory", lambda: c.sendrecv(array, other, source=other, into=array), expected, 1, 1)
    check("from the host", lambda: c.sendrecv(given(shape), other, source=other, into=into), expected, 0, 1)
    strided = later(np.zeros((2 * shape[0], 2 * shape[1])))
    target = strided[::2, ::-2]
    check("strided", lambda: c.sendrecv(given(shape), other, source=other, into=target), expected, 0, 1)
    assert not strided.host()[1::2].any()
    host = np.zeros(shape)
    c.sendrecv(later(given(shape)), other, source=other, into=host)
    assert same(host, expected)
longer = later(np.full(20, -1.0))
_, status = c.sendrecv(later(given((7,))), other, source=other, into=longer, status=True)
assert status.elements == 7
assert same(longer.host(), np.concatenate([given((7,), of=other), np.full(13, -1.0)]))
for gathered in (c.allgather, c.iallgather):
    room = later(np.full((12, 3), -1.0))
    result = gathered(mine, into=room)
    assert (result if gathered == c.allgather else result.wait()) is room
    assert same(room.host(), np.concatenate([*both, np.full((4, 3), -1.0)]))
for shape in [(4, 3), (300, 100)]:
    room = later(np.zeros(shape))
    assert same(c.bcast(given(shape, of=0) if rank == 0 else None, into=room).host(), given(shape, of=0))
    assert same(c.scatter([given(shape)] * 2 if rank == 0 else None, into=room).host(), given(shape, of=0))
    room = later(np.zeros((size * shape[0], *shape[1:])))
    expected = np.concatenate([given(shape, of=one) for one in range(size)])
    assert same(c.allgather(later(given(shape)), into=room).host(), expected)
    c.barrier()
