"""What can be measured: benchmarks, their modes and payloads, and what one iteration of each does.

The same facts, for authors of bindings, are in ``docs/protocol.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

WINDOW = 64  # messages in flight in the bandwidth benchmarks; the default of OSU Micro-Benchmarks 7.4

# What message buffers lie on: huge pages are asked for, plain ones are what a program gets that asks for nothing.
PAGES = ("huge", "plain")

SEND_MODES = ("standard", "synchronous", "buffered", "ready")  # MPI 5.0, section 3.4
COMPLETIONS = ("", "-nonblocking", "-persistent")
LATENCY_MODES = (*(s + c for s in SEND_MODES for c in COMPLETIONS), "sendrecv")

FACE_MODES = ("contiguous", "rows", "elements")  # how the face of a cube in C order lies in memory
LARGEST_FACE_EDGE = 258  # 256 and a layer of neighbours at both ends: a cube of 137 MB

BUFFER_PAYLOADS = ("bytes", "float64")
FIXED_SIZES = {"none": 0, "int": 8, "float": 8, "dict": 24}  # bytes that C sends for the same thing
ELEMENT_BYTES = {"float64": 8, "array": 8}


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


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of the catalogue.

    Attributes:
        name: its name in plans, tables and files.
        summary: one line for ``polympi list``.
        collective: all ranks take part; otherwise ranks 0 and 1 do.
        modes: the modes it has.
        payloads: the payloads it has.
        timed_singly: each iteration is timed alone, from a common start (rooted collectives, whose ranks would
            otherwise run ahead of each other).
        launch_figure: read off every launch instead of being a case of the plan.
    """

    name: str
    summary: str
    collective: bool
    modes: tuple[str, ...] = ("standard",)
    payloads: tuple[str, ...] = ("bytes",)
    timed_singly: bool = False
    launch_figure: bool = False

    def operations(self, mode: str) -> int:
        """Operations in one iteration, by which a measured time is divided."""
        if self.windowed:
            return WINDOW * (2 if self.name == "bibandwidth" else 1)
        return 2 if self.name in ("latency", "faces") and mode != "sendrecv" else 1

    def allows(self, payload: str, size_bytes: int) -> bool:
        """Whether a message of this payload can have this size: see :func:`is_legal_size`; a face is a square."""
        if self.name == "faces":
            edge = isqrt(size_bytes // 8)
            return face_bytes(edge) == size_bytes and 2 <= edge <= LARGEST_FACE_EDGE
        return is_legal_size(payload, size_bytes)

    @property
    def windowed(self) -> bool:
        """Whether an iteration is a window of messages."""
        return self.name in ("bandwidth", "bibandwidth", "stream")

    @property
    def minimum_ranks(self) -> int:
        """Ranks below which the benchmark means nothing."""
        return 1 if self.launch_figure else 2


_OBJECTS = ("int", "dict", "array")

BENCHMARKS = {
    b.name: b
    for b in (
        Benchmark(
            "latency",
            "ping-pong, half the round trip",
            collective=False,
            modes=LATENCY_MODES,
            payloads=(*BUFFER_PAYLOADS, *_OBJECTS),
        ),
        Benchmark(
            "bandwidth",
            f"{WINDOW} nonblocking sends, one acknowledgement",
            collective=False,
            payloads=("bytes", "float64", "array"),
        ),
        Benchmark(
            "bibandwidth",
            f"{WINDOW} nonblocking sends and receives on both sides",
            collective=False,
            payloads=("bytes", "float64", "array"),
        ),
        Benchmark(
            "stream",
            f"{WINDOW} blocking sends in a row, one acknowledgement",
            collective=False,
            payloads=("bytes", "float64", "array"),
        ),
        Benchmark(
            "faces",
            "ping-pong of a face of a cube of doubles, strided at both ends",
            collective=False,
            modes=FACE_MODES,
            payloads=("float64",),
        ),
        Benchmark("barrier", "MPI_Barrier", collective=True, payloads=("none",)),
        Benchmark(
            "bcast",
            "MPI_Bcast from rank 0",
            collective=True,
            payloads=(*BUFFER_PAYLOADS, *_OBJECTS),
            timed_singly=True,
        ),
        Benchmark(
            "reduce",
            "MPI_Reduce (sum) to rank 0",
            collective=True,
            payloads=("float64", "float", "array"),
            timed_singly=True,
        ),
        Benchmark(
            "allreduce",
            "MPI_Allreduce (sum)",
            collective=True,
            payloads=("float64", "float", "array"),
        ),
        Benchmark(
            "gather",
            "MPI_Gather to rank 0",
            collective=True,
            payloads=(*BUFFER_PAYLOADS, *_OBJECTS),
            timed_singly=True,
        ),
        Benchmark(
            "scatter",
            "MPI_Scatter from rank 0",
            collective=True,
            payloads=(*BUFFER_PAYLOADS, *_OBJECTS),
            timed_singly=True,
        ),
        Benchmark("allgather", "MPI_Allgather", collective=True, payloads=(*BUFFER_PAYLOADS, *_OBJECTS)),
        Benchmark("alltoall", "MPI_Alltoall", collective=True, payloads=(*BUFFER_PAYLOADS, *_OBJECTS)),
        Benchmark(
            "startup",
            "launch to first barrier, import, MPI_Init; memory of a process",
            collective=True,
            modes=("first-barrier", "import", "init"),
            payloads=("none",),
            launch_figure=True,
        ),
    )
}


def face_bytes(edge: int) -> int:
    """Bytes of a face of a cube of doubles with so many elements along an edge."""
    return 8 * edge * edge


def is_legal_size(payload: str, size_bytes: int) -> bool:
    """Whether a message of this payload can have this size (8-byte elements; fixed sizes of objects)."""
    if payload in FIXED_SIZES:
        return size_bytes == FIXED_SIZES[payload]
    element = ELEMENT_BYTES.get(payload, 1)
    return size_bytes % element == 0 and size_bytes >= (element if payload == "array" else 0)
