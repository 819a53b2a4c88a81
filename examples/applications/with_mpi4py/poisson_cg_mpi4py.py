"""Poisson's equation in a square by conjugate gradients, on a mesh of ranks that exchange the sides of their blocks.

    mpiexec -n 2 python examples/applications/with_mpi4py/poisson_cg_mpi4py.py --mesh 1025 --plot residual.png

lap(u) = -f on the unit square, u = 0 on its boundary; central differences at the spacing h = 1 / (mesh + 1) give a
system A x = b: A has 4 on its diagonal and -1 for each of four neighbours, b = h^2 f. With f = 2 (x (1 - x) + y (1 -
y)) the solution is x (1 - x) y (1 - y), which central differences give exactly.

The method is that of M. R. Hestenes and E. Stiefel, J. Res. Natl. Bur. Stand. 49 (1952). In the variant `merged`, that
of A. T. Chronopoulos and C. W. Gear, J. Comput. Appl. Math. 25 (1989), both sums of an iteration take one reduction.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from mpi4py import MPI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Field = NDArray[np.float64]
    Box = tuple[tuple[int, int], tuple[int, int]]  # for each axis its first unknown, and the one behind its last

VARIANTS = ("blocking", "overlapped", "merged")
SMALLEST = 1e-8  # of <r, r> over its first value: then the solution is found
HUGE_PAGE = 2**21 // 8  # elements
PIECE = 2**14  # elements that NumPy's functions pass over at a time: 128 KB of each array stay in the cache


class NumPyKernel:
    """The loops over the unknowns of a rank by functions of NumPy, a few rows at a time. Vectors have ghost layers.

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
        """Write A u to the product in a box; gives <u, A u> there."""
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
        """Add alpha p to x, subtract alpha v from r; gives <r, r>."""
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
        """Set p to r + beta p."""
        for of_p, of_r in self._lines(p, r):
            np.multiply(of_p, beta, out=of_p)
            np.add(of_p, of_r, out=of_p)


def divided(edge: int, ranks: int, place: int) -> tuple[int, int]:
    """The first unknown of a rank, and the one behind its last. Of those left over, the first ranks get one more."""
    each, more = divmod(edge, ranks)
    start = place * each + min(place, more)
    return start, start + each + (place < more)


