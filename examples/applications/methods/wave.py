"""The wave equation in a cube whose walls reflect, on a rank's block of the mesh.

u_tt = lap(u) on the unit cube, n . grad u = 0 on its boundary. The wave begins at rest, as u = 2 cos(pi x) cos(pi y)
cos(pi z). Leapfrog in time, central differences in space: a point and its six neighbours give its next value,

    u^{l+1} = a (sum of the six u) + (2 - 6 a) u - u^{l-1},    a = (time step / spacing)^2

after H. P. Langtangen, Computational Partial Differential Equations, Springer 2003. Beyond the boundary lie ghost
points that mirror what is inside, u_0 = u_2. With them the scheme has a closed form, which the result must equal:

    u^l = 2 cos(pi x) cos(pi y) cos(pi z) cos(l theta),    cos(theta) = 1 + 3 a (cos(pi spacing) - 1)
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from methods.driver import Parser, largest, measured, mesh, progress, pyplot, verdict
from methods.meshes import ends_of, fields_of
from methods.ranks import Solver, made_on_all
from methods.wave_kernels import KERNELS, mirror

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from methods.interfaces import Field, Ghosts, Mesh, Ranks
    from methods.wave_kernels import Box

LEAST_POINTS = 3  # of a rank along each axis
RATIO = 0.004510 * 128  # time step over spacing, as in the published runs; the scheme is stable up to 1 / sqrt(3)


class WaveOnBlock(Solver):
    """The solver, with one block of the mesh on each rank. All ranks call each of its methods.

    Args:
        cart: the ranks, on a mesh.
        edge: points along each axis of the mesh.
        overlapped: points that need no neighbour are updated while the faces are in flight.
        kernel: "numpy" or "numba".

    Attributes:
        dt: the time step.
        steps: how many were made since the wave began.

    Raises:
        ValueError: on all ranks; the mesh is too small for them, or one does not have the kernel or the memory.
    """

    def __init__(self, cart: Mesh, edge: int, overlapped: bool, kernel: str) -> None:
        self.cart: Any = cart
        self.edge, self.overlapped = edge, overlapped
        self.ends = ends_of(cart, edge)
        self.shape = tuple(stop - start + 2 for start, stop in self.ends)  # with ghost layers
        # For each axis whether there is a wall, and no rank, before this one and after it.
        self.walls = [wall for start, stop in self.ends for wall in (start == 0, stop == edge)]
        # Beside a wall, points inside need no neighbour.
        self.inner = [(2 - self.walls[2 * axis], self.shape[axis] - 2 + self.walls[2 * axis + 1]) for axis in range(3)]
        self.ghosts: list[Ghosts] = []
        try:
            self._check(kernel)
            made_on_all(cart, "the mesh", partial(self._allocate, kernel))
        except ValueError:
            self.free()
            raise
        self.dt = RATIO / (edge - 1)
        self.ghosts = [self._ghosts(u) for u in self.fields]
        self.restart()

    def _check(self, kernel: str) -> None:
        if self.edge < LEAST_POINTS * max(self.cart.dims):
            ranks = " x ".join(map(str, self.cart.dims))
            raise ValueError(
                f"a mesh of {self.edge} points along each axis is too small for {ranks} ranks: "
                f"each needs {LEAST_POINTS} points along each axis"
            )
        if kernel not in KERNELS:
            raise ValueError(f"there is no kernel {kernel}, but {' and '.join(KERNELS)}")

    def _allocate(self, kernel: str) -> None:
        """Make all that takes memory."""
        self.kernel = KERNELS[kernel](self.shape, self.walls)
        self.fields = fields_of(self.shape, 2)  # by turns u and the values of the step before it

    def _ghosts(self, u: Field) -> Ghosts:
        """What fills the ghost layers of a field, in the style of a program."""
        raise NotImplementedError

    def restart(self) -> None:
        """Set the wave as it begins."""
        self.steps = 0
        u, before = self.fields
        u[1:-1, 1:-1, 1:-1] = self.exact(True)
        mirror(u, self.walls)
        before[...] = 0  # the first step takes nothing from before it

    def advance(self, iterations: int) -> None:
        """Make this many time steps."""
        for _ in range(iterations):
            # u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
            share = 0.5 if self.steps == 0 else 1.0
            a, c = share * RATIO**2, share * (2 - 6 * RATIO**2)
            u, after = self.fields
            ghosts = self.ghosts[0]
            if self.overlapped:
                self._communicate(ghosts.start)
                self.kernel.update(u, after, tuple(self.inner), a, c)
                self._communicate(ghosts.finish)
                for box in self._beside_ghosts():
                    self.kernel.update(u, after, box, a, c)
            else:
                self._communicate(ghosts)
                self.kernel.update(u, after, tuple((1, extent - 1) for extent in self.shape), a, c)
            self.kernel.finish(after)
            self.fields.reverse()
            self.ghosts.reverse()
            self.steps += 1

    def _beside_ghosts(self) -> Iterator[Box]:
        """The points that need a neighbour, each in one box."""
        box = list(self.inner)
        for axis in range(3):
            first, stop = self.inner[axis]
            behind = self.shape[axis] - 1
            for side in ((1, first), (stop, behind)):
                if side[0] < side[1]:
                    yield (*box[:axis], side, *box[axis + 1 :])
            box[axis] = (1, behind)

    def part(self) -> tuple[Field, tuple[int, ...]]:
        """This rank's values of u, a view, and the global index of the first of them."""
        return self.fields[0][1:-1, 1:-1, 1:-1], tuple(start for start, _ in self.ends)

    def exact(self, of_scheme: bool) -> Field:
        """What ``part`` has to give: the closed form of the scheme, or the wave itself, whose error falls as dx^2."""
        x, y, z = np.ix_(*(np.cos(np.pi * np.arange(*ends) / (self.edge - 1)) for ends in self.ends))
        angle = math.sqrt(3) * math.pi * self.dt
        if of_scheme:
            angle = math.acos(1 + 3 * RATIO**2 * (math.cos(math.pi / (self.edge - 1)) - 1))
        return np.asarray(2 * x * y * z * math.cos(self.steps * angle))

    def free(self) -> None:
        """Give back what fills the ghost layers; the programs also give back the mesh."""
        for ghosts in self.ghosts:
            ghosts.free()


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser("The wave equation in a cube, solved on all ranks.", KERNELS, "a slice of the wave")
    parser.add_argument("--mesh", type=int, default=129, metavar="N", help="points along each axis (129)")
    parser.add_argument("--steps", type=int, metavar="N", help="time steps (as many as reach the time 2)")
    parser.add_argument("--overlapped", action="store_true", help="update points while the faces are in flight")
    given = parser.numbers("steps")
    if given.mesh < LEAST_POINTS:
        raise ValueError(f"--mesh {given.mesh} is too small: the mesh needs {LEAST_POINTS} points along each axis")
    if given.steps is None:
        given.steps = math.ceil(2 * (given.mesh - 1) / RATIO)
    return given


