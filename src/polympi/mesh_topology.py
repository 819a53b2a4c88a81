"""What halos and global arrays need of a mesh of ranks; :class:`Cartesian` adds the calls that make them."""

from __future__ import annotations

import operator

from polympi.topology import Topology

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from polympi import mesh


class MeshTopology(Topology):
    """A communicator whose ranks are the cells of a mesh, and where each of them is."""

    _mesh: mesh.Mesh
    coords: tuple[int, ...]

    @property
    def dims(self) -> tuple[int, ...]:
        """How many ranks there are along each axis."""
        return self._mesh.dims

    @property
    def periods(self) -> tuple[bool, ...]:
        """For each axis, whether its last rank has the first one as its neighbour."""
        return self._mesh.periods

    def coords_of(self, rank: int) -> tuple[int, ...]:
        """The coordinates of a rank.

        Raises:
            RankError: the mesh does not have it.

        MPI 5.0, section 8.5.5.
        """
        return self._mesh.coords_of(operator.index(rank))

    def rank_of(self, coords: Iterable[int]) -> int:
        """The rank at these coordinates, which wrap around along periodic axes.

        Raises:
            RankError: they are outside of the mesh along an open axis, or are not one for each axis.

        MPI 5.0, section 8.5.5.
        """
        return self._mesh.rank_of([operator.index(coord) for coord in coords])
