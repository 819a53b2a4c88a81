"""Meshes of ranks: their sizes, and the place of each rank (MPI 5.0, section 8.5). Pure functions of numbers."""

from __future__ import annotations

import math
import operator

from polympi.errors import RankError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PROC_NULL = -102  # as in polympi/__init__.py, which would be a circular import


class Mesh:
    """Ranks in cells, one in each: rank 0 in the first, and the last axis varies fastest.

    Attributes:
        dims: how many ranks there are along each axis.
        periods: whether the last rank along an axis has the first as its neighbour.
        size: how many ranks there are.
    """

    __slots__ = ("dims", "periods", "size")

    def __init__(self, dims: Iterable[int], periods: Iterable[bool]) -> None:
        self.dims = tuple(dims)
        self.periods = tuple(periods)
        self.size = math.prod(self.dims)

    def coords_of(self, rank: int) -> tuple[int, ...]:
        """Where a rank is.

        Raises:
            RankError: the mesh does not have it.
        """
        if not 0 <= rank < self.size:
            raise RankError(f"rank {rank} is not in the mesh {self.dims}, which has ranks 0 to {self.size - 1}")
        coords = []
        for extent in reversed(self.dims):
            rank, coord = divmod(rank, extent)
            coords.append(coord)
        return tuple(reversed(coords))

    def rank_of(self, coords: Sequence[int]) -> int:
        """Which rank is there; coordinates wrap around along periodic axes.

        Raises:
            RankError: they are outside along an open axis, or not one for each axis.
        """
        if len(coords) != len(self.dims):
            raise RankError(f"the coordinates {tuple(coords)} are {len(coords)}, but the mesh {self.dims} has "
                            f"{len(self.dims)} axes")  # fmt: skip
        rank = 0
        for axis, (coord, extent, periodic) in enumerate(zip(coords, self.dims, self.periods, strict=True)):
            if not periodic and not 0 <= coord < extent:
                raise RankError(
                    f"coordinate {coord} is outside of axis {axis}, which has the coordinates 0 to {extent - 1} and is "
                    "not periodic"
                )
            rank = rank * extent + coord % extent
        return rank

    def beside(self, rank: int, axis: int, step: int) -> int:
        """The rank that many steps further along an axis; PROC_NULL beyond an open end."""
        coords = list(self.coords_of(rank))
        coords[axis] += step
        if not self.periods[axis] and not 0 <= coords[axis] < self.dims[axis]:
            return PROC_NULL
        return self.rank_of(coords)

    def neighbors(self, rank: int) -> tuple[int, ...]:
        """For each axis the rank one step back, then the rank one step further."""
        return tuple(self.beside(rank, axis, step) for axis in range(len(self.dims)) for step in (-1, 1))

    def axis(self, number: int) -> int:
        """An axis by its number; negative ones count from the last, as in NumPy.

        Raises:
            ValueError: the mesh does not have it.
        """
        count = len(self.dims)
        if not -count <= number < count:
            raise ValueError(f"axis {number} is not in the mesh {self.dims}, which has {count} axes")
        return number % count


def complete(size: int, dims: Sequence[int | None] | None, ndim: int | None) -> tuple[int, ...]:
    """The sizes of a mesh for this many ranks, those that are open (None or 0) found as in MPI_Dims_create.

    The product of all sizes is the number of ranks. They are balanced: the greatest is as small as possible, then
    the second, and so on; and they do not increase from axis to axis.

    Args:
        size: how many ranks there are.
        dims: the sizes; None: all are open.
        ndim: how many, if dims is None.

    Raises:
        TypeError: a size isn't an integer, or neither dims nor ndim is given, or both disagree.
        ValueError: a size is negative, or the given ones do not divide the number of ranks, or are too many for it.
    """
    given = _given(dims, ndim)
    product = math.prod(extent for extent in given if extent)
    axes = sum(not extent for extent in given)
    if not axes:
        if product > size:
            raise ValueError(f"a mesh {given} needs {product} ranks, but there are {size}")
        return given
    if size % product:
        raise ValueError(f"{size} ranks cannot be divided by {product}, the product of the given sizes of {given}")
    found = iter(balanced(size // product, axes))
    return tuple(extent or next(found) for extent in given)


def _given(dims: Sequence[int | None] | None, ndim: int | None) -> tuple[int, ...]:
    """The sizes as a tuple of integers, with 0 for those to be found."""
    if dims is None:
        if ndim is None:
            raise TypeError("a mesh needs dims, the ranks along each axis, or ndim, the number of axes")
        count = operator.index(ndim)
        if count < 0:
            raise ValueError(f"ndim is {count}, but a mesh cannot have less than 0 axes")
        return (0,) * count
    try:
        given = tuple(0 if extent is None else operator.index(extent) for extent in dims)
    except TypeError:
        raise TypeError(f"dims must be a tuple of integers, one for each axis, not {dims!r}") from None
    if ndim is not None and ndim != len(given):
        raise TypeError(f"ndim is {ndim}, but dims {given} have {len(given)} axes")
    if any(extent < 0 for extent in given):
        raise ValueError(f"dims are {given}, but no axis can have less than 0 ranks")
    return given


def balanced(size: int, axes: int) -> tuple[int, ...]:
    """At least one number: their product is `size`, they do not increase, and the greatest are as small as possible."""
    found = _balanced(size, axes, size)
    assert found is not None  # (size, 1, 1, ...) if nothing else
    return found


def _balanced(size: int, axes: int, most: int) -> tuple[int, ...] | None:
    """Like :func:`balanced`, with none greater than `most`; None if that is impossible."""
    if axes == 1:
        return (size,) if size <= most else None
    for extent in _divisors(size):
        if extent <= most and extent**axes >= size:  # otherwise the product would be too small
            rest = _balanced(size // extent, axes - 1, extent)
            if rest is not None:
                return (extent, *rest)
    return None


def _divisors(number: int) -> list[int]:
    low = [divisor for divisor in range(1, math.isqrt(number) + 1) if number % divisor == 0]
    return low + [number // divisor for divisor in reversed(low) if divisor * divisor != number]
