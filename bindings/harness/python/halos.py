"""The cube of the benchmark ``halo``, with a layer of ghost elements around it (``docs/protocol.md``).

The cube is ``u[i, j, k]`` in C order; its inner elements have indices from 1 to ``n``. The inner layer of each of its
six faces is sent, and the other rank receives it into the ghost layer of the opposite side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from arena import UNSEEN, space
from catalogue import HALO_FACES
from pattern import double_pattern
from pieces import Piece
from plan import halo_edge

if TYPE_CHECKING:
    from arena import Arena
    from numpy.typing import NDArray
    from plan import Case

INNER = (slice(1, -1),) * 3


class Halo:
    """The cube of one rank in one case.

    Args:
        case: of the benchmark ``halo``.
        rank: 0 or 1.
        arena: what the cube is carved out of.

    Attributes:
        cube: all of it, in three dimensions.
        sent: axis and index of the layer of each face that is sent.
        received: likewise of the ghost layers, each at the place of the other rank's face that arrives there.
        outgoing: the faces that are sent, views in two dimensions.
        incoming: the ghost layers, likewise, without their edges.
    """

    def __init__(self, case: Case, rank: int, arena: Arena) -> None:
        edge = halo_edge(case.size)
        (memory,) = arena.carve([Halo.size(case)])
        self._case = case
        self._rank = rank
        self.cube: NDArray[Any] = memory.view(np.float64).reshape(edge, edge, edge)
        self.sent = [(face // 2, edge - 2 if face % 2 else 1) for face in range(HALO_FACES)]
        self.received = [(face // 2, 0 if face % 2 else edge - 1) for face in range(HALO_FACES)]
        self.outgoing = [_layer(self.cube, *place) for place in self.sent]
        self.incoming = [_layer(self.cube, *place) for place in self.received]

    @staticmethod
    def size(case: Case) -> int:
        """Bytes of the cube."""
        return int(8 * halo_edge(case.size) ** 3)

    @staticmethod
    def space(case: Case) -> int:
        """Bytes of arena that the cube takes."""
        return space([Halo.size(case)])

    def clear(self) -> None:
        """Overwrite the ghost layers, and fill the inner elements."""
        self.cube.view(np.uint8).fill(UNSEEN)
        self.cube[INNER] = self._pattern(self._rank)[INNER]

    def check(self) -> str:
        """Compare the ghost layers with the other rank's faces, and see that nothing else was written to.

        The first difference in words, empty if there is none.
        """
        expected = np.full(self.cube.nbytes, UNSEEN, np.uint8).view(np.float64).reshape(self.cube.shape)
        expected[INNER] = self._pattern(self._rank)[INNER]
        theirs = self._pattern(1 - self._rank)
        for place, face in zip(self.received, self.sent, strict=True):
            _layer(expected, *place)[:] = _layer(theirs, *face)
        differing = np.argwhere(self.cube.view(np.int64) != expected.view(np.int64))
        if not len(differing):
            return ""
        place = tuple(differing[0].tolist())
        return f"element {place} is {self.cube[place]} instead of {expected[place]}"

    def _pattern(self, origin: int) -> NDArray[np.float64]:
        return double_pattern(self.cube.size, self._case.number, Piece(origin, 0)).reshape(self.cube.shape)


def _layer(cube: NDArray[Any], axis: int, place: int) -> NDArray[Any]:
    """A layer across an axis, without its edges."""
    layer: NDArray[Any] = np.moveaxis(cube, axis, 0)[place, 1:-1, 1:-1]
    return layer
