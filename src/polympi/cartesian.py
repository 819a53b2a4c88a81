"""Communicators whose ranks are the cells of a mesh (MPI 5.0, section 8.5)."""

from __future__ import annotations

import operator

from polympi import block, mesh, placement
from polympi.mesh_topology import MeshTopology
from polympi.native import core
from polympi.topology import agreed, cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from polympi.halo import Halo


class Cartesian(MeshTopology):
    """A communicator whose ranks are the cells of a mesh: ``world.cart((2, 3))`` makes it.

    Rank 0 is in the first cell, and the last axis varies fastest, as in C arrays. With ``reorder=True`` a rank
    may have another number here than in the communicator that the mesh was made of.

    Attributes:
        dims: how many ranks there are along each axis.
        periods: for each axis, whether its last rank has the first one as its neighbour.
        coords: of this rank.
        sources, destinations: both are the neighbours of this rank: for each axis the rank before it, then the rank
            after it; PROC_NULL at open ends.
    """

    def shift(self, axis: int, step: int = 1) -> tuple[int, int]:
        """The ranks to receive from and to send to, if all send that many steps along an axis.

        Args:
            axis: its number; negative ones count from the last.
            step: may be negative; 0 is this rank.

        Returns:
            ``(source, dest)``; PROC_NULL beyond an open end.

        Raises:
            ValueError: the mesh does not have the axis.

        MPI 5.0, section 8.5.6.
        """
        axis, step = self._mesh.axis(operator.index(axis)), operator.index(step)
        return self._mesh.beside(self.rank, axis, -step), self._mesh.beside(self.rank, axis, step)

    def sub(self, keep: Iterable[int | bool]) -> Cartesian:
        """The mesh of those ranks that differ from this one only along the axes to keep. All ranks call it.

        Args:
            keep: a bool for each axis, or the numbers of the axes to keep; they stay in order.

        Raises:
            TypeError, ValueError: keep names an axis that the mesh does not have, or one twice.
            MismatchError: ranks keep different axes, or another rank's argument is wrong.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 8.5.7.
        """
        kept = agreed(self, "sub", lambda: self._kept(keep))
        dropped = [0 if axis in kept else coord for axis, coord in enumerate(self.coords)]
        part = core.Communicator.split(self, self._mesh.rank_of(dropped), self.rank)
        return _on(part, mesh.Mesh([self.dims[axis] for axis in kept], [self.periods[axis] for axis in kept]))

    def _kept(self, keep: Iterable[int | bool]) -> tuple[int, ...]:
        """The numbers of the axes to keep."""
        given = list(keep)
        if any(isinstance(item, bool) for item in given):
            if len(given) != len(self.dims) or not all(isinstance(item, bool) for item in given):
                raise ValueError(f"keep is {given}, but must be a bool for each of {len(self.dims)} axes, or numbers")
            return tuple(axis for axis, kept in enumerate(given) if kept)
        axes = sorted(self._mesh.axis(operator.index(item)) for item in given)
        if len(set(axes)) < len(axes):
            raise ValueError(f"keep is {given}, which names an axis twice")
        return tuple(axes)

    def block(self, shape: Iterable[int], rank: int | None = None) -> block.Block:
        """Which part of a global array a rank has, without ghost layers.

        Args:
            shape: of the global array. Axes beyond those of the mesh are not divided.
            rank: whose part; None: that of this rank.

        Raises:
            RankError: the mesh does not have the rank.
            ValueError: the array has fewer axes than the mesh.
        """
        coords = self.coords if rank is None else self.coords_of(rank)
        return block.block_of([operator.index(extent) for extent in shape], self.dims, coords)

    def gather_blocks(
        self,
        u: NDArray[Any],
        root: int = 0,
        *,
        into: NDArray[Any] | None = None,
        timeout: float | None = None,
    ) -> NDArray[Any] | None:
        """Assemble the blocks of all ranks into the global array, on the root. All ranks call it.

        The inherited :meth:`~polympi.Communicator.gather` returns a list of objects. Here blocks are
        received in the array itself.

        Args:
            u: the block of this rank, without ghost layers: an array, also a view like ``u[1:-1, 1:-1]``.
            root: the rank that gets the array.
            into: at the root, the array to receive in. None: a new one, in C order.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Returns:
            The global array at the root, None elsewhere.

        Raises:
            RankError: the mesh does not have the root.
            MismatchError: the blocks do not fit together as :meth:`block` divides an array, or not in `into`, or
                differ in dtype; on all ranks.
            Timeout: not all blocks came in time.
        """
        from polympi.global_array import gather  # imports NumPy

        return gather(self, u, root, into, timeout)

    def scatter_blocks(
        self,
        a: NDArray[Any] | None = None,
        root: int = 0,
        *,
        into: NDArray[Any] | None = None,
        timeout: float | None = None,
    ) -> NDArray[Any]:
        """Give each rank its block of the global array that the root has. All ranks call it.

        Args:
            a: the global array, at the root; others may leave it out. Blocks are sent without a copy.
            root: the rank that has it.
            into: the array to receive the block in, also a view like ``u[1:-1, 1:-1]``. None: a new one.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Returns:
            The block of this rank: a copy, or into.

        Raises:
            RankError: the mesh does not have the root.
            MismatchError: `a` can't be divided, on all ranks; or `into` does not fit, on its rank.
            Timeout: the block did not arrive in time.
        """
        from polympi.global_array import scatter

        return scatter(self, a, root, into, timeout)

    def halo(
        self,
        arrays: NDArray[Any] | Sequence[NDArray[Any]],
        width: int | Sequence[int] = 1,
        corners: bool = False,
        *,
        timeout: float | None = None,
    ) -> Halo:
        """A :class:`Halo`, which fills ghost layers with the neighbours' outer layers. All ranks call it.

        Args:
            arrays: one, or several. Their first axes are those of the mesh, with ghost layers at both sides.
            width: how many ghost layers: a number, or one for each axis of the mesh, also 0.
            corners: also fill ghost cells beyond several sides at once, from neighbours along diagonals.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Raises:
            MismatchError: ranks give different widths, corners or dtypes, the sides of neighbours have different
                sizes, or another rank gives something wrong.
            TypeError, ValueError: the arrays have too few axes, or too few layers inside.
            Timeout: not all neighbours called it in time.
        """
        from polympi.halo import Halo  # imports NumPy

        return Halo(self, arrays, width, corners, timeout)


