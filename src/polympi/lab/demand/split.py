"""What the time of a binding's operation consists of: MPI, what it sends in addition, and the rest.

MPI's part is the time of the arm of C that calls MPI most like the binding: ``c-spin`` if it polls, ``c-multiple`` if
it runs at MPI_THREAD_MULTIPLE, else C. More or longer messages than C's take what the ping-pong of that arm takes for
messages of their sizes. The rest is what the binding does by itself.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from polympi.lab.audit.procedures import POLLS, plain
from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.demands import Demand
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.intervals import MedianInterval, median_interval
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.reference import with_reference

POLLING, MULTIPLE = "c-spin", "c-multiple"
PING_PONG = ("latency", "standard", "bytes")

_Times = dict[int, float]  # of an operation in ns, by block
_Message = Callable[[int], float]  # the time of a message of this many bytes, in ns


@dataclass(frozen=True)
class Split:
    """The parts of an operation's time, medians over blocks in ns; so their sum is only about the binding's time."""

    stack: str
    binding: str
    case: Case
    binding_ns: float
    binding_interval: MedianInterval | None
    c_ns: float
    c_interval: MedianInterval | None
    like: str  # the arm of C that calls MPI most like the binding; C itself if none differs
    mpi_ns: float  # the time of that arm
    messages: float  # that are sent for each of C's; 0 if there are none to compare
    message_bytes: float  # that are sent for each message of C's
    extra_ns: float | None  # what C takes for what is sent in addition; None where messages overlap, or MPI sends them
    rest_ns: float
    rest_interval: MedianInterval | None

    @property
    def parts(self) -> dict[str, float]:
        """The parts by name."""
        return {"mpi": self.mpi_ns, "extra": self.extra_ns or 0.0, "rest": self.rest_ns}

    @property
    def separated(self) -> bool:
        """Whether the rest is something: its interval excludes 0."""
        return self.rest_interval is not None and self.rest_interval.excludes(0.0)

    @property
    def largest(self) -> str:
        """The name of the largest part."""
        return max(self.parts, key=lambda name: self.parts[name])


def splits_of(analysis: Analysis, bindings: Sequence[str]) -> list[Split]:
    """The parts of every row of some bindings for which the run has recorded what it asks of MPI."""
    times = _times(analysis.launch_medians)
    demands = {(one.stack, one.binding, one.case): one for one in analysis.demands}
    threads = {(one.stack, one.binding): one.threads for one in analysis.launches if one.outcome == "ok"}
    found = []
    for (stack, binding, case), demand in demands.items():
        of_c = demands.get((stack, REFERENCE, case))
        if binding not in bindings or of_c is None:
            continue
        measured = {arm: times.get((stack, arm, case), {}) for arm in (REFERENCE, POLLING, MULTIPLE, binding)}
        like = _like(demand, of_c, threads.get((stack, binding), ""), measured)
        message = _message_time(times, stack, like)
        if split := _split(demand, of_c, measured, like, message):
            found.append(split)
    return found


def _times(medians: pl.DataFrame) -> dict[tuple[str, str, Case], _Times]:
    """The times of all arms; C's are the means of its two launches, as everywhere."""
    columns = ("stack", "binding", "benchmark", "mode", "payload", "size_bytes", "block", "median_ns", "reference_ns")
    found: dict[tuple[str, str, Case], _Times] = {}
    for stack, binding, *case, block, median_ns, reference_ns in with_reference(medians).select(columns).iter_rows():
        found.setdefault((stack, binding, Case(*case)), {})[block] = median_ns
        found.setdefault((stack, REFERENCE, Case(*case)), {})[block] = reference_ns
    return found


def _like(demand: Demand, of_c: Demand, level: str, measured: Mapping[str, _Times]) -> str:
    if _polls(demand) and not _polls(of_c) and measured[POLLING]:
        return POLLING
    return MULTIPLE if level == "multiple" and measured[MULTIPLE] else REFERENCE


def _polls(demand: Demand) -> bool:
    return any(plain(name) in POLLS for rank in demand.ranks for name in rank.calls)


def _message_time(times: Mapping[tuple[str, str, Case], _Times], stack: str, arm: str) -> _Message | None:
    """How long an arm takes for a message of any size, on straight lines between the sizes that were measured."""
    rows = {
        case.size_bytes: statistics.median(own.values())
        for (where, who, case), own in times.items()
        if (where, who) == (stack, arm) and (case.benchmark, case.mode, case.payload) == PING_PONG
    }
    if len(rows) < 2:
        return None
    sizes = sorted(rows)
    return lambda size: float(np.interp(size, sizes, [rows[one] for one in sizes]))


def _split(
    demand: Demand, of_c: Demand, measured: Mapping[str, _Times], like: str, message: _Message | None
) -> Split | None:
    blocks = sorted(set.intersection(*(set(measured[arm]) for arm in (REFERENCE, like, demand.binding))))
    if not blocks:
        return None
    own, base, alike = ([measured[arm][block] for block in blocks] for arm in (demand.binding, REFERENCE, like))
    extra = _extra(demand, of_c, message)
    rest = [a - b - (extra or 0.0) for a, b in zip(own, alike, strict=True)]
    ours, theirs = of_c.messages, demand.messages
    number = sum(ours.values())
    return Split(
        stack=demand.stack,
        binding=demand.binding,
        case=demand.case,
        binding_ns=statistics.median(own),
        binding_interval=median_interval(own),
        c_ns=statistics.median(base),
        c_interval=median_interval(base),
        like=like,
        mpi_ns=statistics.median(alike),
        messages=sum(theirs.values()) / number if number else 0.0,
        message_bytes=sum(size * many for size, many in theirs.items()) / number if number else 0.0,
        extra_ns=extra,
        rest_ns=statistics.median(rest),
        rest_interval=median_interval(rest),
    )


def one_by_one(case: Case) -> bool:
    """Whether each message of a case waits for the one before."""
    benchmark = BENCHMARKS[case.benchmark]
    return benchmark.messages and not benchmark.windowed and benchmark.operations(case.mode, 1) <= 2


def _extra(demand: Demand, of_c: Demand, message: _Message | None) -> float | None:
    """What C takes for more or longer messages, where each waits for the one before."""
    number = sum(of_c.messages.values())
    if not one_by_one(demand.case) or not number or message is None:
        return None
    ours, theirs = (sum(many * message(size) for size, many in one.messages.items()) for one in (of_c, demand))
    return (theirs - ours) / number
