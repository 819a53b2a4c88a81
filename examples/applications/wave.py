"""The wave equation in a cube whose walls reflect, on a mesh of ranks that exchange the faces of their blocks.

    mpiexec -n 2 python examples/applications/wave.py --mesh 129 --plot wave.png

u_tt = lap(u) on the unit cube, n . grad u = 0 on its boundary. The wave begins at rest, as u = 2 cos(pi x) cos(pi y)
cos(pi z). Leapfrog in time, central differences in space: a point and its six neighbours give its next value,

    u^{l+1} = a (sum of the six u) + (2 - 6 a) u - u^{l-1},    a = (time step / spacing)^2

after H. P. Langtangen, Computational Partial Differential Equations, Springer 2003. Beyond the boundary lie ghost
points that mirror what is inside, u_0 = u_2. With them the scheme has a closed form, which the result must equal:

    u^l = 2 cos(pi x) cos(pi y) cos(pi z) cos(l theta),    cos(theta) = 1 + 3 a (cos(pi spacing) - 1)
"""

from __future__ import annotations

import argparse
import functools
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import numpy as np

import polympi as mpi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Field = NDArray[np.float64]
    Box = tuple[tuple[int, int], ...]  # for each axis its first point, and the point behind its last one

LEAST_POINTS = 3  # of a rank along each axis
HUGE_PAGE = 2**21 // 8  # elements
CACHE_LINE = 64 // 8  # elements
PIECE = 2**17  # elements that NumPy's functions pass over at a time: 1 MB of each array stays in the cache
RATIO = 0.004510 * 128  # time step over spacing, as in the published runs; the scheme is stable up to 1 / sqrt(3)


class Kernel(Protocol):
    """What updates points of a rank. Side 2 a is the lower one of axis a, side 2 a + 1 the upper one."""

    def update(self, u: Field, after: Field, box: Box, a: float, c: float) -> None:
        """Overwrite the values before last, in ``after``, with the next ones: a (sum of six) + c u - after."""

    def finish(self, after: Field) -> None:
        """Make the ghost points beyond the boundary ready for the next step, when all boxes are updated."""


def mirror(u: Field, walls: Sequence[bool]) -> None:
    """Fill the ghost points beyond the boundary: u_0 = u_2."""
    for axis in range(3):
        layers = u.swapaxes(0, axis)
        if walls[2 * axis]:
            layers[0] = layers[2]
        if walls[2 * axis + 1]:
            layers[-1] = layers[-3]


def moved(piece: Box, axis: int, by: int) -> tuple[slice, ...]:
    """Where the points of a piece have their neighbours along an axis."""
    return tuple(
        slice(first + by * (own == axis), stop + by * (own == axis)) for own, (first, stop) in enumerate(piece)
    )