def vectors_of(shape: tuple[int, ...], count: int) -> list[Field]:
    """Vectors of zeros, which begin at different places in a page of memory.

    Else a processor takes a value that is read for one with the same place in a page that is just written, and waits.
    The first begins with a huge page, so that Linux may give huge pages to all of them.
    """
    apart = 4096 // 8 // count // 8 * 8
    size = (shape[0] * shape[1] + 511) // 512 * 512 + apart
    memory = np.zeros(count * size + HUGE_PAGE)
    memory = memory[-memory.ctypes.data // 8 % HUGE_PAGE :]
    return [memory[i * size :][: shape[0] * shape[1]].reshape(shape) for i in range(count)]


class PoissonCG:
    """The solver, with one block of the mesh on each rank. All ranks call each of its methods.

    Args:
        world: the ranks.
        edge: unknowns along each axis of the mesh.
        variant: "blocking"; "overlapped": what needs no remote value is multiplied while the values are under way;
            "merged": one reduction an iteration instead of two.

    Attributes:
        rho: <r, r>, as the recurrence has it.
        first: its first value.
        communication_ns: nanoseconds that this rank has spent in exchanges and reductions.

    Raises:
        ValueError: on all ranks; the mesh is too small for them, there is no such variant, or no memory on a rank.
    """

    def __init__(self, world: MPI.Intracomm, edge: int, variant: str = "blocking") -> None:
        if variant not in VARIANTS:
            raise ValueError(f"there is no variant {variant}, but {', '.join(VARIANTS)}")
        self.dims = MPI.Compute_dims(world.size, 2)
        if edge < max(self.dims):
            ranks = " x ".join(map(str, self.dims))
            raise ValueError(f"a mesh of {edge} unknowns along each axis is too small for {ranks} ranks")
        self.cart = world.Create_cart(self.dims)
        self.edge, self.variant = edge, variant
        self.communication_ns = 0
        self.ends = [divided(edge, ranks, place) for ranks, place in zip(self.dims, self.cart.coords, strict=True)]
        self.neighbors = [rank for axis in range(2) for rank in self.cart.Shift(axis, 1)]
        fits = True
        try:
            self._allocate()
        except MemoryError:
            fits = False
        if not self.cart.allreduce(fits, op=MPI.LAND):
            self.free()
            raise ValueError("there is no memory for the mesh on one of the ranks")
        self.restart()

    def _allocate(self) -> None:
        """Make the vectors, with ghost layers."""
        rows, columns = (stop - start for start, stop in self.ends)
        self.shape = (rows + 2, columns + 2)
        self.kernel = NumPyKernel(self.shape)
        self.x, self.r, self.p, self.v, self.w = vectors_of(self.shape, 5)
        # What A multiplies is exchanged: p, and when merged r, of which w = A r follows; first of all x.
        self.exchanged = self.r if self.variant == "merged" else self.p
        # Columns do not lie side by side: they are copied.
        self.outgoing, self.incoming = np.zeros((2, rows)), np.zeros((2, rows))
        remote = [neighbor != MPI.PROC_NULL for neighbor in self.neighbors]
        self.local = [
            (1 + remote[2 * axis], max(self.shape[axis] - 1 - remote[2 * axis + 1], 1 + remote[2 * axis]))
            for axis in range(2)
        ]
        self.right = self._right_side()

    def _axes(self) -> tuple[Field, Field]:
        """Gives x (1 - x) for the rows of this rank, and y (1 - y) for its columns."""
        places = [(np.arange(*ends) + 1) / (self.edge + 1) for ends in self.ends]
        x, y = (place * (1 - place) for place in places)
        return x[:, None], y

    def _right_side(self) -> Field:
        x, y = self._axes()
        return np.asarray(2.0 / (self.edge + 1) ** 2 * (x + y))

    def restart(self) -> None:
        """Take the first state: x = b, r = p = b - A x."""
        x, r, p, v = (vector[1:-1, 1:-1] for vector in (self.x, self.r, self.p, self.v))
        self.exchanged[1:-1, 1:-1] = x[...] = self.right
        self._multiply(self.v)
        r[...] = p[...] = self.right - v
        sums = [float(np.einsum("ij,ij->", r, r)), 0.0]
        if self.variant == "merged":
            sums[1] = self._multiply(self.w)
            self.beta = 0.0
        self.rho, product = self._sum(sums)
        self.first = self.rho
        if self.variant == "merged":
            self.alpha = self.rho / product

    def advance(self, iterations: int) -> None:
        """Make so many iterations. Where the solution is found, the next one is the first again."""
        for _ in range(iterations):
            if self.rho <= SMALLEST * self.first:
                self.restart()
            if self.variant == "merged":
                self._iterate_merged()
            else:
                self._iterate()

    def _iterate(self) -> None:
        kernel = self.kernel
        (product,) = self._sum([self._multiply(self.v)])
        (rho,) = self._sum([kernel.update(self.x, self.r, self.p, self.v, self.rho / product)])
        kernel.turn(self.p, self.r, rho / self.rho)
        self.rho = rho

    def _iterate_merged(self) -> None:
        """Here v = A p follows from w = A r, so that <r, r> and <r, A r> are known at the same time."""
        kernel = self.kernel
        kernel.turn(self.p, self.r, self.beta)
        kernel.turn(self.v, self.w, self.beta)
        square = kernel.update(self.x, self.r, self.p, self.v, self.alpha)
        rho, product = self._sum([square, self._multiply(self.w)])
        self.beta = rho / self.rho
        self.alpha = rho / (product - self.beta * rho / self.alpha) if rho else 0.0  # 0: x is exact
        self.rho = rho

    def _multiply(self, product: Field) -> float:
        """A times what is exchanged; gives this rank's part of their inner product."""
        bottom, behind = (extent - 1 for extent in self.shape)
        multiply, u = self.kernel.multiply, self.exchanged
        requests = self._start()
        if self.variant != "overlapped":
            self._finish(requests)
            return multiply(u, product, ((1, bottom), (1, behind)))
        rows, columns = self.local
        total = multiply(u, product, (rows, columns))
        self._finish(requests)
        # What is beside ghost layers, each unknown once: whole rows, then the ends of the others.
        total += multiply(u, product, ((1, rows[0]), (1, behind)))
        total += multiply(u, product, ((rows[1], bottom), (1, behind)))
        total += multiply(u, product, (rows, (1, columns[0])))
        return total + multiply(u, product, (rows, (columns[1], behind)))

    def _start(self) -> list[MPI.Request]:
        """Begin to send the sides of this rank's block, and to receive those of its neighbours."""
        begun = time.perf_counter_ns()
        top, bottom, left, right = self.neighbors
        u, cart = self.exchanged, self.cart
        self.outgoing[0], self.outgoing[1] = u[1:-1, 1], u[1:-1, -2]
        requests = [
            cart.Irecv(u[0, 1:-1], top, 0),
            cart.Irecv(u[-1, 1:-1], bottom, 1),
            cart.Irecv(self.incoming[0], left, 2),
            cart.Irecv(self.incoming[1], right, 3),
            cart.Isend(u[1, 1:-1], top, 1),
            cart.Isend(u[-2, 1:-1], bottom, 0),
            cart.Isend(self.outgoing[0], left, 3),
            cart.Isend(self.outgoing[1], right, 2),
        ]
        self.communication_ns += time.perf_counter_ns() - begun
        return requests

    def _finish(self, requests: list[MPI.Request]) -> None:
        """Wait for all that has begun."""
        begun = time.perf_counter_ns()
        MPI.Request.Waitall(requests)
        u = self.exchanged
        u[1:-1, 0], u[1:-1, -1] = self.incoming  # of no neighbour: zeros, as at the boundary
        self.communication_ns += time.perf_counter_ns() - begun

    def _sum(self, values: list[float]) -> list[float]:
        """The sums over all ranks."""
        begun = time.perf_counter_ns()
        sums = np.array(values)
        self.cart.Allreduce(MPI.IN_PLACE, sums)
        self.communication_ns += time.perf_counter_ns() - begun
        return [float(each) for each in sums]

    def part(self) -> tuple[Field, tuple[int, ...]]:
        """This rank's values of x, and the global index of the first of them."""
        return self.x[1:-1, 1:-1], tuple(start for start, _ in self.ends)

    def residual(self) -> float:
        """|b - A x|^2 over its first value, computed anew. What the next iteration needs is lost: restart() follows."""
        self.exchanged[...] = self.x
        self._multiply(self.v)
        rest = self.right - self.v[1:-1, 1:-1]
        return self._sum([float(np.einsum("ij,ij->", rest, rest))])[0] / self.first

    def error(self) -> float:
        """The largest difference from the solution, over its largest value, on all ranks."""
        x, y = self._axes()
        return 16 * float(self.cart.allreduce(float(abs(self.part()[0] - x * y).max()), op=MPI.MAX))

    def free(self) -> None:
        """Give back the mesh."""
        self.cart.Free()


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print."""

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser(description="Poisson's equation in a square, solved on all ranks.", allow_abbrev=False)
    parser.add_argument("--mesh", type=int, default=1025, metavar="N", help="unknowns along each axis (1025)")
    parser.add_argument("--iterations", type=int, metavar="N", help="so many at most (as many as it takes)")
    parser.add_argument("--variant", default="blocking", choices=VARIANTS, help="how ranks communicate (blocking)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the residual over iterations (matplotlib)")
    given = parser.parse_args()
    if given.mesh < 1:
        raise ValueError(f"--mesh {given.mesh} is not a positive number")
    if given.iterations is not None and given.iterations < 1:
        raise ValueError(f"--iterations {given.iterations} is not a positive number")
    if given.plot:
        try:
            import matplotlib  # noqa: PLC0415, F401 - found missing before anything is computed
        except ImportError:
            raise ValueError("--plot needs matplotlib, which pip install matplotlib installs") from None
    return given


def plot(curve: list[float], edge: int, file: Path) -> None:
    """Draw the residual over iterations."""
    import matplotlib as mpl  # noqa: PLC0415 - only rank 0 draws

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
    axes.semilogy(curve, color="tab:blue")
    axes.axhline(SMALLEST**0.5, color="0.5", linestyle="--", linewidth=1)
    axes.annotate("found", (0, SMALLEST**0.5), xytext=(4, 4), textcoords="offset points", color="0.4")
    axes.set(title=f"Conjugate gradients, {edge}² unknowns", xlabel="iteration", ylabel="|r| / |r₀|")
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=150)
    print(f"picture: {file}")


def run(given: argparse.Namespace, world: MPI.Intracomm) -> int:
    """Solve, check the result, say how long it took. Gives the exit code."""
    solver = PoissonCG(world, given.mesh, given.variant)
    told = world.rank == 0 and sys.stderr.isatty()
    curve, spent = [1.0], solver.communication_ns
    world.Barrier()
    begun = time.perf_counter()
    while solver.rho > SMALLEST * solver.first and len(curve) - 1 != given.iterations:
        solver.advance(1)
        curve.append((solver.rho / solver.first) ** 0.5)
        if told and len(curve) % 100 == 1:
            print(f"\riteration {len(curve) - 1}: |r| = {curve[-1]:.1e} |r0|", end="", file=sys.stderr, flush=True)
    seconds = world.allreduce(time.perf_counter() - begun, op=MPI.MAX)
    communication = world.allreduce((solver.communication_ns - spent) * 1e-9, op=MPI.MAX)
    found, iterations = solver.rho <= SMALLEST * solver.first, len(curve) - 1
    residual, error = solver.residual(), solver.error()
    # The recurrence and what is computed anew differ by rounding errors, which grow with the iterations.
    right = abs(residual - curve[-1] ** 2) <= 1e-6 * residual + 1e-20 * iterations and (not found or error < 1e-2)
    if world.rank == 0:
        if told:
            print(file=sys.stderr)
        print(f"{given.mesh}^2 unknowns, ranks {' x '.join(map(str, solver.dims))}, {given.variant}")
        print(f"{iterations} iterations, the solution is {'found' if found else 'not found yet'}")
        each, share = seconds / max(iterations, 1), communication / seconds
        print(f"{seconds:.3f} s, {each * 1e3:.3f} ms an iteration, at most {share:.1%} of it in communication")
        print(f"|b - A x|^2 is {residual:.2e} of its first value; largest error {error:.1e} of the solution")
        if not right:
            print("The result is wrong.", file=sys.stderr)
        if given.plot:
            plot(curve, given.mesh, given.plot)
    solver.free()
    return 0 if right else 1


def main() -> int:
    """Run with the arguments of the command line. Gives the exit code: 2 if they cannot be followed."""
    world = MPI.COMM_WORLD
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"poisson_cg_mpi4py.py: {error}.", file=sys.stderr, flush=True)
        world.Barrier()  # else the end of another rank could end this one before its sentence is out
        return 2


if __name__ == "__main__":
    sys.exit(main())
