"""The loops over a rank's unknowns in conjugate gradients: functions of NumPy, or what Numba compiles."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from methods.interfaces import Field

    Box = tuple[tuple[int, int], tuple[int, int]]  # for each axis its first unknown, and the one after its last

PIECE = 2**14  # elements that NumPy's functions pass over at a time: 128 KB of each array stay in the cache


class Kernel(Protocol):
    """The loops over the unknowns of a rank. All vectors have a layer of ghost elements around them."""

    def multiply(self, u: Field, product: Field, box: Box, /) -> float:
        """Write A u to the product in a box; gives <u, A u> there."""
        ...

    def update(self, x: Field, r: Field, p: Field, v: Field, alpha: float, /) -> float:
        """Add alpha p to x, subtract alpha v from r; gives <r, r>."""
        ...

    def turn(self, p: Field, r: Field, beta: float, /) -> None:
        """Set p to r + beta p."""


class NumPyKernel:
    """The loops by functions of NumPy, a few rows at a time.

    Args:
        shape: of a vector, with ghost layers.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.rows = max(1, PIECE // shape[1])
        self.columns = shape[1]
        self.room = np.empty(self.rows * shape[1])

    def _pieces(self, first: int, stop: int) -> Iterator[slice]:
        for begin in range(first, stop, self.rows):
            yield slice(begin, min(begin + self.rows, stop))

    def _lines(self, *vectors: Field) -> Iterator[list[Field]]:
        """The same rows of several vectors as lines, which NumPy passes fastest.

        The ghost elements on them are computed, too: those at the boundary stay 0, and others are exchanged before
        they are used.
        """
        for rows in self._pieces(1, len(vectors[0]) - 1):
            yield [vector[rows].reshape(-1) for vector in vectors]

    def multiply(self, u: Field, product: Field, box: Box) -> float:
        """See Kernel."""
        (first, stop), (left, right) = box
        if (left, right) == (1, self.columns - 1):
            return self._multiply_lines(u.reshape(-1), product.reshape(-1), first, stop)
        total = 0.0
        for rows in self._pieces(first, stop):
            inner, result = u[rows, left:right], product[rows, left:right]
            np.multiply(inner, 4.0, out=result)
            result -= u[rows.start - 1 : rows.stop - 1, left:right]
            result -= u[rows.start + 1 : rows.stop + 1, left:right]
            result -= u[rows, left - 1 : right - 1]
            result -= u[rows, left + 1 : right + 1]
            total += np.einsum("ij,ij->", inner, result)
        return total

    def _multiply_lines(self, u: Field, product: Field, first: int, stop: int) -> float:
        """Multiply whole rows as lines. Their ghost elements are computed, too, and set to 0 again."""
        total = 0.0
        for rows in self._pieces(first, stop):
            begin, end = rows.start * self.columns, rows.stop * self.columns
            inner, result = u[begin:end], product[begin:end]
            np.multiply(inner, 4.0, out=result)
            for step in (-self.columns, self.columns, -1, 1):
                result -= u[begin + step : end + step]
            result.reshape(-1, self.columns)[:, :: self.columns - 1] = 0
            total += np.einsum("i,i->", inner, result)
        return total

    def update(self, x: Field, r: Field, p: Field, v: Field, alpha: float) -> float:
        """See Kernel."""
        total = 0.0
        for of_x, of_r, of_p, of_v in self._lines(x, r, p, v):
            room = self.room[: of_x.size]
            np.multiply(of_p, alpha, out=room)
            np.add(of_x, room, out=of_x)
            np.multiply(of_v, alpha, out=room)
            np.subtract(of_r, room, out=of_r)
            inner = of_r.reshape(-1, self.columns)[:, 1:-1]
            total += np.einsum("ij,ij->", inner, inner)
        return total

    def turn(self, p: Field, r: Field, beta: float) -> None:
        """See Kernel."""
        for of_p, of_r in self._lines(p, r):
            np.multiply(of_p, beta, out=of_p)
            np.add(of_p, of_r, out=of_p)


class NumbaKernel:
    """The loops compiled by Numba. The argument is that of NumPyKernel."""

    def __init__(self, _shape: tuple[int, ...]) -> None:
        multiply, update, turn = compiled_loops()
        self.multiply: Callable[[Field, Field, Box], float] = multiply
        self.update: Callable[[Field, Field, Field, Field, float], float] = update
        self.turn: Callable[[Field, Field, float], None] = turn
        vectors = [np.zeros((3, 3)) for _ in range(4)]
        multiply(vectors[0], vectors[1], ((1, 2), (1, 2)))  # compiles it now, and not in the first iteration
        update(*vectors, 0.0)
        turn(vectors[0], vectors[1], 0.0)


@functools.cache
def compiled_loops() -> tuple[Callable[..., Any], ...]:
    """The loops of NumbaKernel.

    Raises:
        ImportError: there is no Numba.
    """
    import numba  # noqa: PLC0415 - only for who wants it

    # A compiler may reorder the additions of these sums, and so make vectors of them.
    @numba.njit(cache=True, fastmath={"reassoc"})
    def multiply(u: Field, product: Field, box: Box) -> float:
        (first, stop), (left, right) = box
        total = 0.0
        for i in range(first, stop):
            # Slices, so that the compiler knows that no index is negative, and makes vectors of the loop.
            row, result = u[i, left:right], product[i, left:right]
            lower, upper = u[i - 1, left:right], u[i + 1, left:right]
            before, behind = u[i, left - 1 : right - 1], u[i, left + 1 : right + 1]
            for j in range(row.size):
                value = 4.0 * row[j] - ((lower[j] + upper[j]) + (before[j] + behind[j]))
                result[j] = value
                total += row[j] * value
        return total

    @numba.njit(cache=True, fastmath={"reassoc"})
    def update(x: Field, r: Field, p: Field, v: Field, alpha: float) -> float:
        total = 0.0
        for i in range(1, x.shape[0] - 1):
            of_x, of_r, of_p, of_v = x[i, 1:-1], r[i, 1:-1], p[i, 1:-1], v[i, 1:-1]
            for j in range(of_x.size):
                of_x[j] += alpha * of_p[j]
                rest = of_r[j] - alpha * of_v[j]
                of_r[j] = rest
                total += rest * rest
        return total

    @numba.njit(cache=True)
    def turn(p: Field, r: Field, beta: float) -> None:
        for i in range(1, p.shape[0] - 1):
            of_p, of_r = p[i, 1:-1], r[i, 1:-1]
            for j in range(of_p.size):
                of_p[j] = of_r[j] + beta * of_p[j]

    return multiply, update, turn


KERNELS: dict[str, type[NumPyKernel | NumbaKernel]] = {"numpy": NumPyKernel, "numba": NumbaKernel}