def plot(wave: WaveOnBlock, world: Ranks, file: Path) -> None:
    """Draw the wall z = 0, and the line y = z = 0 on it, where the wave is largest. All ranks call it."""
    part, start = wave.part()
    pieces = world.gather((start, part[:, :, 0]) if start[2] == 0 else None)
    if pieces is None:
        return
    plt = pyplot()
    wall = np.zeros((wave.edge, wave.edge))
    for (first, second, _), piece in filter(None, pieces):
        wall[first : first + piece.shape[0], second : second + piece.shape[1]] = piece
    axis = np.linspace(0, 1, wave.edge)
    largest, now = float(abs(wall).max()), wave.steps * wave.dt
    exact = 2 * np.cos(np.pi * axis) * math.cos(math.sqrt(3) * math.pi * now)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained", width_ratios=(1, 1.1))
    figure.suptitle(f"Wave equation: {wave.edge}³ points, {wave.steps} steps, time {now:.3f}")
    image = left.imshow(
        wall.T,
        origin="lower",
        extent=(0, 1, 0, 1),
        cmap="RdBu_r",
        vmin=-largest,
        vmax=largest,
        interpolation="bilinear",
    )
    left.set(title="u on the wall z = 0", xlabel="x", ylabel="y")
    figure.colorbar(image, ax=left, label="u")
    right.plot(axis, exact, color="0.6", linewidth=5, label="exact")
    right.plot(axis, wall[:, 0], color="tab:blue", label="computed")
    right.set(title="u along the edge y = z = 0", xlabel="x", ylabel="u", xlim=(0, 1))
    right.grid(alpha=0.3)
    right.legend(frameon=False)
    figure.savefig(file, dpi=150)
    print(f"picture: {file}")


def run(given: argparse.Namespace, world: Ranks, made: Callable[..., WaveOnBlock]) -> int:
    """Solve, check the result, say how long it took. Gives the exit code."""
    wave = made(world, given.mesh, given.overlapped, given.kernel)

    def solve() -> None:
        for tenth in range(10):
            wave.advance(given.steps * (tenth + 1) // 10 - wave.steps)
            progress(world, f"step {wave.steps} of {given.steps}", last=tenth == 9)

    seconds, share = measured(world, wave, solve)
    part, _ = wave.part()
    scheme, itself = (largest(world, abs(part - wave.exact(of)).max()) for of in (True, False))
    h = 1 / (given.mesh - 1)
    # The closed form is missed by rounding errors only, and the wave by what cos(theta) lacks in its second term.
    rounding = 1e-14 * (100 + given.steps)
    allowed = 2 * math.sqrt(3) * math.pi * wave.steps * wave.dt * (1 - 3 * RATIO**2) * (math.pi * h) ** 2 / 24
    how = f"{given.kernel}, {'overlapped' if given.overlapped else 'blocking'}"
    rate = given.mesh**3 * given.steps / seconds
    code = verdict(
        world,
        scheme < rounding and itself < 1.5 * allowed + rounding,
        f"{given.mesh}^3 points, {given.steps} steps, {mesh(wave.cart.dims)}, {how}",
        f"{seconds:.3f} s, {rate * 1e-6:.1f} million points a second, at most {share:.1%} of it in the exchange",
        f"largest error: {scheme:.1e} against the closed form of the scheme, {itself:.1e} ({itself / h**2:.1e} dx^2) "
        "against the wave itself",
    )
    if given.plot:
        plot(wave, world, given.plot)
    wave.free()
    return code
