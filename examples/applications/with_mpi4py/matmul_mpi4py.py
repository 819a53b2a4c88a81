"""The product of two square matrices, cut into blocks on a mesh of ranks: ../matmul.py with mpi4py.

    mpiexec -n 4 python examples/applications/with_mpi4py/matmul_mpi4py.py --edge 1024

The matrices are those of the program with polympi, and so are the method (SUMMA) and what is printed.
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
from mpi4py import MPI

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

    def __init__(self, world: MPI.Comm, edge: int, kernel: str = "numpy") -> None:
        if kernel != "numpy":
            raise ValueError(f"there is no kernel {kernel}, but numpy")
        self.dims = MPI.Compute_dims(world.Get_size(), 2)
        if edge < self.dims[0]:  # the larger one
            raise ValueError(f"matrices of {edge} rows are too small for {world.Get_size()} ranks: each needs one row")
        self.cart, self.edge = world.Create_cart(self.dims), edge
        self.communication_ns = 0
        self.row, self.column = self.cart.Sub([False, True]), self.cart.Sub([True, False])
        self.start, self.stop = [], []
        for place, parts in zip(self.cart.Get_coords(self.cart.Get_rank()), self.dims, strict=True):
            cuts = [*starts(edge, parts), edge]
            self.start.append(cuts[place])
            self.stop.append(cuts[place + 1])
        fits = True
        try:
            self._allocate()
        except MemoryError:
            fits = False
        if not world.allreduce(fits, op=MPI.LAND):
            self.free()
            raise ValueError("there is no memory for the matrices on one of the ranks")

    def _allocate(self) -> None:
        """Make this rank's blocks of the matrices, and room for panels."""
        (i, j), (i_stop, j_stop) = self.start, self.stop
        k = np.cos(np.arange(self.edge))
        self.a = np.add.outer(np.sin(np.arange(i, i_stop)), k[j:j_stop])
        self.b = np.add.outer(k[i:i_stop], np.sin(np.arange(j, j_stop)))
        self.c = np.zeros((i_stop - i, j_stop - j))
        self.panels = panels(self.edge, *self.dims)
        width = max(stop - first for first, stop, *_ in self.panels)
        self.room = np.empty(len(self.c) * width), np.empty(width * self.c.shape[1])  # for panels of A and B
        self.product = np.empty_like(self.c)

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
        """Panels of A and B, in buffers without gaps."""
        begun = time.perf_counter_ns()
        rows, columns = self.c.shape
        a = self.room[0][: rows * (stop - first)].reshape(rows, -1)
        b = self.room[1][: (stop - first) * columns].reshape(-1, columns)
        if self.row.Get_rank() == column:
            a[...] = self.a[:, first - self.start[1] : stop - self.start[1]]
        if self.column.Get_rank() == row:
            b = self.b[first - self.start[0] : stop - self.start[0]]
        self.row.Bcast(a, root=column)
        self.column.Bcast(b, root=row)
        self.communication_ns += time.perf_counter_ns() - begun
        return a, b

    def part(self) -> tuple[Matrix, tuple[int, ...]]:
        """This rank's block of C, and the indices of its first element."""
        return self.c, tuple(self.start)

    def exact(self) -> Matrix:
        """What ``part`` has to give."""
        inner = np.cos(np.arange(self.edge))
        i, j = (np.sin(np.arange(*ends)) for ends in zip(self.start, self.stop, strict=True))
        return np.asarray(np.add.outer(i, j) * inner.sum() + self.edge * np.multiply.outer(i, j) + inner @ inner)

    def free(self) -> None:
        """Give back the mesh, and its rows and columns."""
        self.row.Free()
        self.column.Free()
        self.cart.Free()


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


def run(given: argparse.Namespace, world: MPI.Comm) -> int:
    """Multiply, check the result, say how long it took. Gives the exit code."""
    solver = Matmul(world, given.edge)
    told = world.rank == 0 and sys.stderr.isatty()
    world.Barrier()
    begun = time.perf_counter()
    for done in range(given.iterations):
        solver.advance(1)
        if told:
            end = "" if done + 1 < given.iterations else "\n"
            print(f"\rproduct {done + 1} of {given.iterations}", end=end, file=sys.stderr, flush=True)
    seconds = world.allreduce(time.perf_counter() - begun, op=MPI.MAX)
    broadcasts = world.allreduce(solver.communication_ns * 1e-9, op=MPI.MAX)
    part, _ = solver.part()
    error = world.allreduce(float(abs(part - solver.exact()).max()), op=MPI.MAX)
    right = error <= 1e-12 * given.edge  # sums of so many terms below 4, added up in another order
    if world.rank == 0:
        print(f"{given.edge}^2 elements, {given.iterations} times, ranks {' x '.join(map(str, solver.dims))}")
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
    world = MPI.COMM_WORLD
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"matmul_mpi4py.py: {error}", file=sys.stderr, flush=True)
        world.Barrier()  # the first rank that ends with an error ends the others, too
        return 2


if __name__ == "__main__":
    sys.exit(main())
