"""A rank's block of a mesh: its points, its memory, and the layers that are exchanged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from methods.ranks import part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from methods.interfaces import Field, Mesh

PAGE = 4096 // 8  # elements
HUGE_PAGE = 2**21 // 8  # elements
CACHE_LINE = 64 // 8  # elements


def ends_of(cart: Mesh, edge: int) -> list[tuple[int, int]]:
    """For each axis of a mesh this rank's first point, and the one after its last."""
    return [part_of(edge, ranks, place) for ranks, place in zip(cart.dims, cart.coords, strict=True)]


def layer(u: Field, axis: int, index: int) -> Field:
    """The points of a layer across an axis, without ghost points, as a view."""
    return u[tuple(index if own == axis else slice(1, -1) for own in range(u.ndim))]


def fields_of(shape: Sequence[int], count: int) -> list[Field]:
    """Fields of zeros, which begin at different places in a page of memory.

    Else a processor takes a value that is read for one with the same place in a page that is just written, and waits.
    The first begins with a huge page, so that Linux may give huge pages to all of them: 0.95 of the time of a wave.
    """
    elements = math.prod(shape)
    apart = PAGE // count // CACHE_LINE * CACHE_LINE + CACHE_LINE
    size = (elements + PAGE - 1) // PAGE * PAGE + apart
    memory = np.zeros(count * size + HUGE_PAGE)
    memory = memory[-memory.ctypes.data // 8 % HUGE_PAGE :]
    return [memory[i * size :][:elements].reshape(shape) for i in range(count)]
