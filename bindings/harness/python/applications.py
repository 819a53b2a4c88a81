"""Applications: programs that compute, whose results are checked value by value (``docs/protocol.md``)."""

from __future__ import annotations

from array import array
from functools import partial
from importlib import import_module
from math import acos, cos, pi
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from callbacks import Callbacks, UnsupportedCaseError
from plan import problem_edge

if TYPE_CHECKING:
    from callbacks import Call, Clock, Times, World
    from common_start import CommonStart
    from numpy.typing import NDArray
    from plan import Case

VALIDATED_ITERATIONS = 5  # before a result is checked
SMALLEST_RHO = 1e-8  # of poisson-cg, over the first; then the next iteration is the first again
UNTIMED_CALLS = 3  # before each that is timed from a common start, as in common_start.h


# The module and the class of each; those for other interfaces have a suffix in the name of their module.
CLASSES = {
    "inner-product": ("inner_product", "InnerProduct"),
    "wave": ("wave", "Wave"),
    "poisson-cg": ("poisson_cg", "PoissonCG"),
    "matmul": ("matmul", "Matmul"),
    "sort": ("sort", "Sort"),
}


class Application(Protocol):
    """What a program brings for an application, on each rank."""

    communication_ns: int

    def restart(self) -> None:
        """Take the state before the first iteration."""

    def advance(self, iterations: int) -> None:
        """Make this many iterations in a row: what is timed."""

    def part(self) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """This rank's part of the result, and the index of its first element in each dimension."""

    def free(self) -> None:
        """Give back what it holds."""


def load_application(case: Case, comm: object, suffix: str = "", **more: Any) -> Application:
    """The program of an application, ready for its first iteration.

    Args:
        case: which, in which variant, how large.
        comm: all ranks, as the interface has them.
        suffix: of the name of the module.
        more: further arguments of the class.

    Raises:
        UnsupportedCaseError: there is none, it cannot have this mesh on these ranks, or it lacks a package; on every
            rank.
    """
    if case.benchmark not in CLASSES:
        raise UnsupportedCaseError("this program has no loops for the benchmark")
    module, name = CLASSES[case.benchmark]
    if case.benchmark == "wave":
        more["overlapped"] = case.mode == "overlapped"
    if case.benchmark == "poisson-cg":
        more["variant"] = case.mode
    try:
        made: Application = getattr(import_module(module + suffix), name)(comm, problem_edge(case), **more)
    except ValueError as error:
        raise UnsupportedCaseError(str(error)) from error
    return made


def application_callbacks(
    case: Case, application: Application, world: World, start: CommonStart, clock: Clock
) -> Callbacks:
    """The callbacks of a case: the program's iterations, and the check of its result.

    Args:
        case: of an application.
        application: the program's.
        world: all ranks.
        start: the common start, for an application whose ranks would run ahead.
        clock: what times are read from.
    """

    def several() -> int:
        application.advance(VALIDATED_ITERATIONS)
        return VALIDATED_ITERATIONS

    def check(iterations: object) -> str:
        done = iterations if isinstance(iterations, int) else 1
        return differing(case, done, *application.part(), world)

    from_start = EventsFromStart(application, start, clock)
    return Callbacks(
        batch=application.advance,
        events=from_start if case.benchmark == "inner-product" else partial(events_alone, application.advance, clock),
        clear=application.restart,
        check=check,
        release=application.free,
        keep_all=several,
        communication=lambda: application.communication_ns,
        communication_in_events=lambda: from_start.communication,
    )


def events_alone(advance: Call, clock: Clock, times: Times) -> None:
    """Iterations one by one."""
    for k in range(len(times)):
        before = clock()
        advance(1)
        times[k] = clock() - before


class EventsFromStart:
    """Iterations one by one, each from a common start; one that a rank began too late is made again.

    Attributes:
        communication: ns that this rank has spent in calls of communication in each of the last that were timed.
    """

    def __init__(self, application: Application, start: CommonStart, clock: Clock) -> None:
        self._application, self._start, self._clock = application, start, clock
        self.communication: Times = array("q")

    def __call__(self, times: Times) -> None:
        """Time as many as there are places."""
        application, advance, clock = self._application, self._application.advance, self._clock
        wait, agree = self._start.wait, self._start.agree
        self.communication = communication = array("q", bytes(8 * len(times)))
        k = 0
        agree()
        while k < len(times):
            advance(UNTIMED_CALLS)
            before = application.communication_ns
            begun = wait()
            advance(1)
            times[k] = clock() - begun
            communication[k] = application.communication_ns - before
            k += agree()


