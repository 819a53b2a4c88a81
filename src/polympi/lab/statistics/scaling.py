"""How applications scale: a problem with several numbers of ranks, paired block by block.

In strong scaling the work is the same for all numbers of ranks. The speed-up is the time of an iteration with the
fewest ranks over that with more of them, the efficiency the speed-up over how many times as many ranks there are (G. M.
Amdahl, AFIPS 30 (1967) 483-485, for why it falls). In weak scaling the work grows with the ranks, and the speed-up is
the scaled one (J. L. Gustafson, Communications of the ACM 31 (1988) 532-533): the ratio of times multiplied by how many
times as much work was done. So whole edges, with which the work of a rank is only nearly the same, distort no figure.

A block is made with each number of ranks, one after the other, so that what drifts from block to block cancels in the
speed-up, as it does in the ratio of a binding to C.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS, Benchmark
from polympi.lab.records import AGAIN, WEAK, Environment, LaunchRecord, RunRecord, all_here
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.pairs import sittings_of

_CASE = ("benchmark", "mode", "payload", "size_bytes")
_PROBLEM = ("benchmark", "mode", "payload", "asked_bytes")  # of one rank in weak scaling, of all in strong


@dataclass(frozen=True)
class ScalingRow:
    """An application in one arm with one number of ranks; a figure that does not exist is None."""

    stack: str
    scaling: str  # `strong` or `weak`
    binding: str
    benchmark: str
    mode: str
    payload: str
    asked_bytes: int  # the size that was asked for; in weak scaling that of the problem of one rank
    size_bytes: int  # the size with this many ranks; in strong scaling the same
    ranks: int
    # Those of this host that the run could use; None if that is not known, or several hosts took part.
    processors: int | None
    launches: int  # launches that the time comes from
    median_ns: float  # of one iteration, the median over launches; with the ends of its interval
    ci_low_ns: float | None
    ci_high_ns: float | None
    base_ranks: int  # the fewest ranks of the run, against which the speed-up is
    blocks: int  # blocks in which both numbers of ranks were measured
    # Of an iteration of all ranks, over that with the fewest ranks: 1 in strong scaling; None where the fewest were not
    # measured.
    work: float | None
    # Median over these blocks of the time with the fewest ranks over the time with these, times the work; 1 for the
    # fewest themselves.
    speedup: float | None
    speedup_low: float | None
    speedup_high: float | None
    efficiency: float | None  # the speed-up over how many times as many ranks there are
    efficiency_low: float | None
    efficiency_high: float | None
    confidence: float | None  # the coverage of the intervals of both
    # Share of the time that rank 0 spends in calls of communication, the median over launches; None where the program
    # does not count it.
    communication: float | None
    communication_low: float | None
    communication_high: float | None

    @property
    def weak(self) -> bool:
        """Whether the problem grows with the ranks."""
        return self.scaling == WEAK

    @property
    def oversubscribed(self) -> bool:
        """Whether there were more ranks than processors, so that they had to wait for each other."""
        return self.processors is not None and self.ranks > self.processors


SCALING_COLUMNS = tuple(field.name for field in fields(ScalingRow))


def scaling_rows(
    medians: pl.DataFrame, run: RunRecord, launches: Iterable[LaunchRecord], environment: Environment
) -> list[ScalingRow]:
    """How a run's applications scale, by stack, case, arm and ranks, without the A/A arm; nothing for one number."""
    if not run.several_ranks:
        return []
    installed = {one.stack: one.installation for one in run.stacks}
    sittings = sittings_of(run, launches)
    applications = [name for name, benchmark in BENCHMARKS.items() if benchmark.application]
    measured = medians.filter(pl.col("benchmark").is_in(applications), pl.col("binding") != AGAIN)
    grown_from = {one.stack: one.grown_from for one in run.stacks}
    cells: dict[tuple[Any, ...], dict[int, _Cell]] = defaultdict(dict)
    for (stack, binding, *names, size_bytes, ranks), frame in measured.partition_by(
        ["stack", "binding", *_CASE, "ranks"], as_dict=True
    ).items():
        asked_bytes = grown_from.get(stack, {}).get(names[0], {}).get(size_bytes, size_bytes)
        key = (installed.get(stack, stack), run.scaling, binding, *names, asked_bytes)
        cells[key][ranks] = _cell(frame, stack, size_bytes, sittings)
    affinity = environment.metadata.get("affinity") or {}
    processors = affinity.get("count") if all_here(run, environment) else None
    place = _order(run)
    return [
        _row(key, ranks, cells[key], min(run.several_ranks), processors)
        for key in sorted(cells, key=place)
        for ranks in sorted(cells[key])
    ]


