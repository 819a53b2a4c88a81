"""Objects of every kind go from one rank to the other and arrive as they are; two ranks.

Rank 0 sends; rank 1 makes the same object by itself and compares.
"""

import array
import ctypes
import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import values
from tensors import OldTensor, PickledTensor, Tensor
from values import Cell, Grid, Maker, Point, Slotted, same

import polympi as mpi

world = mpi.world
rank = world.rank
RECEIVES: list[Callable[[], Any]] = [
    lambda: world.recv(0, 1),
    lambda: world.irecv(0, 1).wait(),
    lambda: world.sendrecv(None, mpi.PROC_NULL, 0, 0, 1),
]


def passes(value: Any, what: object = "", expected: Any = None) -> None:
    """Send the value by itself and nested; what arrives must be the same."""
    expected = value if expected is None else expected
    for number, receive in enumerate(RECEIVES):
        wrapped, unwrap = [
            (value, lambda got: got),
            ([value], lambda got: got[0]),
            (Cell("wrapped", {"x": value}), lambda got: got.content["x"]),
        ][number]
        if rank == 0:
            world.send(wrapped, 1, 1)
            continue
        got = unwrap(receive())
        assert same(got, expected), f"{what}: {got!r} came instead of {expected!r}"
        if isinstance(got, np.ndarray):
            assert got.flags.aligned, (what, got.flags)
            assert got.flags.writeable, (what, got.flags)
            assert got.flags.owndata or type(got) is Grid, (what, got.flags)  # which pickles as it likes


def in_c_order_unless_fortran(value: Any) -> Any:
    """What a view arrives as: elements in C order, or in Fortran's if that is how they lie."""
    return np.asfortranarray(value) if value.flags.fnc else np.array(value, order="C", subok=True)


def sizes_about_all_thresholds() -> None:
    around = [*range(18), 4095, 4096, 4097, *range(8100, 8230), 65_535, 65_536, 65_537, 3_000_007]
    for nbytes in around:
        for value in (b"x" * nbytes, bytearray(b"y" * nbytes), "z" * nbytes, np.ones(nbytes, "u1")):
            if rank == 0:
                world.send(value, 1)
            else:
                got = world.recv(0)
                assert same(got, value), nbytes
    for filler in (b"-" * 4000, [b"-" * 4000, np.arange(1000)], [np.arange(3000), "x" * 4000]):
        # The stream grows byte by byte over what one message holds, with data outside it and without.
        for nbytes in [*range(3900, 4300), 20_000]:
            value = [filler, b"x" * (nbytes // 2), b"y" * (nbytes - nbytes // 2)]
            if rank == 0:
                world.send(value, 1)
            else:
                assert same(world.recv(0), value), nbytes


def arrays_of_every_type_and_layout() -> None:
    chance = Maker(1).chance
    for dtype in values.DTYPES:
        for shape in ((2, 3, 4), (20, 30, 7)):
            filled = values.filled(np.dtype(dtype), shape, chance)
            read_only = filled.copy()
            read_only.flags.writeable = False
            layouts = [
                *(filled, np.asfortranarray(filled), filled.transpose(1, 0, 2), filled[::-1], filled[..., ::2]),
                *(filled[:, 0], filled[::-1, ::-1, ::-1], np.broadcast_to(filled, (2, *shape)), filled[0, 0, 0, ...]),
                *(filled[:0], filled.reshape(-1), read_only, filled[:1, :1], filled[:, 1:-1, 1:-1]),
            ]
            if not filled.dtype.hasobject:
                layouts.append(np.frombuffer(b"x" + filled.tobytes(), dtype, offset=1).reshape(shape))  # not aligned
            for number, layout in enumerate(layouts):
                passes(layout, (dtype, shape, number), in_c_order_unless_fortran(layout))


def scalars_of_every_type() -> None:
    for dtype in values.DTYPES[:-1]:
        passes(values.filled(np.dtype(dtype), (1,), Maker(2).chance)[0], dtype)


def arrays_of_other_classes() -> None:
    for size in (4, 5000):
        masked = np.ma.masked_array(np.arange(size), np.arange(size) % 2)
        grid = np.arange(float(size)).view(Grid)
        grid.spacing = 0.5
        records = np.rec.fromarrays([np.arange(size), np.arange(size) / 2], names="a,b")
        for value in (grid, records, np.ones((1, size)).view(np.matrix), np.array(["text", None] * size, "O")):
            passes(value)
        if rank == 0:
            world.send(masked, 1)
        else:
            got = world.recv(0)
            assert type(got) is np.ma.MaskedArray
            assert same(got.filled(-1), masked.filled(-1))


def memory_of_every_kind() -> None:
    passes(values.Triple(1, 2, 3))
    for count in (0, 3, 5000):
        for code in values.CODES:
            passes(array.array(code, [1] * count))
        floats = np.arange(float(count))
        views = [memoryview(bytes(count)), memoryview(bytearray(count)), memoryview(floats), memoryview(floats[::-1])]
        for view in views:
            passes(view)
        unnamed = (ctypes.c_double * count)(*range(count))  # pickle does not find its type, so its memory is sent
        if rank == 0:
            world.send(unnamed, 1)
        else:
            assert same(world.recv(0), memoryview(unnamed))
        for tensor in (Tensor(floats), OldTensor(floats), PickledTensor(floats)):
            if rank == 0:
                world.send(tensor, 1)
            else:
                got = world.recv(0)
                assert type(got) is type(tensor) or type(got) is Tensor
                assert same(got.array, floats)
    if rank == 0:
        world.send(np.arange(6.0), 1)
        world.send(np.arange(6000.0), 1)
    else:
        for count in (6, 6000):
            tensor = Tensor(np.zeros(count))
            assert world.recv(0, into=tensor) is tensor
            assert same(tensor.array, np.arange(float(count)))


def objects_that_hold_arrays() -> None:
    large, small = np.arange(9000.0), np.arange(3)
    shared = [large, small]
    for value in (
        Cell("a", large),
        Slotted([large, small]),
        Point(large, Point(small)),
        {"a": shared, "b": (large[::2],)},
    ):
        if rank == 0:
            world.send(value, 1)
        else:
            got = world.recv(0)
            assert same(*map(contiguous, (got, value)))
            for part in arrays_in(got):
                part[:1] = 1
    if rank == 0:
        world.send([shared, shared, large], 1)
    else:
        one, two, three = world.recv(0)
        assert one is two
        assert one[0] is three


def contiguous(value: Any) -> Any:
    """A copy with contiguous arrays."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: contiguous(item) for key, item in value.items()}
    return type(value)([contiguous(item) for item in value]) if type(value) in (list, tuple) else value


def arrays_in(value: Any) -> list[Any]:
    """The arrays that other objects refer to, at any depth."""
    found = []
    for item in gc.get_referents(value):
        if isinstance(item, np.ndarray):
            found.append(item)
        elif not isinstance(item, (type, str)):
            found += arrays_in(item)
    return found


def random_objects(count: int) -> None:
    """Each rank sends half of them, and makes the other's for itself."""
    mine, theirs = Maker(rank), Maker(1 - rank)
    for number in range(count // 2):
        got, expected = world.sendrecv(mine.value(), 1 - rank, 2, 1 - rank, 2), theirs.value()
        assert same(got, expected), f"object {number} of rank {1 - rank}: {got!r} came instead of {expected!r}"


if __name__ == "__main__":
    sizes_about_all_thresholds()
    arrays_of_every_type_and_layout()
    scalars_of_every_type()
    arrays_of_other_classes()
    memory_of_every_kind()
    objects_that_hold_arrays()
    random_objects(int(sys.argv[1]))
