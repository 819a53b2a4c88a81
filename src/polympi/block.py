"""Which part of a global array a rank of a mesh has. Pure functions of numbers."""

from __future__ import annotations

from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Block:
    """One rank's part of a global array, without ghost layers.

    Along an axis of n elements and p ranks, each rank has n // p elements, and the first n % p ranks have one more.
    So sizes differ by one at most, and a rank may have none if there are fewer elements than ranks. These are the sizes
    of ``numpy.array_split``. Axes beyond those of the mesh are not divided.

    Attributes:
        start: its first index along each axis.
        stop: one more than its last index along each axis.
    """

    __slots__ = ("start", "stop")

    def __init__(self, start: tuple[int, ...], stop: tuple[int, ...]) -> None:
        self.start = start
        self.stop = stop

    @property
    def shape(self) -> tuple[int, ...]:
        """How many elements it has along each axis."""
        return tuple(stop - start for start, stop in zip(self.start, self.stop, strict=True))

    @property
    def size(self) -> int:
        """How many elements it has; 0 if it is empty."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def slices(self) -> tuple[slice, ...]:
        """Its place: ``array[block.slices]`` of the global array is a view of it."""
        return tuple(slice(start, stop) for start, stop in zip(self.start, self.stop, strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Block):
            return NotImplemented
        return (self.start, self.stop) == (other.start, other.stop)

    def __hash__(self) -> int:
        return hash((self.start, self.stop))

    def __repr__(self) -> str:
        return f"Block(start={self.start}, stop={self.stop})"


def block_of(shape: Sequence[int], dims: Sequence[int], coords: Sequence[int]) -> Block:
    """The block at these coordinates of a mesh.

    Args:
        shape: of the global array; at least as many axes as the mesh has.
        dims: of the mesh.
        coords: of the rank.

    Raises:
        ValueError: the array has fewer axes than the mesh, or a negative size.
    """
    if len(shape) < len(dims):
        raise ValueError(f"an array of shape {tuple(shape)} cannot be divided among a mesh {tuple(dims)}, which has "
                         "more axes")  # fmt: skip
    if any(extent < 0 for extent in shape):
        raise ValueError(f"an array cannot have the shape {tuple(shape)}")
    whole = len(shape) - len(dims)
    start, stop = [], []
    for extent, ranks, coord in zip(
        shape, chain(dims, [1] * whole), chain(coords, [0] * whole), strict=True
    ):  # an undivided axis belongs to one rank
        each, more = divmod(extent, ranks)
        start.append(coord * each + min(coord, more))
        stop.append(start[-1] + each + (coord < more))
    return Block(tuple(start), tuple(stop))