@dataclass(frozen=True)
class _Cell:
    """Launches of one problem and arm with one number of ranks: times in ns by sitting and block, and shares."""

    size_bytes: int
    times_ns: Mapping[tuple[int, int], float]
    shares: Sequence[float]


def _cell(frame: pl.DataFrame, stack: str, size_bytes: int, sittings: Mapping[tuple[str, int], int]) -> _Cell:
    rows = frame.select("block", "median_ns").iter_rows()
    times_ns = {(sittings.get((stack, block), 0), block): median_ns for block, median_ns in rows}
    return _Cell(size_bytes, times_ns, frame["communication"].drop_nulls().to_list())


def _row(
    key: tuple[Any, ...], ranks: int, cells: Mapping[int, _Cell], base_ranks: int, processors: int | None
) -> ScalingRow:
    own = cells[ranks]
    times_ns = list(own.times_ns.values())
    interval, shares = median_interval(times_ns), median_interval(own.shares)
    return ScalingRow(
        **dict(zip(("stack", "scaling", "binding", *_PROBLEM), key, strict=True)),
        size_bytes=own.size_bytes,
        ranks=ranks,
        processors=processors,
        launches=len(times_ns),
        median_ns=float(np.median(times_ns)),
        ci_low_ns=interval.low if interval else None,
        ci_high_ns=interval.high if interval else None,
        base_ranks=base_ranks,
        communication=float(np.median(own.shares)) if own.shares else None,
        communication_low=shares.low if shares else None,
        communication_high=shares.high if shares else None,
        **_speedup(own, cells.get(base_ranks), ranks / base_ranks, BENCHMARKS[key[3]]),
    )


def _speedup(own: _Cell, base: _Cell | None, times_as_many: float, benchmark: Benchmark) -> dict[str, Any]:
    """The columns of work, speed-up and efficiency; against itself the speed-up is 1, and has no interval."""
    names = ("speedup", "speedup_low", "speedup_high", "efficiency", "efficiency_low", "efficiency_high", "confidence")
    shared = sorted(own.times_ns.keys() & base.times_ns.keys()) if base else []
    work = benchmark.work_of(own.size_bytes) / benchmark.work_of(base.size_bytes) if base else None
    found: dict[str, Any] = {"blocks": len(shared), "work": work} | dict.fromkeys(names)
    if base is own:
        return found | {"speedup": 1.0, "efficiency": 1.0}
    if work is None or base is None or not shared:
        return found
    effect = paired_effect([own.times_ns[block] for block in shared], [base.times_ns[block] for block in shared])
    if effect.log_ratio is None:
        return found
    speedup = work * math.exp(-effect.log_ratio)
    found |= {"speedup": speedup, "efficiency": speedup / times_as_many}
    if interval := effect.log_interval:
        low, high = work * math.exp(-interval.high), work * math.exp(-interval.low)
        found |= {"speedup_low": low, "speedup_high": high, "confidence": interval.coverage}
        found |= {"efficiency_low": low / times_as_many, "efficiency_high": high / times_as_many}
    return found


def _order(run: RunRecord) -> Any:
    """A sort key of stack, binding and case."""
    stacks = list(dict.fromkeys(one.installation for one in run.stacks))
    bindings = list(dict.fromkeys(name for one in run.stacks for name in one.bindings))
    benchmarks = list(BENCHMARKS)

    def place(key: tuple[Any, ...]) -> tuple[Any, ...]:
        stack, _, binding, benchmark, mode, payload, asked_bytes = key
        modes = BENCHMARKS[benchmark].modes
        return (
            stacks.index(stack) if stack in stacks else len(stacks),
            (benchmarks.index(benchmark), modes.index(mode), payload, asked_bytes),
            bindings.index(binding) if binding in bindings else len(bindings),
            binding,
        )

    return place
