"""What each binding adds to a message and to a collective call, from the launch medians of a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import polars as pl

from polympi.lab.projection.model import ArmCosts, Line, Points, Span
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.overheads import Line as OverheadLine
from polympi.lab.statistics.overheads import overhead_line, overhead_over_blocks
from polympi.lab.statistics.reference import with_reference

COLLECTIVES = {"barrier": "none", "bcast": "bytes", "allreduce": "float64", "alltoall": "bytes"}
PAYLOADS = ("bytes", "float64", "array")  # of the ping-pong whose costs are projected: the first that an arm has
_NO_CALLS: Mapping[str, Mapping[str, int]] = MappingProxyType({})
NOTHING = Span(low=Line(), median=Line(), high=Line())


def costs_of(analysis: Analysis, stack: str, calls: Mapping[str, Mapping[str, int]] = _NO_CALLS) -> list[ArmCosts]:
    """The costs of every arm of a stack but C that has a ping-pong of at least two sizes in six blocks or more.

    They are the overheads of the report (:mod:`~polympi.lab.statistics.overheads`), from two sizes on. A negative cost
    is taken for none: what an arm saves in the memory that ranks share, a network does not give.

    Args:
        analysis: the run.
        stack: the stack.
        calls: by arm and collective, how often the arm calls MPI's. What C takes for the further calls is no cost of
            the arm where it is projected: it is simulated.
    """
    medians = analysis.launch_medians.filter(pl.col("stack") == stack, pl.col("median_ns") > 0)
    compared = with_reference(medians)
    found = []
    for binding in compared["binding"].unique(maintain_order=True):
        own = compared.filter(pl.col("binding") == binding, pl.col("mode") == "standard")
        latency = own.filter(pl.col("benchmark") == "latency")
        further = {
            name: (number - 1) * _least_ns(analysis, stack, name) for name, number in calls.get(binding, {}).items()
        }
        for payload in PAYLOADS:
            measured = _span(latency.filter(pl.col("payload") == payload))
            if measured is None:
                continue
            span, low, high, blocks = measured
            found.append(
                ArmCosts(
                    binding=binding,
                    payload=payload,
                    message=span,
                    collectives=_collectives(own, further),
                    calls=dict(calls.get(binding, {})),
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


def _least_ns(analysis: Analysis, stack: str, collective: str) -> float:
    """What C takes for the smallest call of a collective; 0 if that was not measured."""
    points = c_points(analysis, stack, collective)
    return points[0][1] if points else 0.0


def _collectives(rows: pl.DataFrame, further: Mapping[str, float]) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for name, usual in COLLECTIVES.items():
        own = rows.filter(pl.col("benchmark") == name)
        for payload in own["payload"].unique(maintain_order=True).sort():
            if payload in (usual, "bytes", "array"):
                measured = _span(own.filter(pl.col("payload") == payload), further.get(name, 0.0))
                if measured is not None:
                    found.setdefault(name, measured[0])
    return found


def _span(rows: pl.DataFrame, less_ns: float = 0.0) -> tuple[Span, float, float, int] | None:
    """The cost over the sizes of one family, with the ends of the interval of a call before they are cut at zero.

    Args:
        rows: launch medians with those of the reference.
        less_ns: what is not counted of each call.
    """
    sizes = rows["size_bytes"].n_unique()
    blocks = [block for block in rows.partition_by("block") if len(block) == sizes]
    if sizes < 1:
        return None
    lines = [_line(block) for block in blocks]
    coefficients = overhead_over_blocks(lines)
    if coefficients is None:
        return None
    call, byte = coefficients
    calls = (call.interval.low, call.median, call.interval.high)
    bytes_ = (byte.interval.low, byte.median, byte.interval.high)
    low, median, high = (
        Line(per_call_ns=max(0.0, a - less_ns), per_byte_ns=max(0.0, b)) for a, b in zip(calls, bytes_, strict=True)
    )
    return Span(low=low, median=median, high=high), calls[0], calls[2], len(lines)


def _line(block: pl.DataFrame) -> OverheadLine:
    """The line through the differences of one block; with a single size, its difference is that of a call."""
    sizes, times, reference = (block[name].to_list() for name in ("size_bytes", "median_ns", "reference_ns"))
    if len(sizes) == 1:
        return OverheadLine(times[0] - reference[0], 0.0)
    return overhead_line(sizes, times, reference)
