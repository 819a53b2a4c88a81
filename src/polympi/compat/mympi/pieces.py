"""The pieces of all ranks in one row: cut for a scatter, put together after a gather."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from polympi.compat.mympi import datatypes, errors
from polympi.compat.mympi.errors import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.mympi.datatypes import Array

    Numbers = Sequence[int] | Array


@dataclass(frozen=True)
class EqualPieces:
    """Pieces of one size, which lie one after another in a row.

    Attributes:
        count: how many elements each has.
        datatype: of the elements.
    """

    count: int
    datatype: int

    def cut(self, buf: object, size: int, call: str) -> list[Array] | Array:
        """The pieces of a buffer, for all ranks; the buffer itself if it is to be cut into equal parts."""
        if (
            type(buf) is np.ndarray
            and buf.shape == (self.count * size,)
            and buf.dtype is datatypes.dtype_of(self.datatype, call)
        ):
            return buf
        return self._as_pieces(size).cut(buf, size, call)

    def put(self, pieces: list[Array], call: str) -> Array:
        """The pieces of all ranks in a row; zeros where fewer elements came."""
        dtype, shape = datatypes.dtype_of(self.datatype, call), (self.count,)
        for piece in pieces:
            if piece.shape != shape or piece.dtype is not dtype:
                return self._as_pieces(len(pieces)).put(pieces, call)
        return np.concatenate(pieces)

    def _as_pieces(self, size: int) -> Pieces:
        return Pieces([self.count] * size, [rank * self.count for rank in range(size)], self.datatype)


_known_pieces = lru_cache(maxsize=64)(EqualPieces)  # programs have few counts, and a new object takes longer


def equal_pieces(count: int, datatype: int) -> EqualPieces:
    """Pieces of a size and a datatype, which the call that takes them looks at."""
    try:
        return _known_pieces(count, datatype)
    except TypeError:  # one of them has no hash
        return EqualPieces(count, datatype)


class Pieces(NamedTuple):
    """How the pieces of all ranks lie in a row.

    Attributes:
        counts: how many elements each has.
        displs: where each begins.
        datatype: of the elements.
    """

    counts: Numbers
    displs: Numbers
    datatype: int

    def cut(self, buf: object, size: int, call: str) -> list[Array]:
        """The pieces of a buffer, for all ranks."""
        row = datatypes.elements(buf, self.datatype, call)
        places = self._places(size, call)
        reach = max(stop for _, stop in places)
        if reach > row.size:
            refuse(
                call,
                f"the pieces of all ranks reach to element {reach}, but the buffer has {row.size} elements",
                errors.COUNT,
            )
        return [row[start:stop] for start, stop in places]

    def put(self, pieces: list[Array], call: str) -> Array:
        """The pieces of all ranks, each at its place in a row; zeros where nothing comes.

        The row is as long as all counts together, and longer where displacements leave gaps.
        """
        places = self._places(len(pieces), call)
        found = [
            datatypes.received(piece, stop - start, self.datatype, call)
            for piece, (start, stop) in zip(pieces, places, strict=True)
        ]
        whole = max(sum(piece.size for piece in found), *(stop for _, stop in places))
        row = np.zeros(whole, max((piece.dtype for piece in found), key=lambda dtype: dtype.itemsize))
        for piece, (start, stop) in zip(found, places, strict=True):
            row[start:stop] = piece
        return row

    def _places(self, size: int, call: str) -> list[tuple[int, int]]:
        """Where the piece of each rank begins and ends."""
        if len(self.counts) < size or len(self.displs) < size:
            refuse(
                call,
                f"there are {len(self.counts)} counts and {len(self.displs)} displacements for {size} ranks: give one "
                "of each for each rank",
                errors.ARG,
            )
        starts = [int(start) for start in itertools.islice(self.displs, size)]
        places = [(start, start + int(count)) for start, count in zip(starts, self.counts, strict=False)]
        if any(not 0 <= start <= stop for start, stop in places):
            refuse(call, "counts and displacements must be 0 or more", errors.COUNT)
        return places
