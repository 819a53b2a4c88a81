"""Which rank is in which cell of a mesh, so that neighbours share a machine. Pure functions of numbers.

A message between machines takes many times as long as one within a machine. A mesh has few of them if the cells of
each machine are a box that is as compact as possible (W. D. Gropp, Using node and socket information to implement MPI
Cartesian topologies, Parallel Computing 85 (2019)).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polympi.mesh import Mesh


def placed(cells: Mesh, machines: Sequence[int]) -> list[int]:
    """The rank for each cell.

    Several orders of the cells are tried, and their ranks taken in turn and machine by machine. The first of those
    with the fewest neighbours on different machines is taken; ranks in turn are the first, so they keep their order if
    nothing is gained.

    Args:
        cells: the mesh.
        machines: a number for each rank, of the machine it is on; the mesh has the first ``cells.size`` of the ranks.
    """
    ranks = range(cells.size)
    lowest: dict[int, int] = {}
    for rank in ranks:
        lowest.setdefault(machines[rank], rank)
    together = sorted(ranks, key=lambda rank: (lowest[machines[rank]], rank))
    sizes = set(Counter(machines[rank] for rank in ranks).values())
    boxes = _boxes(sizes.pop(), cells.dims) if len(sizes) == 1 else ()
    orders = [list(ranks), _halved(cells), *(_boxed(cells, box) for box in boxes)]
    tried = [list(ranks)]
    for order in orders:
        place = [0] * cells.size
        for cell, rank in zip(order, together, strict=True):
            place[cell] = rank
        tried.append(place)
    return min(tried, key=lambda place: crossings(cells, [machines[rank] for rank in place]))


def crossings(cells: Mesh, machine: Sequence[int]) -> int:
    """How many pairs of neighbours are on different machines, given the machine of each cell."""
    steps = [math.prod(cells.dims[axis + 1 :]) for axis in range(len(cells.dims))]
    count = 0
    for axis, extent in enumerate(cells.dims):
        for cell in range(cells.size):
            last = cell // steps[axis] % extent == extent - 1
            if not last:
                count += machine[cell] != machine[cell + steps[axis]]
            elif cells.periods[axis]:
                count += machine[cell] != machine[cell - steps[axis] * (extent - 1)]
    return count


def _boxes(size: int, dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Boxes of that many cells which fill the mesh."""
    if not dims:
        if size == 1:
            yield ()
        return
    for extent in range(1, min(size, dims[0]) + 1):
        if size % extent == 0 and dims[0] % extent == 0:
            for rest in _boxes(size // extent, dims[1:]):
                yield (extent, *rest)


def _boxed(cells: Mesh, box: Sequence[int]) -> list[int]:
    """The cells box by box."""
    corners = itertools.product(*(range(0, extent, by) for extent, by in zip(cells.dims, box, strict=True)))
    inside = list(itertools.product(*map(range, box)))
    return [
        cells.rank_of([at + by for at, by in zip(corner, within, strict=True)])
        for corner in corners
        for within in inside
    ]


def _halved(cells: Mesh) -> list[int]:
    """The cells of one half, then of the other, recursively: consecutive cells are near."""
    order: list[int] = []
    waiting = [tuple((0, extent) for extent in cells.dims)]
    while waiting:
        box = waiting.pop()
        axis = max(range(len(box)), key=lambda number: box[number][1] - box[number][0], default=None)
        if axis is None or box[axis][1] - box[axis][0] == 1:
            order.append(cells.rank_of([first for first, _ in box]))
            continue
        first, behind = box[axis]
        middle = (first + behind + 1) // 2
        for half in ((middle, behind), (first, middle)):  # the last of the list is the next
            waiting.append((*box[:axis], half, *box[axis + 1 :]))
    return order
