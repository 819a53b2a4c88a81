"""What can be measured: benchmarks, their modes and payloads, and what one iteration of each does.

The data are in ``catalogue.toml`` next to this module; ``docs/protocol.md`` describes them for authors of bindings.
"""

from bisect import bisect_left
from dataclasses import dataclass
from itertools import product
from math import isqrt, log2
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from polympi.lab.units import format_size


@dataclass(frozen=True, order=True)
class Case:
    """One thing that is timed: a benchmark with a mode, a payload and a size."""

    benchmark: str
    mode: str
    payload: str
    size_bytes: int

    @property
    def pattern(self) -> str:
        """``benchmark/mode/payload``, what a manifest's coverage patterns are matched against."""
        return f"{self.benchmark}/{self.mode}/{self.payload}"

    def __str__(self) -> str:
        return f"{self.pattern}/{self.size_bytes}"


class Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A payload of the catalogue."""

    name: str  # its name in plans, tables and files
    what: str  # what it is
    in_c: str  # what C sends for it
    bytes: int | None = None  # its only size, as C counts it; None where it is made of elements
    element: int = 1  # bytes of one element
    least: int = 0  # bytes of the smallest message

    def allows(self, size_bytes: int) -> bool:
        """Whether a message of this payload can have this size."""
        if self.bytes is not None:
            return size_bytes == self.bytes
        return size_bytes % self.element == 0 and size_bytes >= self.least


Messages: TypeAlias = Literal["none", "one", "all", "window"] | int


class Exceptional(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is different in one mode of a benchmark."""

    iteration: str
    operations: int


class Benchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A benchmark of the catalogue."""

    name: str  # its name in plans, tables and files
    # Which ranks participate, and how it is timed: `catalogue.toml` explains each.
    kind: Literal["pair", "cycle", "joint", "rooted", "application", "launch"]
    summary: str  # one line for `polympi list`
    iteration: str  # what one iteration does
    payloads: tuple[str, ...]  # the payloads it has, the main one first
    sends: tuple[Messages, Messages]  # messages of rank 0 and of the other ranks in one iteration
    gets: tuple[Messages, Messages]  # likewise
    origin: Literal["nobody", "peer", "root", "each", "sum", "neighbors"]  # who made what arrives
    modes: tuple[str, ...] = ("standard",)  # the modes it has, the main one first
    _operations: int = msgspec.field(name="operations", default=1)
    apiece: bool = False  # each destination gets its own
    uneven: bool = False  # pieces differ in size
    through: Literal["messages", "memory", "file"] = "messages"  # what a collective moves its data through
    creates: bool = False  # the call makes a communicator
    nonblocking: bool = False  # the call starts a collective, and a wait completes it
    one_sided: bool = False  # rank 0 accesses a window of rank 1
    call: str = ""  # the name in MPI of a collective or an access, if it differs from its own
    shape: Literal["contiguous", "face", "halo", "layout"] = "contiguous"  # how a message lies in memory
    basic: bool | tuple[str, ...] = False  # whether every program is expected to have loops for it, or for which modes
    quick: bool = True  # whether the quick profile measures it
    sizes: dict[str, tuple[int, ...]] = {}  # by payload the sizes in all profiles; none for the profile's own
    dimensions: int = 0  # of the arrays of an application; 0 for a benchmark that is none
    # Elements in each dimension of an application's arrays, the one of short profiles first.
    edges: tuple[int, ...] = ()
    # What an iteration of an application does, as `catalogue.toml` explains.
    work: Literal["elements", "products", "comparisons"] = "elements"
    limited_by: tuple[str, str] | None = None  # benchmark and mode that show what the memory allows an application
    exceptions: dict[str, Exceptional] = {}  # modes whose iteration is another one

    @property
    def combinations(self) -> list[tuple[str, str]]:
        """Its modes with its payloads, the main ones first."""
        return list(product(self.modes, self.payloads))

    @property
    def basic_modes(self) -> tuple[str, ...]:
        """The modes that every program is expected to have loops for."""
        if isinstance(self.basic, tuple):
            return self.basic
        return self.modes if self.basic else ()

    @property
    def gaps(self) -> bool:
        """Whether a message lies in memory with gaps."""
        return self.shape != "contiguous"

    @property
    def one_buffer(self) -> bool:
        """Whether a collective takes one buffer: the root sends out of it, and the others receive into it."""
        return self.collective and self.origin == "root" and not self.apiece

    @property
    def mpi_call(self) -> str:
        """The name of a collective or an access in MPI, without ``MPI_``."""
        return self.call or self.name.capitalize().replace("-", "_")

    @property
    def collective(self) -> bool:
        """Whether it is a call of all ranks; otherwise messages from one rank to one, or a whole program."""
        return self.kind not in ("pair", "cycle") and not self.application

    @property
    def from_common_start(self) -> bool:
        """Whether ranks begin at a common start, which they wait for in the time of each event."""
        return self.kind in ("joint", "rooted")

    @property
    def messages(self) -> bool:
        """Whether it is an exchange of messages from one rank to one."""
        return self.kind in ("pair", "cycle")

    @property
    def application(self) -> bool:
        """Whether it is a program that computes, and not an exchange of messages alone."""
        return self.dimensions > 0

    @property
    def timed_singly(self) -> bool:
        """Whether each iteration is timed alone, from a common start."""
        return self.kind == "rooted"

    @property
    def windowed(self) -> bool:
        """Whether an iteration is a window of messages."""
        return "window" in (*self.sends, *self.gets)

    @property
    def launch_figure(self) -> bool:
        """Whether it is read off every launch instead of being a case of the plan."""
        return self.kind == "launch"

    def operations(self, mode: str, ranks: int = 2) -> int:
        """Operations in one iteration, by which a measured time is divided; in a cycle those of all ranks."""
        one = self.exceptions[mode].operations if mode in self.exceptions else self._operations
        return one * (WINDOW if self.windowed else 1) * (ranks if self.kind == "cycle" else 1)

    def allows(self, payload: str, size_bytes: int) -> bool:
        """Whether a message of this payload can have this size here: a face is a square, a layout is made of groups.

        The size of ``halo`` is that of all six faces.
        """
        if self.shape == "face":
            edge = isqrt(size_bytes // 8)
            return face_bytes(edge) == size_bytes and 2 <= edge <= LARGEST_FACE_EDGE
        if self.shape == "halo":
            inner = isqrt(size_bytes // (8 * HALO_FACES))
            return halo_bytes(inner) == size_bytes and 2 <= inner <= LARGEST_FACE_EDGE - 2
        if self.application:
            return self.edge(size_bytes) >= SMALLEST_EDGE
        if self.shape == "layout":
            return size_bytes > 0 and size_bytes % GROUP_BYTES == 0
        return PAYLOADS[payload].allows(size_bytes)

    @property
    def minimum_ranks(self) -> int:
        """Ranks below which the benchmark means nothing."""
        return 1 if self.launch_figure or self.application else 2

    def edge(self, size_bytes: int) -> int:
        """Elements in each dimension of an application's array of this many bytes; 0 if no array has this size."""
        edge = round((size_bytes // 8) ** (1 / self.dimensions))
        return edge if problem_bytes(edge, self.dimensions) == size_bytes else 0

    def work_of(self, size_bytes: int) -> float:
        """The work of an application's iteration with an array of this many bytes, in units of its ``work``."""
        return self._work(self.edge(size_bytes))

    def _work(self, edge: int) -> float:
        elements = int(edge**self.dimensions)
        each = {"elements": 1.0, "products": float(edge), "comparisons": log2(elements)}
        return elements * each[self.work]

    def grown(self, size_bytes: int, times: int) -> int:
        """Bytes of the array whose work is nearest to a multiple of the work of this one."""
        edge = self.edge(size_bytes)
        edges, wanted = range(edge, edge * times + 1), times * self._work(edge)
        above = bisect_left(edges, wanted, key=self._work)
        nearest = min(edges[max(above - 1, 0) : above + 1], key=lambda one: abs(self._work(one) - wanted))
        return problem_bytes(nearest, self.dimensions)

    def size_words(self, size_bytes: int) -> str:
        """A size as people write it: ``64 KiB``; of an application its mesh, ``129³``."""
        if not self.application:
            return format_size(size_bytes)
        power = {1: "", 2: "²", 3: "³"}[self.dimensions]
        return f"{self.edge(size_bytes)}{power}"


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a message of the benchmark ``datatype`` lies in memory, in units of 8 bytes (``catalogue.toml``)."""

    mode: str
    period: int
    sent: tuple[int, ...]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """``catalogue.toml``, which explains each entry."""

    window: int
    pages: tuple[str, ...]
    largest_face_edge: int
    send_modes: tuple[str, ...]
    completions: tuple[str, ...]
    face_modes: tuple[str, ...]
    layouts: tuple[Layout, ...]
    payloads: list[Payload]
    benchmarks: list[Benchmark]


_FILE = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=_File)

WINDOW = _FILE.window
PAGES = _FILE.pages
SEND_MODES = _FILE.send_modes
COMPLETIONS = _FILE.completions
FACE_MODES = _FILE.face_modes
LAYOUTS = _FILE.layouts
GROUP_BYTES = 8 * len(LAYOUTS[0].sent)  # the same in all layouts, so that they have the same sizes
LARGEST_FACE_EDGE = _FILE.largest_face_edge
HALO_FACES = 6  # of a cube
SMALLEST_EDGE = 3  # of an application's array, for each rank: an element with a neighbour on each side
# Modes of applications, those that exchange messages first.
_APPLICATIONS = sorted((b for b in _FILE.benchmarks if b.application), key=lambda b: b.kind != "application")
VARIANTS = tuple(
    dict.fromkeys(mode for b in (*_APPLICATIONS, *(b for b in _FILE.benchmarks if b.one_sided)) for mode in b.modes)
)
PAYLOADS = {payload.name: payload for payload in _FILE.payloads}
FIXED_SIZES = {payload.name: payload.bytes for payload in _FILE.payloads if payload.bytes is not None}
BENCHMARKS = {b.name: msgspec.structs.replace(b, summary=b.summary.format(window=WINDOW)) for b in _FILE.benchmarks}
MEASURED = [benchmark for benchmark in BENCHMARKS.values() if not benchmark.launch_figure]  # the cases of plans


def face_bytes(edge: int) -> int:
    """Bytes of a face of a cube of doubles with this many elements along an edge."""
    return 8 * edge * edge


def halo_bytes(inner: int) -> int:
    """Bytes of the six faces of a cube of doubles with this many inner elements along an edge."""
    return HALO_FACES * face_bytes(inner)


def problem_bytes(edge: int, dimensions: int) -> int:
    """Bytes of an application's array of doubles with this many elements in each dimension."""
    return int(8 * edge**dimensions)
