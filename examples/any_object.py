"""Send whatever Python has: the receiver says neither type nor size, and gets what was sent.

    mpiexec -n 2 python examples/any_object.py

Python's own types and NumPy's arrays travel in a form of their own; a class of yours is pickled, and the arrays in it
travel beside the pickle, without being copied into it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polympi as mpi


@dataclass
class Particles:
    """A class of the program: pickled, as ``pickle`` would."""

    species: str
    positions: NDArray[np.float64]


OBJECTS: list[Any] = [
    None,
    10**30,
    {"name": "run 7", "tolerance": 1e-6, "sizes": (16, 32)},
    {"ä", "ö"},
    np.arange(6, dtype=">i2").reshape(2, 3),  # big-endian: the dtype arrives, too
    np.array([(1, 2.5)], dtype=[("id", int), ("mass", float)]),
    np.datetime64("2026-03-01"),
    Particles("argon", np.zeros((1000, 3))),
]


def main() -> None:
    """Rank 0 sends the objects, rank 1 compares what arrives."""
    world = mpi.world
    if world.rank == 0:
        for value in OBJECTS:
            world.send(value, dest=1)
    elif world.rank == 1:
        for expected in OBJECTS:
            value = world.recv(source=0)
            print(f"rank 1 received a {type(value).__name__}: {' '.join(str(value).split())[:60]}")
            assert type(value) is type(expected)
            if isinstance(expected, np.ndarray):
                assert value.dtype == expected.dtype
                assert np.array_equal(value, expected)
            elif isinstance(expected, Particles):
                assert np.array_equal(value.positions, expected.positions)
            else:
                assert value == expected


if __name__ == "__main__":
    main()
