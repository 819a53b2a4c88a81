"""What each binding adds to a message and to a collective call, from the launch medians of a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import polars as pl

from polympi.lab.projection.loggp import announcement_ns
from polympi.lab.projection.model import ArmCosts, Line, Network, Points, Span
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.overheads import Line as OverheadLine
from polympi.lab.statistics.overheads import coefficient_over_blocks, overhead_line, overhead_over_blocks
from polympi.lab.statistics.reference import with_reference

COLLECTIVES = {"barrier": "none", "bcast": "bytes", "allreduce": "float64", "alltoall": "bytes"}
PAYLOADS = ("bytes", "float64", "array")  # of the ping-pong whose costs are projected: the first that an arm has
NOTHING = Span(low=Line(), median=Line(), high=Line())


def costs_of(
    analysis: Analysis, stack: str, ways: Mapping[str, ArmCosts] | None = None, network: Network | None = None
) -> list[ArmCosts]:
    """The costs of every arm of a stack but C that has a ping-pong of at least two sizes in six blocks or more.

    They are the overheads of the report (:mod:`~polympi.lab.statistics.overheads`), from two sizes on. A negative cost
    is taken for none: what an arm saves in the memory that ranks share, a network does not give. `ways` are arms that
    make messages or calls in addition to those of C; what C takes for them is simulated, and no cost of the arm.
    Without a network ranks shared memory, by which an arm announces nothing.
    """
    medians = analysis.launch_medians.filter(pl.col("stack") == stack, pl.col("median_ns") > 0)
    compared = with_reference(medians)
    found = []
    for binding in compared["binding"].unique(maintain_order=True):
        own = compared.filter(pl.col("binding") == binding, pl.col("mode") == "standard")
        latency = own.filter(pl.col("benchmark") == "latency")
        way = (ways or {}).get(binding, ArmCosts(binding=binding, payload="", message=NOTHING))
        further = _Further(analysis, stack, way, network)
        for payload in PAYLOADS:
            measured = _span(latency.filter(pl.col("payload") == payload), further, "latency")
            if measured is None:
                continue
            span, low, high, blocks = measured
            found.append(
                msgspec.structs.replace(
                    way,
                    payload=payload,
                    message=span,
                    collectives=_collectives(own, further),
                    blocks=blocks,
                    shown=low > 0,
                    saves=high < 0,
                )
            )
            break
    return found


def c_points(
    analysis: Analysis, stack: str, benchmark: str = "latency", payload: str = "bytes", mode: str = "standard"
) -> Points:
    """The median time of C over the blocks at each size of a benchmark; ns by bytes."""
    rows = analysis.launch_medians.filter(
        pl.col("stack") == stack,
        pl.col("binding") == REFERENCE,
        pl.col("benchmark") == benchmark,
        pl.col("mode") == mode,
        pl.col("payload") == payload,
    )
    points = rows.group_by("size_bytes").agg(pl.col("median_ns").median()).sort("size_bytes")
    return [(int(size), float(time)) for size, time in points.select("size_bytes", "median_ns").iter_rows()]


@dataclass(frozen=True)
class _Further:
    """What C takes for the messages and calls that an arm makes in addition to C's."""

    analysis: Analysis
    stack: str
    way: ArmCosts  # the arm, without costs
    network: Network | None  # that of the run; None where an arm announced nothing

    def of(self, benchmark: str) -> Callable[[int], float]:
        """Its ns in a call of a benchmark, by bytes."""
        least_ns = _least_ns(self.analysis, self.stack, benchmark)
        calls = self.way.calls.get(benchmark, 1) - 1
        return lambda size: calls * least_ns + self._announced_ns(benchmark, size, least_ns)

    def _announced_ns(self, benchmark: str, size: int, least_ns: float) -> float:
        if self.network is None or not self.way.announces(size):
            return 0.0
        if benchmark == "latency":
            return announcement_ns(self.network, size)
        run = self.analysis.run
        nodes = run.ranks if run.hostfile or run.launching.elsewhere else 1
        along = self.way.announced_along(benchmark, size, nodes)
        return along * announcement_ns(self.network, size) if along else self.way.rounds.get(benchmark, 0) * least_ns


