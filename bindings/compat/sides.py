"""The sides of a rank's block, whose values its neighbours need: what each module has to send and to receive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from methods.meshes import layer

import polympi as mpi

if TYPE_CHECKING:
    from methods.interfaces import Field


@dataclass(frozen=True)
class Side:
    """One side of a block that has a neighbour.

    Attributes:
        neighbor: that rank, in the world.
        edge: the outermost points of this rank, a view: what the neighbour needs.
        ghost: the points beyond them, a view: what the neighbour sends.
        buffer: an array in one piece, of the shape of ghost, for modules that receive into one.
        sends_first: whether this rank sends before it receives. Its neighbour then does the other, so that blocking
            calls do not wait for each other.
    """

    neighbor: int
    edge: Field
    ghost: Field
    buffer: Field
    sends_first: bool


def sides_of(cart: mpi.Cartesian, u: Field) -> list[Side]:
    """The sides of a field with a ghost layer along each axis, in an order in which all ranks can exchange at once."""
    found = []
    for axis, place in enumerate(cart.coords):
        even = place % 2 == 0
        for upper in (True, False) if even else (False, True):
            neighbor = cart.sources[2 * axis + upper]
            if neighbor != mpi.PROC_NULL:
                edge, ghost = (layer(u, axis, index) for index in ((-2, -1) if upper else (1, 0)))
                found.append(Side(neighbor, edge, ghost, np.empty(ghost.shape), even))
    return found


class Ghosts:
    """The ghost layers of a field, which a module fills by its own calls.

    Attributes:
        sides: those of this rank's block.
    """

    def __init__(self, sides: list[Side]) -> None:
        self.sides = sides

    def free(self) -> None:
        """Nothing."""