def at_cache_line(size: int) -> Field:
    """So many elements, of which the first begins a cache line: a processor's vectors do not cross into the next one.

    NumPy's own memory begins with any 16 bytes, and each step took 1.1 times as long where these were the wrong ones.
    """
    memory = np.empty(size + CACHE_LINE)
    return memory[-memory.ctypes.data // 8 % CACHE_LINE :][:size]


class NumPyKernel:
    """The update by functions of NumPy, without arrays made on the way.

    Args:
        shape: of a field, with ghost layers.
        walls: for each side, whether it is the boundary of the cube.
    """

    def __init__(self, shape: Sequence[int], walls: Sequence[bool]) -> None:
        self.shape, self.walls = tuple(shape), tuple(walls)
        self.row, self.plane = shape[2], shape[1] * shape[2]
        self.total = at_cache_line(max(PIECE, self.plane))  # of a piece, which is at least a plane of the box

    def update(self, u: Field, after: Field, box: Box, a: float, c: float) -> None:
        """See Kernel."""
        if box[1:] == ((1, self.shape[1] - 1), (1, self.shape[2] - 1)):
            self._update_planes(u.reshape(-1), after.reshape(-1), *box[0], a, c)
            return
        planes = max(1, PIECE // math.prod(stop - first for first, stop in box[1:]))
        for first in range(*box[0], planes):
            piece = ((first, min(first + planes, box[0][1])), *box[1:])
            around = [u[moved(piece, axis, by)] for axis in range(3) for by in (-1, 1)]
            inside = moved(piece, 0, 0)
            self._combine(u[inside], around, after[inside], a, c)

    def _update_planes(self, u: Field, after: Field, first: int, stop: int, a: float, c: float) -> None:  # noqa: PLR0917
        """The points of whole planes, from the first to the last, are one line, which NumPy passes fastest.

        The ghost points on it get a value, too. No point inside is made of that: they are filled before the next step.
        """
        last = stop * self.plane - self.row - 1
        for begin in range(first * self.plane + self.row + 1, last, PIECE):
            end = min(begin + PIECE, last)
            around = [u[begin + by : end + by] for step in (self.plane, self.row, 1) for by in (-step, step)]
            self._combine(u[begin:end], around, after[begin:end], a, c)

    def _combine(self, u: Field, around: Sequence[Field], after: Field, a: float, c: float) -> None:
        total = self.total[: u.size].reshape(u.shape)
        np.multiply(u, c / a, out=total)
        for neighbor in around:
            total += neighbor
        total *= a
        np.subtract(total, after, out=after)

    def finish(self, after: Field) -> None:
        """See Kernel."""
        mirror(after, self.walls)


class NumbaKernel:
    """The update as a loop that Numba compiles. The arguments are those of NumPyKernel."""

    def __init__(self, _shape: Sequence[int], walls: Sequence[bool]) -> None:
        self.walls = tuple(walls)
        self.loop = compiled_loop()
        one = np.zeros((3, 3, 3))
        self.loop(
            one, one.copy(), (1, 1, 1, 1, 1, 1), self.walls, 0.5, 0.5
        )  # compiles it now, and not in the first step

    def update(self, u: Field, after: Field, box: Box, a: float, c: float) -> None:
        """See Kernel."""
        self.loop(u, after, (*box[0], *box[1], *box[2]), self.walls, a, c)

    def finish(self, after: Field) -> None:
        """Nothing: the loop has done it, while each row was in the cache."""


@functools.cache
def compiled_loop() -> Callable[..., None]:
    """The loop of NumbaKernel.

    Raises:
        ImportError: there is no Numba.
    """
    import numba  # noqa: PLC0415 - only for who wants it

    whole = numba.uint64
    one, two, three, four = (whole(number) for number in range(1, 5))

    # A product and a sum may be one instruction, as C's compilers have it.
    @numba.njit(cache=True, fastmath={"contract"})
    def update(  # noqa: PLR0912, PLR0917 - Numba keeps what it compiled only of a function that calls no other
        u: Field, after: Field, box: tuple[int, int, int, int, int, int], walls: tuple[bool, ...], a: float, c: float
    ) -> None:
        # Without a sign, no index counts from the end, and the compiler makes vectors of the loops.
        i, i_stop, j_first, j_stop, k_first, k_stop = [whole(bound) for bound in box]
        i_ghost, j_ghost, k_ghost = [whole(extent - 1) for extent in u.shape]
        row = k_ghost + one
        plane = (j_ghost + one) * row
        v, new = u.reshape(-1), after.reshape(-1)
        # Whole rows of a plane are one line. The ghost points between them get a value, too, of which no point inside
        # is made: they are filled before the next step.
        rows = j_stop - j_first if k_first == one and k_stop == k_ghost else one
        count = (rows - one) * row + k_stop - k_first
        while i < i_stop:
            # A plane is a neighbour of those beside it, and too large for the nearest cache: of four planes, six are
            # loaded for four that are made, and of single ones twelve. What is left over is made one by one.
            planes = four if i + four <= i_stop else one
            # Beside the boundary, a plane takes its mirror image for the ghost plane: u_0 = u_2.
            below = two if walls[0] and i == one else i - one
            above = i + planes - two if walls[1] and i + planes == i_ghost else i + planes
            for j in range(j_first, j_stop, rows):
                at = j * row + k_first
                for step in range(at, at + count):
                    low, k, up = below * plane + step, i * plane + step, above * plane + step
                    beside = v[k - row] + v[k + row]
                    if planes == four:
                        k1, k2, k3 = k + plane, k + two * plane, k + three * plane
                        beside1 = v[k1 - row] + v[k1 + row]
                        beside2 = v[k2 - row] + v[k2 + row]
                        beside3 = v[k3 - row] + v[k3 + row]
                        w = a * (v[low] + v[k1] + beside + (v[k - one] + v[k + one])) + c * v[k] - new[k]
                        w1 = a * (v[k] + v[k2] + beside1 + (v[k1 - one] + v[k1 + one])) + c * v[k1] - new[k1]
                        w2 = a * (v[k1] + v[k3] + beside2 + (v[k2 - one] + v[k2 + one])) + c * v[k2] - new[k2]
                        w3 = a * (v[k2] + v[up] + beside3 + (v[k3 - one] + v[k3 + one])) + c * v[k3] - new[k3]
                        new[k], new[k1], new[k2], new[k3] = w, w1, w2, w3
                    else:
                        new[k] = a * (v[low] + v[up] + beside + (v[k - one] + v[k + one])) + c * v[k] - new[k]
            # What the points beside the boundary give to the ghost points beyond it, while they are in the cache.
            for made in range(i, i + planes):
                if walls[4] and k_first == one:
                    for j in range(j_first, j_stop):
                        after[made, j, 0] = after[made, j, two]
                if walls[5] and k_stop == k_ghost:
                    for j in range(j_first, j_stop):
                        after[made, j, k_ghost] = after[made, j, k_ghost - two]
                if walls[2] and j_first == one:
                    for k in range(k_first, k_stop):
                        after[made, 0, k] = after[made, two, k]
                if walls[3] and j_stop == j_ghost:
                    for k in range(k_first, k_stop):
                        after[made, j_ghost, k] = after[made, j_ghost - two, k]
            i += planes

    return update


KERNELS: dict[str, type[NumPyKernel | NumbaKernel]] = {"numpy": NumPyKernel, "numba": NumbaKernel}


def block_of(cart: mpi.Cartesian, edge: int) -> mpi.Block:
    """The points of this rank. Raises ValueError, on all ranks, if a rank would have too few."""
    if edge < LEAST_POINTS * max(cart.dims):
        ranks = " x ".join(map(str, cart.dims))
        raise ValueError(
            f"a mesh of {edge} points along each axis is too small for {ranks} ranks: "
            f"each needs {LEAST_POINTS} points along each axis"
        )
    return cart.block((edge,) * 3)


def two_fields(shape: tuple[int, ...]) -> list[Field]:
    """Two fields of zeros, which begin at different places in a page of memory.

    Else a processor takes a value that is read for one with the same place in a page that is just written, and waits.
    The first begins with a huge page, so that Linux may give huge pages to all of both: 0.95 of the time.
    """
    page = 4096 // 8
    size = (math.prod(shape) + page - 1) // page * page + page // 2 + 8
    memory = np.zeros(2 * size + HUGE_PAGE)
    memory = memory[-memory.ctypes.data // 8 % HUGE_PAGE :]
    return [memory[i * size :][: math.prod(shape)].reshape(shape) for i in range(2)]


class Wave:
    """The solver, with one block of the mesh on each rank. All ranks call each of its methods.

    Args:
        world: the ranks.
        edge: points along each axis of the mesh.
        overlapped: points that need no neighbour are updated while the faces are under way.
        kernel: "numpy" or "numba".

    Attributes:
        dt: the time step.
        steps: how many were made since the wave began.
        communication_ns: nanoseconds that this rank has spent in the exchange of faces.

    Raises:
        ValueError: on all ranks; the mesh is too small for them, or a rank does not have the kernel.
    """

    def __init__(self, world: mpi.Communicator, edge: int, overlapped: bool = False, kernel: str = "numpy") -> None:
        cart = world.cart(ndim=3)
        assert cart is not None  # no rank is left over
        self.cart, self.edge, self.overlapped = cart, edge, overlapped
        self.communication_ns = 0
        try:
            self.block = block_of(cart, edge)
            self.shape = tuple(extent + 2 for extent in self.block.shape)  # with ghost layers
            # For each axis the rank before and the rank behind this one. Where there is none, there is a wall.
            self.walls = [neighbor == mpi.PROC_NULL for neighbor in cart.sources]
            self.kernel = self._made(kernel)
        except ValueError:
            cart.free()
            raise
        self.dt = RATIO / (edge - 1)
        # Beside a wall, points inside need no neighbour.
        self.inner = [(2 - self.walls[2 * axis], self.shape[axis] - 2 + self.walls[2 * axis + 1]) for axis in range(3)]
        self.halos = [self._halo(u) for u in self.fields]
        self.restart()

    def _made(self, kernel: str) -> Kernel:
        """The kernel, with the fields made; all ranks have both, or all raise."""
        problem = made = None
        try:
            made = KERNELS[kernel](self.shape, self.walls)
            self.fields = two_fields(self.shape)  # by turns u and the values of the step before it
        except KeyError:
            problem = f"there is no kernel {kernel}, but {' and '.join(KERNELS)}"
        except ImportError as error:
            problem = f"the kernel {kernel} needs a package, which pip install {kernel} installs: {error}"
        except MemoryError as error:
            problem = f"there is no memory for the mesh: {error}"
        problems = [text for text in self.cart.allgather(problem) if text]
        if problems or made is None:
            raise ValueError(problems[0])
        return made

    def _halo(self, u: Field) -> mpi.Halo:
        """What fills the ghost layers of a field.

        Along an axis that is not divided there is no neighbour. The ghost points there are sent with the others, so
        that a face lies in one piece, which needs no copy.
        """
        return self.cart.halo(u, width=[int(ranks > 1) for ranks in self.cart.dims])

    def restart(self) -> None:
        """Set the wave as it begins."""
        self.steps = 0
        u, before = self.fields
        u[1:-1, 1:-1, 1:-1] = self.exact(True)
        mirror(u, self.walls)
        before[...] = 0  # the first step takes nothing from before it

    def advance(self, iterations: int) -> None:
        """Make so many time steps."""
        for _ in range(iterations):
            # u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
            share = 0.5 if self.steps == 0 else 1.0
            a, c = share * RATIO**2, share * (2 - 6 * RATIO**2)
            u, after = self.fields
            halo = self.halos[0]
            if self.overlapped:
                self._exchange(halo.start)
                self.kernel.update(u, after, tuple(self.inner), a, c)
                self._exchange(halo.finish)
                for box in self._beside_ghosts():
                    self.kernel.update(u, after, box, a, c)
            else:
                self._exchange(halo)
                self.kernel.update(u, after, tuple((1, extent - 1) for extent in self.shape), a, c)
            self.kernel.finish(after)
            self.fields.reverse()
            self.halos.reverse()
            self.steps += 1

    def _exchange(self, call: Callable[[], None]) -> None:
        begun = time.perf_counter_ns()
        call()
        self.communication_ns += time.perf_counter_ns() - begun

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
        return self.fields[0][1:-1, 1:-1, 1:-1], self.block.start

    def exact(self, of_scheme: bool) -> Field:
        """What ``part`` has to give: the closed form of the scheme, or the wave itself, whose error falls as dx^2."""
        cosines = [
            np.cos(np.pi * np.arange(start, stop) / (self.edge - 1))
            for start, stop in zip(self.block.start, self.block.stop, strict=True)
        ]
        x, y, z = np.ix_(*cosines)
        angle = math.sqrt(3) * math.pi * self.dt
        if of_scheme:
            angle = math.acos(1 + 3 * RATIO**2 * (math.cos(math.pi / (self.edge - 1)) - 1))
        return np.asarray(2 * x * y * z * math.cos(self.steps * angle))

    def free(self) -> None:
        """Give back the plans and the mesh."""
        for halo in self.halos:
            halo.free()
        self.cart.free()


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print."""

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser(description="The wave equation in a cube, solved on all ranks.", allow_abbrev=False)
    parser.add_argument("--mesh", type=int, default=129, metavar="N", help="points along each axis (129)")
    parser.add_argument("--steps", type=int, metavar="N", help="time steps (as many as reach the time 2)")
    parser.add_argument("--overlapped", action="store_true", help="update points while the faces are under way")
    parser.add_argument("--kernel", default="numpy", choices=list(KERNELS), help="what updates the points (numpy)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a slice of the wave (matplotlib)")
    given = parser.parse_args()
    if given.mesh < LEAST_POINTS:
        raise ValueError(f"--mesh {given.mesh} is too small: the mesh needs {LEAST_POINTS} points along each axis")
    if given.steps is None:
        given.steps = math.ceil(2 * (given.mesh - 1) / RATIO)
    if given.steps < 1:
        raise ValueError(f"--steps {given.steps} is not a positive number")
    if given.plot:
        try:
            import matplotlib  # noqa: PLC0415, F401 - found missing before anything is computed
        except ImportError:
            raise ValueError("--plot needs matplotlib, which pip install matplotlib installs") from None
    return given


def plot(wave: Wave, file: Path) -> None:
    """Draw the wall z = 0, and the line y = z = 0 on it, where the wave is largest. All ranks call it."""
    part, start = wave.part()
    pieces = wave.cart.gather((start, part[:, :, 0]) if start[2] == 0 else None)
    if pieces is None:
        return
    import matplotlib as mpl  # noqa: PLC0415 - only rank 0 draws

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

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


def run(given: argparse.Namespace, world: mpi.Communicator, made: Callable[..., Wave] = Wave) -> int:
    """Solve, check the result, say how long it took. Gives the exit code."""
    wave = made(world, given.mesh, given.overlapped, given.kernel)
    told = world.rank == 0 and sys.stderr.isatty()
    world.barrier()
    begun = time.perf_counter()
    for tenth in range(10):
        wave.advance(given.steps * (tenth + 1) // 10 - wave.steps)
        if told:
            print(f"\rstep {wave.steps} of {given.steps}", end="" if tenth < 9 else "\n", file=sys.stderr, flush=True)
    seconds = world.allreduce(time.perf_counter() - begun, op=mpi.MAX)
    exchange = world.allreduce(wave.communication_ns * 1e-9, op=mpi.MAX)

    part, _ = wave.part()
    scheme, itself = (world.allreduce(float(abs(part - wave.exact(of)).max()), op=mpi.MAX) for of in (True, False))
    h = 1 / (given.mesh - 1)
    # The closed form is missed by rounding errors only, and the wave by what cos(theta) lacks in its second term.
    rounding = 1e-14 * (100 + given.steps)
    allowed = 2 * math.sqrt(3) * math.pi * wave.steps * wave.dt * (1 - 3 * RATIO**2) * (math.pi * h) ** 2 / 24
    exact = scheme < rounding and itself < 1.5 * allowed + rounding
    if world.rank == 0:
        how = f"{given.kernel}, {'overlapped' if given.overlapped else 'blocking'}"
        print(f"{given.mesh}^3 points, {given.steps} steps, ranks {' x '.join(map(str, wave.cart.dims))}, {how}")
        rate = given.mesh**3 * given.steps / seconds
        share = exchange / seconds
        print(f"{seconds:.3f} s, {rate * 1e-6:.1f} million points a second, at most {share:.1%} of it in the exchange")
        print(f"largest error: {scheme:.1e} against the closed form of the scheme, ", end="")
        print(f"{itself:.1e} ({itself / h**2:.1e} dx^2) against the wave itself")
        if not exact:
            print("The result is wrong.", file=sys.stderr)
    if given.plot:
        plot(wave, given.plot)
    wave.free()
    return 0 if exact else 1


def main() -> int:
    """Run with the arguments of the command line. Gives the exit code: 2 if they cannot be followed."""
    world = mpi.world
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"wave.py: {error}", file=sys.stderr, flush=True)
        world.barrier()  # else the end of another rank could end this one before its sentence is out
        return 2


if __name__ == "__main__":
    sys.exit(main())
