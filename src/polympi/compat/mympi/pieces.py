"""The pieces of all ranks in one row: cut for a scatter, put together after a gather."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from polympi.compat.mympi import datatypes, errors
from polympi.compat.mympi.errors import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.mympi.datatypes import Array

    Numbers = Sequence[int] | Array


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

    @classmethod
    def equal(cls, count: int, size: int, datatype: int) -> Pieces:
        """Pieces of one size, one after another."""
        return cls([count] * size, [rank * count for rank in range(size)], datatype)

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
