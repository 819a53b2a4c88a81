"""The plan: which cases a launch runs, and how often (format: ``docs/protocol.md``)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

from catalogue import (
    DIMENSIONS,
    HALO_FACES,
    KINDS,
    LARGEST_FACE_EDGE,
    LAYOUTS,
    MODES,
    ORIGINS,
    PAGES,
    SHAPES,
    SIZES,
    SMALLEST_EDGE,
    THROUGH,
    WINDOWED,
)

VERSION = "2"

BENCHMARKS = tuple(KINDS)
PAIRS = tuple(name for name, kind in KINDS.items() if kind == "pair")  # of ranks 0 and 1; the others wait
# Messages from one rank to one; in a cycle they go through all ranks.
POINT_TO_POINT = tuple(name for name, kind in KINDS.items() if kind in ("pair", "cycle"))
APPLICATIONS = tuple(DIMENSIONS)  # they compute, and their results are checked
# Timed on rank 0 in stretches of many iterations; others are calls of all ranks from a common start.
TIMED_ON_ROOT = tuple(name for name, kind in KINDS.items() if kind in ("pair", "cycle", "application"))
HELD_TOGETHER = tuple(name for name, kind in KINDS.items() if kind == "joint")  # no rank leaves before all have arrived
ROOTED = tuple(name for name, kind in KINDS.items() if kind == "rooted")  # ranks could run ahead: timed one by one
GROUP_BYTES = 8 * len(LAYOUTS["contiguous"][1])  # that are sent; the same in all layouts
REDUCTIONS = tuple(name for name, origin in ORIGINS.items() if origin == "sum")
# Collectives of neighbours in the ring of all ranks.
NEIGHBORING = tuple(name for name, origin in ORIGINS.items() if origin == "neighbors" and name not in THROUGH)
COLLECTIVES = tuple(name for name in (*HELD_TOGETHER, *ROOTED) if name not in APPLICATIONS)


class PlanError(Exception):
    """The plan cannot be carried out; the text is one sentence that says why."""


@dataclass(frozen=True)
class Case:
    """One thing to time: what is sent how, how large (bytes), and how often."""

    number: int
    benchmark: str
    mode: str
    payload: str
    size: int
    warmup: int
    batches: int
    iterations: int
    events: int

    @property
    def iterations_in_all(self) -> int:
        """Iterations after the validation pass, timed or not."""
        return self.warmup + self.batches * self.iterations + self.events


def face_edge(size: int) -> int:
    """Elements along an edge of the cube of doubles whose face has ``size`` bytes; 0 if none may have such a face."""
    edge = isqrt(size // 8)
    return edge if 8 * edge * edge == size and 2 <= edge <= LARGEST_FACE_EDGE else 0


def halo_edge(size: int) -> int:
    """Elements along an edge, with its ghost layers, of the cube whose six faces have ``size`` bytes; 0 if none may."""
    inner = isqrt(size // (8 * HALO_FACES))
    return inner + 2 if 8 * HALO_FACES * inner * inner == size and 2 <= inner <= LARGEST_FACE_EDGE - 2 else 0


def problem_edge(case: Case) -> int:
    """Elements in each dimension of an application's arrays; 0 where none has the size of the case."""
    dimensions = DIMENSIONS[case.benchmark]
    edge = round((case.size // 8) ** (1 / dimensions))
    return edge if 8 * edge**dimensions == case.size and edge >= SMALLEST_EDGE else 0


def whole_groups(size: int) -> int:
    """Groups in a message of ``size`` bytes of the benchmark datatype; 0 if it is not made of whole groups."""
    groups, rest = divmod(size, GROUP_BYTES)
    return 0 if rest else groups


@dataclass(frozen=True)
class Plan:
    """What all programs of a launch do.

    Attributes:
        window: messages in flight in the windowed benchmarks.
        cases: the cases in the order in which they run.
        pages: what message buffers lie on.
        start: path of the library of the common start.
        path: where it was read.
    """

    window: int
    cases: tuple[Case, ...]
    pages: str = PAGES[0]
    start: str = ""
    path: str = ""


def read_plan(path: str) -> Plan:
    """Read a plan from a file.

    Raises:
        PlanError: the file cannot be read, or is not a plan this harness knows.
    """
    try:
        with open(path, encoding="ascii") as file:
            return replace(parse_plan(file.read()), path=path)
    except OSError as error:
        raise PlanError(f"The plan {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise PlanError(f"The plan {path} cannot be read: it is not ASCII text.") from error


def parse_plan(text: str) -> Plan:
    """Parse the text of a plan.

    Raises:
        PlanError: a version, record, benchmark, mode or payload is unknown, or the plan is cut off.
    """
    lines = text.splitlines()
    if not lines or lines[0] != f"polympi-plan {VERSION}":
        raise PlanError(f"The plan begins with '{lines[0] if lines else ''}', not with 'polympi-plan {VERSION}'.")
    if lines[-1] != "end":
        raise PlanError("The plan is cut off: its last line is not 'end'.")
    window, pages, start = 0, PAGES[0], ""
    cases = []
    for line in lines[1:-1]:
        record, *fields = line.split(" ")
        if record == "window" and len(fields) == 1:
            window = _count(fields[0], line)
        elif record == "pages" and fields in [[name] for name in PAGES]:
            pages = fields[0]
        elif record == "start" and fields:
            start = " ".join(fields)
        elif record == "case" and len(fields) == 9:
            cases.append(_case(fields, line))
        else:
            raise PlanError(f"The plan has a line that is not understood: '{line}'.")
    if window < 1 and any(case.benchmark in WINDOWED for case in cases):
        raise PlanError("The plan has no window, but a benchmark that needs one.")
    if not start:
        raise PlanError("The plan does not name the library of the common start.")
    return Plan(window, tuple(cases), pages, start)


def _case(fields: list[str], line: str) -> Case:
    number, benchmark, mode, payload, *counts = fields
    if benchmark not in BENCHMARKS:
        raise PlanError(f"The plan names an unknown benchmark: '{benchmark}'.")
    if mode not in MODES[benchmark]:
        raise PlanError(f"The plan names an unknown mode of {benchmark}: '{mode}'.")
    if payload not in SIZES:
        raise PlanError(f"The plan names an unknown payload: '{payload}'.")
    size, warmup, batches, iterations, events = (_count(field, line) for field in counts)
    element, least, most = SIZES[payload]
    case = Case(_count(number, line), benchmark, mode, payload, size, warmup, batches, iterations, events)
    lies_in = {"face": face_edge, "layout": whole_groups, "halo": halo_edge}.get(SHAPES.get(benchmark, ""))
    possible = not size % element and least <= size <= most and (lies_in is None or lies_in(size) > 0)
    if not possible or (benchmark in APPLICATIONS and not problem_edge(case)):
        raise PlanError(f"The plan asks for {payload} of {size} bytes, which does not exist: '{line}'.")
    return case


def _count(field: str, line: str) -> int:
    if not (field.isascii() and field.isdigit()):
        raise PlanError(f"The plan has '{field}' where a whole number belongs: '{line}'.")
    return int(field)