def make(
    comm: core.Communicator,
    dims: Sequence[int | None] | None,
    periods: bool | Sequence[bool],
    ndim: int | None,
    reorder: bool,
) -> Cartesian | None:
    """The mesh that :meth:`Communicator.cart` makes."""
    found, periodic, moves = agreed(comm, "cart", lambda: (*_asked(comm.size, dims, periods, ndim), bool(reorder)))
    cells = mesh.Mesh(found, periodic)
    key = _place(comm, cells) if moves else comm.rank
    part = core.Communicator.split(comm, 0 if comm.rank < cells.size else None, key)
    return _on(part, cells) if part else None


def _place(comm: core.Communicator, cells: mesh.Mesh) -> int:
    """The cell for this rank such that as many neighbours as possible share a machine; all ranks call it."""
    machines: list[int] = comm.allgather(core.machine())
    return placement.placed(cells, machines).index(comm.rank) if comm.rank < cells.size else comm.rank


def _asked(
    size: int, dims: Sequence[int | None] | None, periods: bool | Sequence[bool], ndim: int | None
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """The dims, complete, and the periods for each."""
    try:
        each = None if isinstance(periods, bool) else tuple(map(bool, periods))
    except TypeError:
        raise TypeError(f"periods must be a bool, or one for each axis, not {periods!r}") from None
    if dims is None and ndim is None and each is not None:
        ndim = len(each)
    found = mesh.complete(size, dims, ndim)
    periodic = (bool(periods),) * len(found) if each is None else each
    if len(periodic) != len(found):
        raise ValueError(f"there are {len(periodic)} periods for a mesh {found} with {len(found)} axes")
    return found, periodic


def _on(part: core.Communicator, cells: mesh.Mesh) -> Cartesian:
    """The communicator as a mesh; all its ranks call it."""
    cart = cast(part, Cartesian)
    cart._mesh = cells
    cart.coords = cells.coords_of(cart.rank)
    cart.sources = cart.destinations = cells.neighbors(cart.rank)
    # What is sent to one side arrives from the other, even if both are one rank: MPI 5.0, section 8.6.
    cart._order = tuple(place ^ 1 for place in range(len(cart.sources)))
    cart._open()
    return cart
