"""Ghost layers of arrays on a mesh, filled with what the neighbours have: one plan for all of them."""

from __future__ import annotations

import itertools
import operator

import numpy as np

from polympi.deadline import Deadline
from polympi.native.core import PROC_NULL
from polympi.topology import agreed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from polympi.mesh_topology import MeshTopology


class Halo:
    """The ghost layers of one or several arrays: ``halo = cart.halo(u)`` makes it, and ``halo()`` fills them.

    Attributes:
        width: how many layers there are along each axis of the mesh, at both sides.
    """

    def __init__(
        self,
        cart: MeshTopology,
        arrays: NDArray[Any] | Sequence[NDArray[Any]],
        width: int | Sequence[int] = 1,
        corners: bool = False,
        timeout: float | None = None,
    ) -> None:
        """See :meth:`Cartesian.halo`."""
        deadline = Deadline("halo", timeout)
        given = [arrays] if isinstance(arrays, np.ndarray) else list(arrays)
        self.width, *_ = agreed(cart, "halo", lambda: _asked(cart, given, width, corners))
        self._plan = cart._private.plan()
        sizes = [range(-1, 2) if layers else range(1) for layers in self.width]
        for number, direction in enumerate(itertools.product(*sizes)):
            axes = sum(map(abs, direction))
            if axes == 0 or (axes > 1 and not corners):
                continue
            source, dest = (_beside(cart, direction, steps) for steps in (-1, 1))
            for place, array in enumerate(given):
                tag = number * len(given) + place
                self._plan.send(array[self._region(array, direction, ghosts=False)], dest, tag)
                self._plan.recv(array[self._region(array, direction, ghosts=True)], source, tag)
        self._plan.agree(timeout=deadline.left())

    def _region(self, array: NDArray[Any], direction: Sequence[int], *, ghosts: bool) -> tuple[slice, ...]:
        """What is sent in a direction: the layers at that side.

        With ghosts, where it arrives at the next rank: the ghost layers at the other side.
        """
        slices = []
        for extent, layers, step in zip(array.shape, self.width, direction, strict=False):
            first, behind = (0, extent) if ghosts else (layers, extent - layers)
            if step == 0:
                slices.append(slice(layers, extent - layers))
            elif (step > 0) == ghosts:
                slices.append(slice(first, first + layers))
            else:
                slices.append(slice(behind - layers, behind))
        return tuple(slices)

    def __call__(self, *, timeout: float | None = None) -> None:
        """Fill the ghost layers: ``start`` and ``finish``.

        Raises:
            Timeout: a neighbour has not done so in time; a later ``finish`` continues.
        """
        self._plan(timeout=timeout)

    def start(self) -> None:
        """Begin: do not write to the outer layers, and do not touch the ghost layers, before ``finish`` returns."""
        self._plan.start()

    def test(self) -> bool:
        """Whether ``finish`` would return at once; never waits."""
        return self._plan.test()

    def finish(self, *, timeout: float | None = None) -> None:
        """Wait until the ghost layers are filled.

        Raises:
            Timeout: a neighbour has not begun in time; a later call continues.
            StateError: ``start`` was not called.
        """
        self._plan.finish(timeout=timeout)

    def free(self) -> None:
        """Release the arrays. All ranks call it, before or after the mesh is freed."""
        self._plan.free()

    def __enter__(self) -> Halo:
        """The halo itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Free it."""
        self._plan.__exit__(*exception)


def _asked(
    cart: MeshTopology, arrays: Sequence[NDArray[Any]], width: int | Sequence[int], corners: bool
) -> tuple[tuple[int, ...], bool, tuple[str, ...]]:
    """The width along each axis, and the other arguments that must agree on all ranks."""
    axes = len(cart.dims)
    layers = tuple(map(operator.index, width)) if isinstance(width, (tuple, list)) else (operator.index(width),) * axes  # type: ignore[arg-type]
    if len(layers) != axes or any(layer < 0 for layer in layers):
        raise ValueError(f"width is {width}, but must be a number of layers, or one for each of {axes} axes")
    for array in arrays:
        if not isinstance(array, np.ndarray) or array.ndim < axes:
            shape = getattr(array, "shape", type(array).__name__)
            raise ValueError(f"a halo needs arrays with the {axes} axes of the mesh, not {shape}")
        if any(layer and extent < 3 * layer for extent, layer in zip(array.shape, layers, strict=False)):
            raise ValueError(
                f"an array of shape {array.shape} has less than {layers} layers between {layers} ghost layers"
            )
    return layers, bool(corners), tuple(str(array.dtype) for array in arrays)


def _beside(cart: MeshTopology, direction: Sequence[int], steps: int) -> int:
    """The rank that many steps in a direction; PROC_NULL beyond an open end."""
    coords = []
    for coord, step, extent, periodic in zip(cart.coords, direction, cart.dims, cart.periods, strict=True):
        moved = coord + steps * step
        if not periodic and not 0 <= moved < extent:
            return PROC_NULL
        coords.append(moved)
    return cart.rank_of(coords)
