"""Performance guidelines: no operation should take longer than others that do at least as much.

An MPI library, or a binding, that takes longer for a reduction to all ranks than for one to one rank and a broadcast
could simply do the latter. Such rules need no other library to compare with (J. L. Träff, W. D. Gropp, R. Thakur,
"Self-Consistent MPI Performance Guidelines", IEEE Trans. Parallel Distrib. Syst. 21 (2010) 698-709; S. Hunold, A.
Carpen-Amarie, "Automatic verification of self-consistent MPI performance guidelines", Euro-Par 2016). Both sides are
measured in the same launch, so that what drifts from block to block cancels.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.records import AGAIN
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.keys import RowKey

# Hundreds of rules are checked in a run. Of nine launches, all have to contradict one: without an effect 1 of 512.
LEVEL = 0.99
MARGIN = math.log(1.05)  # a violation by less is nothing that anybody acts upon


@dataclass(frozen=True)
class Operation:
    """A benchmark in one of its modes, with its main payload."""

    benchmark: str
    mode: str = ""  # empty for the main one
    whole: bool = False  # with the data of all ranks: as many times larger as there are ranks

    def key(self, size_bytes: int, ranks: int) -> tuple[str, str, int]:
        """Benchmark, mode and size, for a rule about this size."""
        if BENCHMARKS[self.benchmark].payloads[0] == "none":
            size_bytes = 0
        mode = self.mode or BENCHMARKS[self.benchmark].modes[0]
        return self.benchmark, mode, size_bytes * ranks if self.whole else size_bytes


@dataclass(frozen=True)
class Guideline:
    """An operation that should take no longer than some others one after the other."""

    operation: Operation
    others: tuple[Operation, ...]


# A rooted call is timed alone, from a common start of all ranks, and others one after the other. The former takes
# longer, so it is compared with other rooted calls alone: not `reduce` with `allreduce`, nor `gather` with
# `allgather`. The other way round, contradictions are missed, and none is made up. Sends in ready mode aren't
# compared, as their receives are posted before.
GUIDELINES = (
    Guideline(Operation("barrier"), (Operation("allreduce"),)),
    Guideline(Operation("allreduce"), (Operation("reduce"), Operation("bcast"))),
    Guideline(Operation("reduce-scatter"), (Operation("allreduce", whole=True),)),
    Guideline(Operation("allgather"), (Operation("gather"), Operation("bcast", whole=True))),
    Guideline(Operation("allgather"), (Operation("alltoall"),)),
    Guideline(Operation("scatter"), (Operation("bcast", whole=True),)),
    Guideline(Operation("bcast"), (Operation("ibcast"),)),
    Guideline(Operation("allreduce"), (Operation("iallreduce"),)),
    Guideline(Operation("latency"), (Operation("latency", "synchronous"),)),
)


@dataclass(frozen=True)
class Check:
    """A guideline at one size, for one binding on one stack."""

    stack: str
    binding: str
    ranks: int
    operation: tuple[str, str, int]  # benchmark, mode and size; of the others likewise
    others: tuple[tuple[str, str, int], ...]
    blocks: int
    # `time_ns` and `others_ns`: medians over blocks, of the others together
    time_ns: float
    others_ns: float
    # How many times as long as the others it takes: the median over blocks, and its interval.
    ratio: float
    low: float
    high: float
    violated: bool  # the interval lies beyond the margin, and beyond what noise explains


def checks(medians: pl.DataFrame, floors: Mapping[RowKey, float]) -> list[Check]:
    """All guidelines that a run can check, in the order of its stacks and bindings.

    The launch medians have columns as in :class:`~polympi.lab.statistics.model.Analysis`; the floors are those of the
    A/A arm, absolute log-ratios. Where there is none, nothing is violated.
    """
    main = pl.col("payload") == pl.col("benchmark").replace_strict(
        {name: benchmark.payloads[0] for name, benchmark in BENCHMARKS.items()}, default=""
    )
    groups = medians.filter(main, pl.col("binding") != AGAIN, pl.col("median_ns") > 0)
    found = []
    for (stack, binding, ranks), frame in groups.partition_by(
        "stack", "binding", "ranks", as_dict=True, maintain_order=True
    ).items():
        times: dict[tuple[str, str, int], dict[int, float]] = {}
        for benchmark, mode, size, block, ns in frame.select(
            "benchmark", "mode", "size_bytes", "block", "median_ns"
        ).iter_rows():
            times.setdefault((benchmark, mode, size), {})[block] = ns
        noise = {
            (key.benchmark, key.mode, key.size_bytes): floor
            for key, floor in floors.items()
            if (key.stack, key.ranks) == (stack, ranks)
        }
        for operation, others in (*_by_operation(times, ranks), *_by_size(times)):
            if check := _check((stack, binding, ranks), operation, others, times, noise):
                found.append(check)
    return found


_Key = tuple[str, str, int]
_Times = Mapping[_Key, Mapping[int, float]]


def _by_operation(times: _Times, ranks: int) -> Iterator[tuple[_Key, tuple[_Key, ...]]]:
    for guideline in GUIDELINES:
        sized = guideline.operation
        if BENCHMARKS[sized.benchmark].payloads[0] == "none":
            sized = guideline.others[0]
        sizes = sorted({size for benchmark, _, size in times if benchmark == sized.benchmark})
        for size in sizes if sized is guideline.operation else sizes[:1]:
            yield guideline.operation.key(size, ranks), tuple(other.key(size, ranks) for other in guideline.others)


def _by_size(times: _Times) -> Iterator[tuple[_Key, tuple[_Key, ...]]]:
    """That less data take no longer than more: each size and the next one."""
    families: dict[tuple[str, str], list[int]] = {}
    for benchmark, mode, size in times:
        if BENCHMARKS[benchmark].kind != "launch":
            families.setdefault((benchmark, mode), []).append(size)
    for (benchmark, mode), sizes in families.items():
        for smaller, larger in itertools.pairwise(sorted(sizes)):
            yield (benchmark, mode, smaller), ((benchmark, mode, larger),)


def _check(
    of: tuple[str, str, int], operation: _Key, others: tuple[_Key, ...], times: _Times, noise: Mapping[_Key, float]
) -> Check | None:
    if operation not in times or any(other not in times for other in others):
        return None
    blocks = sorted(set(times[operation]).intersection(*(times[other] for other in others)))
    own = np.array([times[operation][block] for block in blocks])
    together = np.array([sum(times[other][block] for other in others) for block in blocks])
    logs = np.log(own / together)
    interval = median_interval(logs, LEVEL)
    if interval is None:
        return None
    floors = [noise[key] for key in (operation, *others) if key in noise]
    stack, binding, ranks = of
    return Check(
        stack=stack,
        binding=binding,
        ranks=ranks,
        operation=operation,
        others=others,
        blocks=len(blocks),
        time_ns=float(np.median(own)),
        others_ns=float(np.median(together)),
        ratio=math.exp(float(np.median(logs))),
        low=math.exp(interval.low),
        high=math.exp(interval.high),
        violated=bool(floors) and interval.low > max(MARGIN, *floors),
    )
