"""Arrays as the pieces that single calls read and write in a file: their bytes, and where these are there."""

from __future__ import annotations

import math
import operator

import numpy as np

from polympi.errors import MismatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, NamedTuple

    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    from typing import NamedTuple

MOST_BYTES = 1 << 30  # of one call; MPI counts them in an int, and libraries round up to pages


class Piece(NamedTuple):
    """A part of an array, for one call.

    Attributes:
        array: the part, of any layout in memory.
        offset: of its first element in the file, in bytes.
        strides: of its elements in the file, in bytes.
    """

    array: Array
    offset: int
    strides: tuple[int, ...]

    @property
    def viewed(self) -> bool:
        """Whether its elements don't follow one another in the file."""
        return self.array.size > 1 and self.strides != c_strides(self.array.shape, self.array.itemsize)

    @property
    def places(self) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
        """Where its elements are in the file, as the core takes it; None if they follow one another."""
        return (self.array.itemsize, self.array.shape, self.strides) if self.viewed else None

    @property
    def end(self) -> int:
        """The offset after its last element."""
        if not self.array.nbytes:
            return 0
        return self.offset + span(self.array.shape, self.strides, self.array.itemsize)


NOTHING = Piece(np.empty(0, np.uint8), 0, (1,))


def array_over(memory: object, *, writable: bool) -> Array:
    """The elements of an array, or of anything with a buffer or DLPack.

    Raises:
        TypeError: it has no elements.
        MismatchError: its elements are objects; or it must be writable and is not.
    """
    array = _array_over(memory)
    if array.dtype.hasobject:
        raise MismatchError(f"elements of {array.dtype} are objects, which a file can't hold: pickle them")
    if type(array).__reduce__ is not np.ndarray.__reduce__:
        raise MismatchError(f"a {type(array).__name__} isn't a plain array: give its data")
    if writable and not array.flags.writeable:
        raise MismatchError(f"this {type(memory).__name__} can't be read into: it is read-only")
    return array


def _array_over(memory: object) -> Array:
    if isinstance(memory, np.ndarray):
        return memory
    try:
        return np.asarray(memoryview(memory))  # type: ignore[arg-type]
    except TypeError:
        if hasattr(memory, "__dlpack__"):
            return _by_dlpack(memory)
        raise TypeError(f"an array or a bytes-like object is needed, not {type(memory).__name__}") from None


def _by_dlpack(memory: Any) -> Array:
    try:
        array: Array = np.from_dlpack(memory)
    except (BufferError, RuntimeError) as error:
        raise MismatchError(f"this {type(memory).__name__} gives the CPU no access ({error}): copy it first") from error
    return array


def c_strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """The strides of a whole array in C order."""
    return tuple(itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def span(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """The bytes from the beginning of the first element to the end of the last one."""
    return sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)) + itemsize


def placed(array: Array, offset: int, strides: Sequence[int] | None) -> Piece:
    """The array with its strides in the file, its axes in the order of these.

    Raises:
        TypeError: offset or strides aren't integers.
        ValueError: offset is negative; strides aren't as many as axes, or elements overlap.
    """
    offset = operator.index(offset)
    if offset < 0:
        raise ValueError(f"offset is {offset}, but must be 0 or more")
    if strides is None:
        return Piece(array, offset, c_strides(array.shape, array.itemsize))
    steps = tuple(operator.index(stride) for stride in strides)
    if len(steps) != array.ndim:
        raise ValueError(f"strides are {steps}, but the array has {array.ndim} axes")
    steps = tuple(step if extent > 1 else array.itemsize for step, extent in zip(steps, array.shape, strict=True))
    # axes of one element have no steps, and are innermost where they disturb nothing
    order = sorted(range(array.ndim), key=lambda axis: (array.shape[axis] > 1, steps[axis]), reverse=True)
    array, ordered = array.transpose(order), tuple(steps[axis] for axis in order)
    for axis in range(array.ndim if array.size else 0):
        inner = span(array.shape[axis + 1 :], ordered[axis + 1 :], array.itemsize)
        if array.shape[axis] > 1 and ordered[axis] < inner:
            raise ValueError(f"strides are {tuple(strides)}, with which elements of the array overlap in the file")
    return Piece(array, offset, ordered)


def pieces_of(whole: Piece, most: int) -> Iterator[Piece]:
    """Cut it into pieces of at most this many bytes; an element isn't cut."""
    array, offset, strides = whole
    if array.nbytes <= most or array.size == 1:
        if array.nbytes:
            yield whole
        return
    row = array[0].nbytes
    if row <= most:
        rows = most // row
        for first in range(0, len(array), rows):
            yield Piece(array[first : first + rows], offset + first * strides[0], strides)
    else:
        for index in range(len(array)):
            yield from pieces_of(Piece(array[index], offset + index * strides[0], strides[1:]), most)


def bytes_of(array: Array) -> Array:
    """Its bytes in C order: the memory itself if the array is contiguous, else a copy."""
    if not array.nbytes:
        return NOTHING.array
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def fill(array: Array, data: Array) -> None:
    """Copy bytes in C order into the first elements of an array."""
    if len(data) == array.nbytes:
        array[...] = data.view(array.dtype).reshape(array.shape)
    else:
        whole = len(data) // array.itemsize
        array.flat[:whole] = data[: whole * array.itemsize].view(array.dtype)
