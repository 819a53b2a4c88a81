"""The product of two square matrices, cut into blocks on a mesh of ranks: SUMMA.

    mpiexec -n 4 python examples/applications/matmul.py --edge 1024

Each rank has one block of A, of B and of C = A B. Panel after panel of A, some of its columns, is broadcast along the
rows of ranks, and the same rows of B along the columns of ranks; then each rank adds the product of the two to its
block of C. After R. van de Geijn and J. Watts, SUMMA: scalable universal matrix multiplication algorithm, Concurrency:
Practice and Experience 9 (1997).

With A_ik = sin(i) + cos(k) and B_kj = cos(k) + sin(j) the product is known:

    C_ij = (sin(i) + sin(j)) S + n sin(i) sin(j) + T,    S = sum of cos(k),  T = sum of cos(k)^2
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of NumPy's BLAS: a processor has a rank, and no threads besides

import numpy as np

import polympi as mpi

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

WIDTH = 256  # of a panel at most: wide enough for a fast product, while a panel stays in the cache


def starts(edge: int, parts: int) -> list[int]:
    """Where the parts of an axis begin, as blocks of a mesh do: the first ones are one longer, if any are."""
    each, more = divmod(edge, parts)
    return [part * each + min(part, more) for part in range(parts)]


def panels(edge: int, rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    """All panels: first and last index k (not included), the column of ranks with A's part, the row with B's."""
    of_rows, of_columns = starts(edge, rows), starts(edge, columns)
    cuts = [*sorted({*of_rows, *of_columns}), edge]
    return [
        (first, min(first + WIDTH, stop), bisect_right(of_columns, first) - 1, bisect_right(of_rows, first) - 1)
        for begin, stop in pairwise(cuts)
        for first in range(begin, stop, WIDTH)
    ]


class Matmul:
    """The solver, with one block of each matrix on each rank. All ranks call each of its methods.

    Args:
        world: the ranks.
        edge: rows of a matrix, and columns; they need not divide by the ranks.
        kernel: "numpy".

    Attributes:
        communication_ns: nanoseconds that this rank has spent in broadcasts.

    Raises:
        ValueError: on all ranks; there are more ranks along an axis than rows, no such kernel, or no memory on a rank.
    """

    def __init__(self, world: mpi.Communicator, edge: int, kernel: str = "numpy") -> None:
        if kernel != "numpy":
            raise ValueError(f"there is no kernel {kernel}, but numpy")
        cart = world.cart(ndim=2)
        assert cart is not None  # no rank is left over
        if edge < cart.dims[0]:  # the larger one
            cart.free()
            raise ValueError(f"matrices of {edge} rows are too small for {world.size} ranks: each needs one row")
        self.cart, self.edge = cart, edge
        self.communication_ns = 0
        self.row, self.column = cart.sub([1]), cart.sub([0])  # the ranks beside this one, and above and below it
        self.block = cart.block((edge, edge))
        problem = None
        try:
            self._allocate()
        except MemoryError as error:
            problem = f"there is no memory for the matrices: {error}"
        problems = [text for text in cart.allgather(problem) if text]
        if problems:
            self.free()
            raise ValueError(problems[0])

    def _allocate(self) -> None:
        """Make this rank's blocks of the matrices, and room for panels."""
        (i, j), (i_stop, j_stop) = self.block.start, self.block.stop
        k = np.cos(np.arange(self.edge))
        self.a = np.add.outer(np.sin(np.arange(i, i_stop)), k[j:j_stop])
        self.b = np.add.outer(k[i:i_stop], np.sin(np.arange(j, j_stop)))
        self.c = np.zeros(self.block.shape)
        self.panels = panels(self.edge, *self.cart.dims)
        width = max(stop - first for first, stop, *_ in self.panels)
        rows, columns = self.block.shape
        self.room = np.empty(rows * width), np.empty(width * columns)  # for panels of A and B
        self.product = np.empty(self.block.shape)

    def restart(self) -> None:
        """Forget the result."""
        self.c[...] = 0

    def advance(self, iterations: int) -> None:
        """Multiply so many times."""
        for _ in range(iterations):
            for number, panel in enumerate(self.panels):
                a, b = self._shared(*panel)
                if number == 0:
                    np.matmul(a, b, out=self.c)
                else:
                    self.c += np.matmul(a, b, out=self.product)

    def _shared(self, first: int, stop: int, column: int, row: int) -> tuple[Matrix, Matrix]:
        """Panels of A and B. Who has one needs no copy of it: a view is sent as it is."""
        rows, columns = self.block.shape
        a = self.room[0][: rows * (stop - first)].reshape(rows, -1)
        b = self.room[1][: (stop - first) * columns].reshape(-1, columns)
        if self.row.rank == column:
            a = self.a[:, first - self.block.start[1] : stop - self.block.start[1]]
        if self.column.rank == row:
            b = self.b[first - self.block.start[0] : stop - self.block.start[0]]
        begun = time.perf_counter_ns()
        self.row.bcast(a, root=column, into=a)
        self.column.bcast(b, root=row, into=b)
        self.communication_ns += time.perf_counter_ns() - begun
        return a, b

    def part(self) -> tuple[Matrix, tuple[int, ...]]:
        """This rank's block of C, and the indices of its first element."""
        return self.c, self.block.start

    def exact(self) -> Matrix:
        """What ``part`` has to give."""
        inner = np.cos(np.arange(self.edge))
        i, j = (np.sin(np.arange(*ends)) for ends in zip(self.block.start, self.block.stop, strict=True))
        return np.asarray(np.add.outer(i, j) * inner.sum() + self.edge * np.multiply.outer(i, j) + inner @ inner)

    def free(self) -> None:
        """Give back the mesh, and its rows and columns."""
        self.row.free()
        self.column.free()
        self.cart.free()


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print."""

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser(description="Multiply two matrices on all ranks.", allow_abbrev=False)
    parser.add_argument("--edge", type=int, default=1024, metavar="N", help="rows of a matrix, and columns (1024)")
    parser.add_argument("--iterations", type=int, default=3, metavar="N", help="how often they are multiplied (3)")
    given = parser.parse_args()
    if given.iterations < 1:
        raise ValueError(f"--iterations {given.iterations} is not a positive number")
    return given


def run(given: argparse.Namespace, world: mpi.Communicator) -> int:
    """Multiply, check the result, say how long it took. Gives the exit code."""
    solver = Matmul(world, given.edge)
    told = world.rank == 0 and sys.stderr.isatty()
    world.barrier()
    begun = time.perf_counter()
    for done in range(given.iterations):
        solver.advance(1)
        if told:
            end = "" if done + 1 < given.iterations else "\n"
            print(f"\rproduct {done + 1} of {given.iterations}", end=end, file=sys.stderr, flush=True)
    seconds = world.allreduce(time.perf_counter() - begun, op=mpi.MAX)
    broadcasts = world.allreduce(solver.communication_ns * 1e-9, op=mpi.MAX)
    part, _ = solver.part()
    error = world.allreduce(float(abs(part - solver.exact()).max()), op=mpi.MAX)
    right = error <= 1e-12 * given.edge  # sums of so many terms below 4, added up in another order
    if world.rank == 0:
        print(f"{given.edge}^2 elements, {given.iterations} times, ranks {' x '.join(map(str, solver.cart.dims))}")
        rate = 2e-9 * given.edge**3 * given.iterations / seconds
        share = broadcasts / seconds
        print(f"{seconds:.3f} s, {rate:.1f} billion operations a second, at most {share:.1%} of it in broadcasts")
        print(f"largest error: {error:.1e}")
        if not right:
            print("The result is wrong.", file=sys.stderr)
    solver.free()
    return 0 if right else 1


def main() -> int:
    """Run with the arguments of the command line. Gives the exit code: 2 if they cannot be followed."""
    world = mpi.world
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"matmul.py: {error}", file=sys.stderr, flush=True)
        world.barrier()  # the first rank that ends with an error ends the others, too
        return 2


if __name__ == "__main__":
    sys.exit(main())
