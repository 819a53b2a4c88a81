"""Poisson's equation in a square by conjugate gradients, on a rank's block of the mesh.

lap(u) = -f on the unit square, u = 0 on its boundary; central differences at the spacing h = 1 / (mesh + 1) give a
system A x = b: A has 4 on its diagonal and -1 for each of four neighbours, b = h^2 f. With f = 2 (x (1 - x) + y (1 -
y)) the solution is x (1 - x) y (1 - y), which central differences give exactly.

The method is that of M. R. Hestenes and E. Stiefel, J. Res. Natl. Bur. Stand. 49 (1952). In the variant `merged`, that
of A. T. Chronopoulos and C. W. Gear, J. Comput. Appl. Math. 25 (1989), both sums of an iteration take one reduction.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from methods.driver import Parser, largest, measured, mesh, progress, pyplot, verdict
from methods.meshes import ends_of, fields_of
from methods.poisson_cg_kernels import KERNELS
from methods.ranks import Solver, made_on_all

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from methods.interfaces import Field, Ghosts, Mesh, Ranks

VARIANTS = ("blocking", "overlapped", "merged")
SMALLEST = 1e-8  # of <r, r> over its first value: then the solution is found


class PoissonOnBlock(Solver):
    """The solver, with one block of the mesh on each rank. All ranks call each of its methods.

    Args:
        cart: the ranks, on a mesh.
        edge: unknowns along each axis of the mesh.
        variant: "blocking"; "overlapped": what needs no remote value is multiplied while the values are under way;
            "merged": one reduction an iteration instead of two.
        kernel: "numpy" or "numba".

    Attributes:
        rho: <r, r>, as the recurrence has it.
        first: its first value.

    Raises:
        ValueError: on all ranks; the mesh is too small for them, one does not have the kernel or the memory, or there
            is no such variant.
    """

    def __init__(self, cart: Mesh, edge: int, variant: str, kernel: str) -> None:
        self.cart: Any = cart
        self.edge, self.variant = edge, variant
        self.ends = ends_of(cart, edge)
        self.shape = tuple(stop - start + 2 for start, stop in self.ends)  # with ghost layers
        # For each axis what needs no value of the neighbouring ranks.
        self.local = []
        for extent, (start, stop) in zip(self.shape, self.ends, strict=True):
            first = 1 + (start > 0)
            self.local.append((first, max(extent - 1 - (stop < edge), first)))
        self.ghosts: Ghosts | None = None
        try:
            self._check(kernel)
            made_on_all(cart, "the mesh", partial(self._allocate, kernel))
        except ValueError:
            self.free()
            raise
        self.ghosts = self._ghosts(self.exchanged)
        self.restart()

    def _check(self, kernel: str) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"there is no variant {self.variant}, but {', '.join(VARIANTS)}")
        if kernel not in KERNELS:
            raise ValueError(f"there is no kernel {kernel}, but {' and '.join(KERNELS)}")
        if self.edge < max(self.cart.dims):
            ranks = " x ".join(map(str, self.cart.dims))
            raise ValueError(f"a mesh of {self.edge} unknowns along each axis is too small for {ranks} ranks")

    def _allocate(self, kernel: str) -> None:
        """Make all that takes memory."""
        self.kernel = KERNELS[kernel](self.shape)
        self.x, self.r, self.p, self.v, self.w = fields_of(self.shape, 5)
        # What A multiplies is exchanged: p, and when merged r, of which w = A r follows; first of all x.
        self.exchanged = self.r if self.variant == "merged" else self.p
        self.right = self._right_side()

    def _ghosts(self, u: Field) -> Ghosts:
        """What fills the ghost layers of a vector, in the style of a program."""
        raise NotImplementedError

    def _total(self, values: list[float]) -> list[float]:
        """The sums over all ranks, in the style of a program."""
        raise NotImplementedError

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
        """Make this many iterations. Where the solution is found, the next one is the first again."""
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
        multiply, u, ghosts = self.kernel.multiply, self.exchanged, self.ghosts
        assert ghosts is not None
        if self.variant != "overlapped":
            self._communicate(ghosts)
            return multiply(u, product, ((1, bottom), (1, behind)))
        rows, columns = self.local
        self._communicate(ghosts.start)
        total = multiply(u, product, (rows, columns))
        self._communicate(ghosts.finish)
        # What is next to ghost layers, each unknown once: whole rows, then the ends of the others.
        total += multiply(u, product, ((1, rows[0]), (1, behind)))
        total += multiply(u, product, ((rows[1], bottom), (1, behind)))
        total += multiply(u, product, (rows, (1, columns[0])))
        return total + multiply(u, product, (rows, (columns[1], behind)))

    def _sum(self, values: list[float]) -> list[float]:
        return self._communicate(self._total, values)

    def part(self) -> tuple[Field, tuple[int, ...]]:
        """This rank's values of x, and the global index of the first of them."""
        return self.x[1:-1, 1:-1], tuple(start for start, _ in self.ends)

    def residual(self) -> float:
        """|b - A x|^2 over its first value, recomputed. What the next iteration needs is lost: restart() follows."""
        self.exchanged[...] = self.x
        self._multiply(self.v)
        rest = self.right - self.v[1:-1, 1:-1]
        return self._sum([float(np.einsum("ij,ij->", rest, rest))])[0] / self.first

    def error(self) -> float:
        """The largest difference from the solution, over its largest value, on all ranks."""
        x, y = self._axes()
        return 16 * largest(self.cart, abs(self.part()[0] - x * y).max())

    def free(self) -> None:
        """Give back what fills the ghost layers; the programs also give back the mesh."""
        if self.ghosts:
            self.ghosts.free()


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser("Poisson's equation in a square, solved on all ranks.", KERNELS, "the residual over iterations")
    parser.add_argument("--mesh", type=int, default=1025, metavar="N", help="unknowns along each axis (1025)")
    parser.add_argument("--iterations", type=int, metavar="N", help="this many at most (as many as it takes)")
    parser.add_argument("--variant", default="blocking", choices=VARIANTS, help="how ranks communicate (blocking)")
    return parser.numbers("mesh", "iterations")


