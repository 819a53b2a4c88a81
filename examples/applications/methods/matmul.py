"""The product of two square matrices, cut into blocks on a mesh of ranks: SUMMA.

Each rank has one block of A, of B and of C = A B. Panel after panel of A, some of its columns, is broadcast along the
rows of ranks, and the same rows of B along the columns of ranks; then each rank adds the product of the two to its
block of C. After R. van de Geijn and J. Watts, SUMMA: scalable universal matrix multiplication algorithm, Concurrency:
Practice and Experience 9 (1997).

With A_ik = sin(i) + cos(k) and B_kj = cos(k) + sin(j) the product is known:

    C_ij = (sin(i) + sin(j)) S + n sin(i) sin(j) + T,    S = sum of cos(k),  T = sum of cos(k)^2
"""

from __future__ import annotations

import os
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of NumPy's BLAS: each rank has one processor

import numpy as np

from methods.driver import Parser, largest, measured, mesh, progress, verdict
from methods.meshes import ends_of
from methods.ranks import Solver, made_on_all, part_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from methods.interfaces import Field, Mesh, Ranks

WIDTH = 256  # of a panel at most: wide enough for a fast product, while a panel stays in the cache


def panels(edge: int, rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    """All panels: first and last index k (not included), the column of ranks with A's part, the row with B's."""
    of_rows, of_columns = ([part_of(edge, parts, part)[0] for part in range(parts)] for parts in (rows, columns))
    cuts = [*sorted({*of_rows, *of_columns}), edge]
    return [
        (first, min(first + WIDTH, stop), bisect_right(of_columns, first) - 1, bisect_right(of_rows, first) - 1)
        for begin, stop in pairwise(cuts)
        for first in range(begin, stop, WIDTH)
    ]


class Blocks(Solver):
    """The solver, with one block of each matrix on each rank. All ranks call each of its methods.

    Args:
        cart: the ranks, on a mesh.
        edge: rows of a matrix, and columns; they need not divide by the ranks.

    Raises:
        ValueError: on all ranks; there are more ranks along an axis than rows, or no memory on a rank.
    """

    def __init__(self, cart: Mesh, edge: int) -> None:
        self.cart: Any = cart
        self.edge = edge
        self.rows, self.columns = ends_of(cart, edge)
        try:
            self._check()
            made_on_all(cart, "the matrices", self._allocate)
        except ValueError:
            self.free()
            raise

    def _check(self) -> None:
        if self.edge < max(self.cart.dims):
            ranks = self.cart.size
            raise ValueError(f"matrices of {self.edge} rows are too small for {ranks} ranks: each needs one row")

    def _allocate(self) -> None:
        """Make this rank's blocks of the matrices, and room for panels."""
        (i, i_stop), (j, j_stop) = self.rows, self.columns
        k = np.cos(np.arange(self.edge))
        self.a = np.add.outer(np.sin(np.arange(i, i_stop)), k[j:j_stop])
        self.b = np.add.outer(k[i:i_stop], np.sin(np.arange(j, j_stop)))
        self.c = np.zeros((i_stop - i, j_stop - j))
        self.panels = panels(self.edge, *self.cart.dims)
        width = max(stop - first for first, stop, *_ in self.panels)
        self.room = np.empty(len(self.c) * width), np.empty(width * self.c.shape[1])  # for panels of A and B
        self.product = np.empty_like(self.c)

    def restart(self) -> None:
        """Forget the result."""
        self.c[...] = 0

    def advance(self, iterations: int) -> None:
        """Multiply this many times."""
        for _ in range(iterations):
            for number, panel in enumerate(self.panels):
                a, b = self._communicate(self._broadcast, *self._own_or_room(*panel), *panel[2:])
                if number == 0:
                    np.matmul(a, b, out=self.c)
                else:
                    self.c += np.matmul(a, b, out=self.product)

    def _own_or_room(self, first: int, stop: int, column: int, row: int) -> tuple[Field, Field]:
        """Panels of A and B: views of this rank's blocks, if they are there, else room for them."""
        rows, columns = self.c.shape
        a = self.room[0][: rows * (stop - first)].reshape(rows, -1)
        b = self.room[1][: (stop - first) * columns].reshape(-1, columns)
        if self.cart.coords[1] == column:
            a = self.a[:, first - self.columns[0] : stop - self.columns[0]]
        if self.cart.coords[0] == row:
            b = self.b[first - self.rows[0] : stop - self.rows[0]]
        return a, b

    def _broadcast(self, a: Field, b: Field, column: int, row: int) -> tuple[Field, Field]:
        """Panels of A and B on all ranks that need them, in the style of a program."""
        raise NotImplementedError

    def part(self) -> tuple[Field, tuple[int, ...]]:
        """This rank's block of C, and the indices of its first element."""
        return self.c, (self.rows[0], self.columns[0])

    def exact(self) -> Field:
        """What ``part`` has to give."""
        inner = np.cos(np.arange(self.edge))
        i, j = np.sin(np.arange(*self.rows)), np.sin(np.arange(*self.columns))
        return np.asarray(np.add.outer(i, j) * inner.sum() + self.edge * np.multiply.outer(i, j) + inner @ inner)

    def free(self) -> None:
        """Give back the mesh, in the style of a program."""
        raise NotImplementedError


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser("Multiply two matrices on all ranks.")
    parser.add_argument("--edge", type=int, default=1024, metavar="N", help="rows of a matrix, and columns (1024)")
    parser.add_argument("--iterations", type=int, default=3, metavar="N", help="how often they are multiplied (3)")
    return parser.numbers("iterations")


def run(given: argparse.Namespace, world: Ranks, made: Callable[..., Blocks]) -> int:
    """Multiply, check the result, say how long it took. Gives the exit code."""
    solver = made(world, given.edge)

    def multiply() -> None:
        for done in range(1, given.iterations + 1):
            solver.advance(1)
            progress(world, f"product {done} of {given.iterations}", last=done == given.iterations)

    seconds, share = measured(world, solver, multiply)
    error = largest(world, abs(solver.part()[0] - solver.exact()).max())
    rate = 2e-9 * given.edge**3 * given.iterations / seconds
    code = verdict(
        world,
        error <= 1e-12 * given.edge,  # sums of this many terms below 4, in another order
        f"{given.edge}^2 elements, {given.iterations} times, {mesh(solver.cart.dims)}",
        f"{seconds:.3f} s, {rate:.1f} billion operations a second, at most {share:.1%} of it in broadcasts",
        f"largest error: {error:.1e}",
    )
    solver.free()
    return code
