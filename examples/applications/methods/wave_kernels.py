"""What updates the points of a rank in the wave equation: functions of NumPy, or a loop that Numba compiles."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from methods.meshes import CACHE_LINE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from methods.interfaces import Field

    Box = tuple[tuple[int, int], ...]  # for each axis its first point, and the point after its last one

PIECE = 2**17  # elements that NumPy's functions pass over at a time: 1 MB of each array stays in the cache


class Kernel(Protocol):
    """What updates points of a rank. Side 2 a is the lower one of axis a, side 2 a + 1 the upper one."""

    def update(self, u: Field, after: Field, box: Box, a: float, c: float) -> None:
        """Overwrite the values before last, in ``after``, with the next ones: a (sum of six) + c u - after."""

    def finish(self, after: Field) -> None:
        """Make the ghost points beyond the boundary ready for the next step, when all boxes are updated."""


def mirror(u: Field, walls: Sequence[bool]) -> None:
    """Fill the ghost points beyond the boundary: u_0 = u_2."""
    for axis in range(3):
        layers = u.swapaxes(0, axis)
        if walls[2 * axis]:
            layers[0] = layers[2]
        if walls[2 * axis + 1]:
            layers[-1] = layers[-3]


def moved(piece: Box, axis: int, by: int) -> tuple[slice, ...]:
    """Where the points of a piece have their neighbours along an axis."""
    return tuple(
        slice(first + by * (own == axis), stop + by * (own == axis)) for own, (first, stop) in enumerate(piece)
    )


def at_cache_line(size: int) -> Field:
    """So many elements, of which the first begins a cache line: a processor's vectors do not cross into the next one.

    NumPy's own memory begins with any 16 bytes, and each step took 1.1 times as long where these were the wrong ones.
    """
    memory = np.empty(size + CACHE_LINE)
    return memory[-memory.ctypes.data // 8 % CACHE_LINE :][:size]


class NumPyKernel:
    """The update by functions of NumPy, without arrays made on the way.

    Args:
        shape: of a field, with ghost layers.
        walls: for each side, whether it is the boundary of the cube.
    """

    def __init__(self, shape: Sequence[int], walls: Sequence[bool]) -> None:
        self.shape, self.walls = tuple(shape), tuple(walls)
        self.row, self.plane = shape[2], shape[1] * shape[2]
        self.total = at_cache_line(max(PIECE, self.plane))  # of a piece, which is at least a plane of the box

    def update(self, u: Field, after: Field, box: Box, a: float, c: float) -> None:
        """See Kernel."""
        if box[1:] == ((1, self.shape[1] - 1), (1, self.shape[2] - 1)):
            self._update_planes(u.reshape(-1), after.reshape(-1), *box[0], a, c)
            return
        planes = max(1, PIECE // math.prod(stop - first for first, stop in box[1:]))
        for first in range(*box[0], planes):
            piece = ((first, min(first + planes, box[0][1])), *box[1:])
            around = [u[moved(piece, axis, by)] for axis in range(3) for by in (-1, 1)]
            inside = moved(piece, 0, 0)
            self._combine(u[inside], around, after[inside], a, c)

    def _update_planes(self, u: Field, after: Field, first: int, stop: int, a: float, c: float) -> None:  # noqa: PLR0917
        """The points of whole planes, from the first to the last, are one line, which NumPy passes fastest.

        The ghost points on it get a value, too. No point inside is made of that: they are filled before the next step.
        """
        last = stop * self.plane - self.row - 1
        for begin in range(first * self.plane + self.row + 1, last, PIECE):
            end = min(begin + PIECE, last)
            around = [u[begin + by : end + by] for step in (self.plane, self.row, 1) for by in (-step, step)]
            self._combine(u[begin:end], around, after[begin:end], a, c)

    def _combine(self, u: Field, around: Sequence[Field], after: Field, a: float, c: float) -> None:
        total = self.total[: u.size].reshape(u.shape)
        np.multiply(u, c / a, out=total)
        for neighbor in around:
            total += neighbor
        total *= a
        np.subtract(total, after, out=after)

    def finish(self, after: Field) -> None:
        """See Kernel."""
        mirror(after, self.walls)


class NumbaKernel:
    """The update as a loop that Numba compiles. The arguments are those of NumPyKernel."""

    def __init__(self, _shape: Sequence[int], walls: Sequence[bool]) -> None:
        self.walls = tuple(walls)
        self.loop = compiled_loop()
        one = np.zeros((3, 3, 3))
        self.loop(
            one, one.copy(), (1, 1, 1, 1, 1, 1), self.walls, 0.5, 0.5
        )  # compiles it now, and not in the first step

    def update(self, u: Field, after: Field, box: Box, a: float, c: float) -> None:
        """See Kernel."""
        self.loop(u, after, (*box[0], *box[1], *box[2]), self.walls, a, c)

    def finish(self, after: Field) -> None:
        """Nothing: the loop has done it, while each row was in the cache."""


@functools.cache
def compiled_loop() -> Callable[..., None]:
    """The loop of NumbaKernel.

    Raises:
        ImportError: there is no Numba.
    """
    import numba  # noqa: PLC0415 - only for who wants it

    whole = numba.uint64
    one, two, three, four = (whole(number) for number in range(1, 5))

    # A product and a sum may be one instruction, as C's compilers have it.
    @numba.njit(cache=True, fastmath={"contract"})
    def update(  # noqa: PLR0912, PLR0917 - Numba keeps what it compiled only of a function that calls no other
        u: Field, after: Field, box: tuple[int, int, int, int, int, int], walls: tuple[bool, ...], a: float, c: float
    ) -> None:
        # Without a sign, no index counts from the end, and the compiler makes vectors of the loops.
        i, i_stop, j_first, j_stop, k_first, k_stop = [whole(bound) for bound in box]
        i_ghost, j_ghost, k_ghost = [whole(extent - 1) for extent in u.shape]
        row = k_ghost + one
        plane = (j_ghost + one) * row
        v, new = u.reshape(-1), after.reshape(-1)
        # Whole rows of a plane are one line. The ghost points between them get a value, too, of which no point inside
        # is made: they are filled before the next step.
        rows = j_stop - j_first if k_first == one and k_stop == k_ghost else one
        count = (rows - one) * row + k_stop - k_first
        while i < i_stop:
            # A plane is a neighbour of those next to it, and too large for the nearest cache: of four planes, six are
            # loaded for four that are made, and of single ones twelve. What is left over is made one by one.
            planes = four if i + four <= i_stop else one
            # Beside the boundary, a plane takes its mirror image for the ghost plane: u_0 = u_2.
            below = two if walls[0] and i == one else i - one
            above = i + planes - two if walls[1] and i + planes == i_ghost else i + planes
            for j in range(j_first, j_stop, rows):
                at = j * row + k_first
                for step in range(at, at + count):
                    low, k, up = below * plane + step, i * plane + step, above * plane + step
                    beside = v[k - row] + v[k + row]
                    if planes == four:
                        k1, k2, k3 = k + plane, k + two * plane, k + three * plane
                        beside1 = v[k1 - row] + v[k1 + row]
                        beside2 = v[k2 - row] + v[k2 + row]
                        beside3 = v[k3 - row] + v[k3 + row]
                        w = a * (v[low] + v[k1] + beside + (v[k - one] + v[k + one])) + c * v[k] - new[k]
                        w1 = a * (v[k] + v[k2] + beside1 + (v[k1 - one] + v[k1 + one])) + c * v[k1] - new[k1]
                        w2 = a * (v[k1] + v[k3] + beside2 + (v[k2 - one] + v[k2 + one])) + c * v[k2] - new[k2]
                        w3 = a * (v[k2] + v[up] + beside3 + (v[k3 - one] + v[k3 + one])) + c * v[k3] - new[k3]
                        new[k], new[k1], new[k2], new[k3] = w, w1, w2, w3
                    else:
                        new[k] = a * (v[low] + v[up] + beside + (v[k - one] + v[k + one])) + c * v[k] - new[k]
            # What the points next to the boundary give to the ghost points beyond it, while they are in the cache.
            for made in range(i, i + planes):
                if walls[4] and k_first == one:
                    for j in range(j_first, j_stop):
                        after[made, j, 0] = after[made, j, two]
                if walls[5] and k_stop == k_ghost:
                    for j in range(j_first, j_stop):
                        after[made, j, k_ghost] = after[made, j, k_ghost - two]
                if walls[2] and j_first == one:
                    for k in range(k_first, k_stop):
                        after[made, 0, k] = after[made, two, k]
                if walls[3] and j_stop == j_ghost:
                    for k in range(k_first, k_stop):
                        after[made, j_ghost, k] = after[made, j_ghost - two, k]
            i += planes

    return update


KERNELS: dict[str, type[NumPyKernel | NumbaKernel]] = {"numpy": NumPyKernel, "numba": NumbaKernel}