def differing(case: Case, iterations: int, part: NDArray[np.float64], first: tuple[int, ...], world: World) -> str:
    """The first value of a rank's part that is not as it has to be, in words; empty if there is none.

    Args:
        case: of an application.
        iterations: how many were made since the first state.
        part: this rank's part of the result.
        first: index of its first element in each dimension.
        world: all ranks, whose parts make up the whole.
    """
    edge = problem_edge(case)
    counts = [int(text) for text in world.collect(str(part.size))]
    whole = 1 if case.benchmark == "inner-product" else case.size // 8
    if sum(counts) != whole:
        return f"the parts of the ranks have {sum(counts)} elements together instead of {whole}"
    if not part.size:
        return ""
    places = [np.arange(begin, begin + count) for begin, count in zip(first, part.shape, strict=True)]
    expected, allowed = EXPECTED[case.benchmark](edge, iterations, *places)
    wrong = np.argwhere(~(np.abs(part - expected) <= allowed))  # also where it is not a number
    if not len(wrong):
        return ""
    at = tuple(wrong[0].tolist())
    place = tuple(int(begin + index) for begin, index in zip(first, at, strict=True))
    return f"element {place} of the result is {part[at]} instead of {np.broadcast_to(expected, part.shape)[at]}"


def inner_product(edge: int, _: int, __: NDArray[Any]) -> tuple[Any, float]:
    """x_i y_i = 1 + i mod 3."""
    whole, rest = divmod(edge, 3)
    return np.array([6.0 * whole + (0, 1, 3)[rest]]), 1e-12 * edge


def wave(edge: int, steps: int, *places: NDArray[Any]) -> tuple[Any, float]:
    """The solution of the scheme: the mirrored boundary makes cos(pi i h) an eigenvector of the second difference."""
    h = 1.0 / (edge - 1)
    ratio = (0.004510 * 128.0) ** 2  # of the time step to h, squared
    factor = 2.0 * cos(steps * acos(1.0 + 3.0 * ratio * (cos(pi * h) - 1.0)))
    x, y, z = (np.cos(pi * place * h) for place in places)
    return factor * x[:, None, None] * y[:, None] * z, 1e-11


def poisson_cg(edge: int, iterations: int, *places: NDArray[Any]) -> tuple[Any, float]:
    """The iterate of a plain program that has the whole mesh."""
    x = (np.arange(edge) + 1.0) / (edge + 1)
    right = 2.0 / (edge + 1) ** 2 * np.add.outer(x * (1 - x), x * (1 - x))
    iterate = right.copy()
    rho, first = 0.0, 0.0
    for _ in range(iterations):
        if rho <= SMALLEST_RHO * first:
            iterate = right.copy()
            residual = right - _five_points(iterate)
            direction = residual.copy()
            first = rho = float(np.vdot(residual, residual))
        product = _five_points(direction)
        alpha = rho / float(np.vdot(direction, product))
        iterate += alpha * direction
        residual -= alpha * product
        before, rho = rho, float(np.vdot(residual, residual))
        direction = residual + rho / before * direction
    return iterate[np.ix_(*places)], 1e-9 * float(np.abs(iterate).max())


def _five_points(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix with 4 on its diagonal and -1 for each of four neighbours, times a vector."""
    product = 4.0 * u
    product[1:] -= u[:-1]
    product[:-1] -= u[1:]
    product[:, 1:] -= u[:, :-1]
    product[:, :-1] -= u[:, 1:]
    return product


def matmul(edge: int, _: int, *places: NDArray[Any]) -> tuple[Any, float]:
    """A = sin(i) + cos(k), B = cos(k) + sin(j); the sum over k by hand."""
    inner = np.cos(np.arange(edge))
    row, column = (np.sin(place) for place in places)
    mixed = (row[:, None] + column) * inner.sum() + edge * row[:, None] * column
    return mixed + inner @ inner, 1e-12 * edge


def sort(_: int, __: int, places: NDArray[Any]) -> tuple[Any, float]:
    """The keys are a permutation of 0, 1, ..."""
    return places.astype(np.float64), 0.0


EXPECTED: dict[str, Call] = {
    "inner-product": inner_product,
    "wave": wave,
    "poisson-cg": poisson_cg,
    "matmul": matmul,
    "sort": sort,
}