def plot(curve: list[float], edge: int, file: Path) -> None:
    """Draw the residual over iterations."""
    figure, axes = pyplot().subplots(figsize=(7, 4.4), layout="constrained")
    axes.semilogy(curve, color="tab:blue")
    axes.axhline(SMALLEST**0.5, color="0.5", linestyle="--", linewidth=1)
    axes.annotate("found", (0, SMALLEST**0.5), xytext=(4, 4), textcoords="offset points", color="0.4")
    axes.set(title=f"Conjugate gradients, {edge}² unknowns", xlabel="iteration", ylabel="|r| / |r₀|")
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=150)
    print(f"picture: {file}")


def run(given: argparse.Namespace, world: Ranks, made: Callable[..., PoissonOnBlock]) -> int:
    """Solve, check the result, say how long it took. Gives the exit code."""
    solver = made(world, given.mesh, given.variant, given.kernel)
    curve = [1.0]

    def solve() -> None:
        while solver.rho > SMALLEST * solver.first and len(curve) - 1 != given.iterations:
            solver.advance(1)
            curve.append((solver.rho / solver.first) ** 0.5)
            if len(curve) % 100 == 1:
                progress(world, f"iteration {len(curve) - 1}: |r| = {curve[-1]:.1e} |r0|")
        progress(world, "", last=True)

    seconds, share = measured(world, solver, solve)
    found, iterations = solver.rho <= SMALLEST * solver.first, len(curve) - 1
    residual, error = solver.residual(), solver.error()
    each = seconds / max(iterations, 1)
    code = verdict(
        world,
        # The recurrence and what is computed again differ by rounding errors, which grow with the iterations.
        abs(residual - curve[-1] ** 2) <= 1e-6 * residual + 1e-20 * iterations and (not found or error < 1e-2),
        f"{given.mesh}^2 unknowns, {mesh(solver.cart.dims)}, {given.kernel}, {given.variant}",
        f"{iterations} iterations, the solution is {'found' if found else 'not found yet'}",
        f"{seconds:.3f} s, {each * 1e3:.3f} ms an iteration, at most {share:.1%} of it in communication",
        f"|b - A x|^2 is {residual:.2e} of its first value; largest error {error:.1e} of the solution",
    )
    if given.plot and world.rank == 0:
        plot(curve, given.mesh, given.plot)
    solver.free()
    return code
