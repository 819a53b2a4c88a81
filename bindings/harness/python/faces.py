"""Faces of a cube of doubles: the two of a case, made, filled and checked (``docs/protocol.md``).

The cube is ``u[i, j, k]`` in C order. The first face in a direction is sent, the last one is received.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from arena import UNSEEN, space
from pattern import double_pattern, first_difference
from pieces import Piece
from plan import face_edge

if TYPE_CHECKING:
    from arena import Arena
    from numpy.typing import NDArray
    from plan import Case

DIRECTIONS = {"contiguous": 0, "rows": 1, "elements": 2}  # of the axis along which a face has its place


class Faces:
    """The cube of one rank in one case.

    Args:
        case: of the benchmark ``faces``.
        rank: 0 or 1.
        arena: what the cube is carved out of.

    Attributes:
        cube: all of it, in three dimensions.
        axis: the axis along which a face has its place: 0 contiguous, 1 rows, 2 elements.
        outgoing: the first face, a view in two dimensions.
        incoming: the last face, likewise.
    """

    def __init__(self, case: Case, rank: int, arena: Arena) -> None:
        edge = face_edge(case.size)
        (memory,) = arena.carve([Faces.size(case)])
        self._case = case
        self._rank = rank
        self.cube: NDArray[Any] = memory.view(np.float64).reshape(edge, edge, edge)
        self.axis = DIRECTIONS[case.mode]
        faces = np.moveaxis(self.cube, self.axis, 0)
        self.outgoing: NDArray[Any] = faces[0]
        self.incoming: NDArray[Any] = faces[-1]

    @staticmethod
    def size(case: Case) -> int:
        """Bytes of the cube."""
        return case.size * face_edge(case.size)

    @staticmethod
    def space(case: Case) -> int:
        """Bytes of arena that the cube takes."""
        return space([Faces.size(case)])

    def clear(self) -> None:
        """Overwrite the cube, except the face that is sent."""
        self.cube.view(np.uint8).fill(UNSEEN)
        self.outgoing[:] = self._pattern(self._rank)

    def check(self) -> str:
        """Compare the face that arrived with the one that was sent, and see that nothing next to it was written to.

        The first difference in words, empty if there is none. Both faces are overwritten.
        """
        difference = first_difference(self.incoming.reshape(-1), self._pattern(1 - self._rank).reshape(-1))
        if difference:
            return difference
        untouched = np.full(8, UNSEEN, np.uint8).view(np.float64)[0]
        self.outgoing.fill(untouched)
        self.incoming.fill(untouched)
        beside = self.cube.view(np.uint8) != UNSEEN
        return "an element next to the face was written to" if beside.any() else ""

    def _pattern(self, origin: int) -> NDArray[np.float64]:
        edge = len(self.cube)
        return double_pattern(edge * edge, self._case.number, Piece(origin, 0)).reshape(edge, edge)
