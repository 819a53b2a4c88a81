"""Communicators whose ranks are the cells of a mesh."""

from __future__ import annotations

import polympi
from polympi.compat.pympi.communicators import Communicator, _number_of
from polympi.compat.pympi.errors import ArgumentError, MPIError, own_errors, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class CartesianCommunicator(Communicator):
    """A communicator whose ranks are the cells of a mesh; a torus unless periods say otherwise.

    Attributes:
        dims: how many ranks along each axis, as given.
        ndims: how many axes there are.
        periods: for each axis, whether it is periodic, as given.
    """

    def __init__(
        self,
        old_comm: Communicator | None = None,
        dims: Sequence[int] | None = None,
        periods: Sequence[int] | None = None,
        reorder: int = 1,
    ) -> None:
        """A mesh of the ranks of a communicator; all ranks call it.

        Args:
            old_comm: None: WORLD.
            dims: how many ranks along each axis; None: one axis of all ranks.
            periods: whether an axis is periodic, for each; None: all are.
            reorder: whether ranks on several machines may get other numbers.
        """
        old = self._world if old_comm is None else old_comm
        self.dims = [old.size] if dims is None else dims
        self.ndims = len(self.dims)
        self.periods = [1] * self.ndims if periods is None else periods
        if len(self.periods) != self.ndims:
            raise ArgumentError(
                f"rank {old.rank}: there are {len(self.periods)} periods for {self.ndims} dims: give one for each."
            )
        flags = [bool(period) for period in self.periods]
        try:
            self._mesh = old._comm.cart(tuple(self.dims), flags, reorder=bool(reorder))
        except (polympi.Error, ValueError) as error:
            raise translated(error) from None
        self._take(self._mesh, _number_of(self._mesh))

    @own_errors
    def coords(self, rank: int | None = None) -> tuple[int, ...]:
        """The place of a rank; negative ones count from the last, None is this rank."""
        mesh = self._there()
        return mesh.coords_of(self.rank if rank is None else rank if rank >= 0 else rank + self.size)

    def shift(self, direction: int = 0, displacement: int = 1) -> tuple[int, int]:
        """The ranks to receive from and to send to, if all send that many steps along an axis.

        Beyond an open end there is a rank that is not there: nothing is sent to it, and None is received from it.
        """
        mesh = self._there()
        try:
            return mesh.shift(direction, displacement)
        except ValueError as error:
            raise translated(error) from None

    def _there(self) -> polympi.Cartesian:
        """The mesh that this rank is in."""
        if not self or self._mesh is None:
            raise MPIError("this rank is not in the mesh, which has fewer ranks: ask `if communicator:` first.")
        return self._mesh