def _least_ns(analysis: Analysis, stack: str, collective: str) -> float:
    """What C takes for the smallest call of a collective; 0 if that was not measured."""
    points = c_points(analysis, stack, collective, COLLECTIVES.get(collective, "bytes"))
    return points[0][1] if points else 0.0


def _collectives(rows: pl.DataFrame, further: _Further) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for name, usual in COLLECTIVES.items():
        own = rows.filter(pl.col("benchmark") == name)
        for payload in own["payload"].unique(maintain_order=True).sort():
            if payload in (usual, "bytes", "array"):
                measured = _span(own.filter(pl.col("payload") == payload), further, name)
                if measured is not None:
                    found.setdefault(name, measured[0])
    return found


class _Block(NamedTuple):
    """Sizes ascending, with times in ns without what is not counted, and those of the reference."""

    sizes: list[int]
    times: list[float]
    reference: list[float]

    def line(self) -> OverheadLine:
        """The line through the differences; with a single size, its difference is that of a call."""
        if len(self.sizes) == 1:
            return OverheadLine(self.times[0] - self.reference[0], 0.0)
        return overhead_line(self.sizes, self.times, self.reference)


def _block_of(block: pl.DataFrame, less_ns: Callable[[int], float]) -> _Block:
    ordered = block.sort("size_bytes")
    sizes, times, reference = (ordered[name].to_list() for name in ("size_bytes", "median_ns", "reference_ns"))
    return _Block(sizes, [time - less_ns(size) for size, time in zip(sizes, times, strict=True)], reference)


def _span(rows: pl.DataFrame, further: _Further, benchmark: str) -> tuple[Span, float, float, int] | None:
    """The cost over the sizes of one family, with the ends of the interval of a call before they are cut at zero."""
    sizes = rows["size_bytes"].n_unique()
    if sizes < 1:
        return None
    less_ns = further.of(benchmark)
    blocks = [_block_of(block, less_ns) for block in rows.partition_by("block") if len(block) == sizes]
    lines = [block.line() for block in blocks]
    coefficients = overhead_over_blocks(lines)
    if coefficients is None:
        return None
    call, byte = coefficients
    calls = (call.interval.low, call.median, call.interval.high)
    bytes_ = (byte.interval.low, byte.median, byte.interval.high)
    points = (_stepped(level, further.way.announced_from) for level in _at_sizes(blocks))
    low, median, high = (_cost(a, b, p) for a, b, p in zip(calls, bytes_, points, strict=True))
    return Span(low=low, median=median, high=high), calls[0], calls[2], len(lines)


def _at_sizes(blocks: Sequence[_Block]) -> tuple[Points, Points, Points]:
    """The cost at each size: both ends of its interval over the blocks, and between them its median."""
    low, median, high = [], [], []
    for number, size in enumerate(blocks[0].sizes):
        found = coefficient_over_blocks([block.times[number] - block.reference[number] for block in blocks])
        assert found is not None  # there are as many blocks as for the line
        low.append((size, found.interval.low))
        median.append((size, found.median))
        high.append((size, found.interval.high))
    return low, median, high


def _stepped(points: Points, announced_from: int) -> Points:
    """Data that are announced begin at a size: below it, the cost is that of the last size which was measured there."""
    below = [point for point in points if point[0] < announced_from]
    above = points[len(below) :]
    if not below or not above or below[-1][0] == announced_from - 1:
        return points
    return [*below, (announced_from - 1, below[-1][1]), *above]


def _cost(per_call_ns: float, per_byte_ns: float, points: Points) -> Line:
    """A cost that is nowhere below zero; beyond the largest size it grows as the line does."""
    found = [(size, max(0.0, ns)) for size, ns in points]
    last, ns = found[-1]
    line = Line(per_call_ns=max(0.0, per_call_ns), per_byte_ns=max(0.0, per_byte_ns))
    further = (max(1, 2 * last), ns + line.per_byte_ns * last)
    return msgspec.structs.replace(line, points=[*found, further]) if any(ns for _, ns in found) else Line()
