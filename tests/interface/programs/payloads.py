"""Objects of every kind go from one rank to the other and arrive as they are; two ranks.

Rank 0 sends; rank 1 makes the same object by itself, and compares what arrives with what the codec makes of it there,
which tests/native compares with the object.
"""

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from array_samples import DESCRIBED, NUMBERS, filled, layouts
from everything import EVERYTHING, Cell, Holder, made_up, observed
from tensors import Tensor

import polympi as mpi

world = mpi.world
rank = world.rank
alone = world.split(rank)
WAYS: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = [
    (lambda: world.recv(0, 1), lambda value: value),
    (lambda: world.irecv(0, 1).wait(), lambda value: [value]),
    (lambda: world.sendrecv(None, mpi.PROC_NULL, 0, 0, 1), lambda value: Cell("wrapped", {"x": value})),
]


def passes(value: Any, what: object) -> None:
    """Send the value by itself and nested; what arrives must be the same."""
    for receive, wrap in WAYS:
        wrapped = wrap(value)
        if rank == 0:
            world.send(wrapped, 1, 1)
        else:
            got, expected = observed(receive()), observed(alone.gather(wrapped)[0])
            assert got == expected, f"{what}: {got!r} came instead of {expected!r}"


def sizes_about_all_thresholds() -> None:
    around = [*range(18), 4095, 4096, 4097, *range(8100, 8230), 65_535, 65_536, 65_537, 3_000_007]
    for nbytes in around:
        for value in (b"x" * nbytes, bytearray(b"y" * nbytes), "z" * nbytes, np.ones(nbytes, "u1")):
            if rank == 0:
                world.send(value, 1)
            else:
                assert observed(world.recv(0)) == observed(value), nbytes
    for filler in (b"-" * 4000, [b"-" * 4000, np.arange(1000)], [np.arange(3000), "x" * 4000]):
        # The stream grows byte by byte over what one message holds, with data outside it and without.
        for nbytes in [*range(3900, 4300), 20_000]:
            value = [filler, b"x" * (nbytes // 2), b"y" * (nbytes - nbytes // 2)]
            if rank == 0:
                world.send(value, 1)
            else:
                assert observed(world.recv(0)) == observed(value), nbytes


def values_of_every_kind() -> None:
    for name, value in EVERYTHING.items():
        passes(value, name)
    for dtype in [*NUMBERS, *DESCRIBED]:
        for shape in ((2, 3, 4), (20, 30, 7)):
            for layout, array in layouts(filled(np.dtype(dtype), shape)).items():
                passes(array, (dtype, shape, layout))


def memory_of_another_library_is_received_into() -> None:
    for count in (6, 6000):
        numbers = np.arange(float(count))
        if rank == 0:
            world.send(numbers, 1)
        else:
            tensor = Tensor(np.zeros(count))
            assert world.recv(0, into=tensor) is tensor
            assert np.array_equal(tensor.array, numbers)


def objects_that_hold_arrays() -> None:
    shared = [np.arange(9000.0), np.arange(3)]
    if rank == 0:
        world.send([shared, Holder(shared), shared[0]], 1)
    else:
        one, two, three = world.recv(0)
        assert one is two.value
        assert one[0] is three
        three[:1] = 1


def random_objects(count: int) -> None:
    """Each rank sends half of them, and makes the other's for itself."""
    mine, theirs = random.Random(rank), random.Random(1 - rank)
    for number in range(count // 2):
        got = world.sendrecv(made_up(mine, [], 3), 1 - rank, 2, 1 - rank, 2)
        expected = alone.gather(made_up(theirs, [], 3))[0]
        assert observed(got) == observed(expected), f"object {number} of rank {1 - rank}: {got!r}"


if __name__ == "__main__":
    sizes_about_all_thresholds()
    values_of_every_kind()
    memory_of_another_library_is_received_into()
    objects_that_hold_arrays()
    random_objects(int(sys.argv[1]))
