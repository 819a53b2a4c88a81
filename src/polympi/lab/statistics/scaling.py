"""How applications scale: the same problem with several numbers of ranks, paired block by block.

The work is the same for all numbers of ranks (strong scaling). The speed-up is the time of an iteration with the fewest
ranks over that with more of them, the efficiency the speed-up over how many times as many ranks there are (G. M.
Amdahl, AFIPS 30 (1967) 483-485, for why it falls). A block is made with each number of ranks, one after the other, so
that what drifts from block to block cancels in the speed-up, as it does in the ratio of a binding to C.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.records import AGAIN, Environment, LaunchRecord, RunRecord
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.operations import counts

_CASE = ("benchmark", "mode", "payload", "size_bytes")


@dataclass(frozen=True)
class ScalingRow:
    """An application in one arm with one number of ranks; a figure that does not exist is None.

    Attributes:
        stack: the installed stack.
        processors: those of this host that the run could use; None if that is not known, or several hosts took part.
        launches: launches behind the time.
        median_ns: of one iteration, the median over launches; with the ends of its interval.
        base_ranks: the fewest ranks of the run, against which the speed-up is.
        blocks: blocks in which both numbers of ranks were measured.
        speedup: median over these blocks of the time with the fewest ranks over the time with these; 1 for themselves.
        efficiency: the speed-up over how many times as many ranks there are.
        confidence: the coverage of the intervals of both.
        communication: share of the time that rank 0 spends in calls of communication, the median over launches; None
            where the program does not count it.
    """

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    ranks: int
    processors: int | None
    launches: int
    median_ns: float
    ci_low_ns: float | None
    ci_high_ns: float | None
    base_ranks: int
    blocks: int
    speedup: float | None
    speedup_low: float | None
    speedup_high: float | None
    efficiency: float | None
    efficiency_low: float | None
    efficiency_high: float | None
    confidence: float | None
    communication: float | None
    communication_low: float | None
    communication_high: float | None

    @property
    def oversubscribed(self) -> bool:
        """Whether there were more ranks than processors, so that they had to wait for each other."""
        return self.processors is not None and self.ranks > self.processors


SCALING_COLUMNS = tuple(field.name for field in fields(ScalingRow))


def scaling_rows(
    medians: pl.DataFrame, run: RunRecord, launches: Iterable[LaunchRecord], environment: Environment
) -> list[ScalingRow]:
    """How the applications of a run scale; nothing for a run with one number of ranks.

    Stacks are in the order of the run, cases in that of the catalogue, arms in that of the run, ranks ascending. The
    A/A arm is left out: it is C once more.

    Args:
        medians: ``launch_medians`` of :class:`~polympi.lab.statistics.model.Analysis`, with ``communication``: the
            share of a launch that rank 0 spent in calls of communication, null if unknown.
        run: what was asked.
        launches: all launches of the run.
        environment: tells how many processors there are.
    """
    if not run.several_ranks:
        return []
    installed = {one.stack: one.installation for one in run.stacks}
    sittings = _sittings(run, launches)
    applications = [name for name, benchmark in BENCHMARKS.items() if benchmark.application]
    measured = medians.filter(pl.col("benchmark").is_in(applications), pl.col("binding") != AGAIN)
    cells: dict[tuple[Any, ...], dict[int, _Cell]] = defaultdict(dict)
    for (stack, binding, *case, ranks), frame in measured.partition_by(
        ["stack", "binding", *_CASE, "ranks"], as_dict=True
    ).items():
        key = (installed.get(stack, stack), binding, *case)
        cells[key][ranks] = _cell(frame, stack, sittings)
    facts = environment.facts.get("affinity") or {}
    processors = facts.get("count") if run.hostfile is None else None
    place = _order(run)
    return [
        _row(key, ranks, cells[key], min(run.several_ranks), processors)
        for key in sorted(cells, key=place)
        for ranks in sorted(cells[key])
    ]


@dataclass(frozen=True)
class _Cell:
    """Launches of one case and arm with one number of ranks: times in ns by sitting and block, and shares."""

    times_ns: Mapping[tuple[int, int], float]
    shares: Sequence[float]


def _sittings(run: RunRecord, launches: Iterable[LaunchRecord]) -> dict[tuple[str, int], int]:
    """How often the run had been resumed when a block was made on a stack.

    Blocks of the same number that were made before and after a break are no pair: hours may lie between them.
    """
    return {
        (record.stack, record.block): sum(when <= record.started for when in run.resumed)
        for record in launches
        if counts(record) and record.block is not None
    }


def _cell(frame: pl.DataFrame, stack: str, sittings: Mapping[tuple[str, int], int]) -> _Cell:
    rows = frame.select("block", "median_ns").iter_rows()
    times_ns = {(sittings.get((stack, block), 0), block): median_ns for block, median_ns in rows}
    return _Cell(times_ns, frame["communication"].drop_nulls().to_list())


def _row(
    key: tuple[Any, ...], ranks: int, cells: Mapping[int, _Cell], base_ranks: int, processors: int | None
) -> ScalingRow:
    own = cells[ranks]
    times_ns = list(own.times_ns.values())
    interval, shares = median_interval(times_ns), median_interval(own.shares)
    return ScalingRow(
        **dict(zip(("stack", "binding", *_CASE), key, strict=True)),
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
        **_speedup(own, cells.get(base_ranks), ranks / base_ranks),
    )


def _speedup(own: _Cell, base: _Cell | None, times_as_many: float) -> dict[str, Any]:
    """The columns of speed-up and efficiency; against itself the speed-up is 1, and has no interval."""
    names = ("speedup", "speedup_low", "speedup_high", "efficiency", "efficiency_low", "efficiency_high", "confidence")
    shared = sorted(own.times_ns.keys() & base.times_ns.keys()) if base else []
    found: dict[str, Any] = {"blocks": len(shared)} | dict.fromkeys(names)
    if base is own:
        return found | {"speedup": 1.0, "efficiency": 1.0}
    if base is None or not shared:
        return found
    effect = paired_effect([own.times_ns[block] for block in shared], [base.times_ns[block] for block in shared])
    if effect.log_ratio is None:
        return found
    speedup = math.exp(-effect.log_ratio)
    found |= {"speedup": speedup, "efficiency": speedup / times_as_many}
    if interval := effect.log_interval:
        low, high = math.exp(-interval.high), math.exp(-interval.low)
        found |= {"speedup_low": low, "speedup_high": high, "confidence": interval.coverage}
        found |= {"efficiency_low": low / times_as_many, "efficiency_high": high / times_as_many}
    return found


def _order(run: RunRecord) -> Any:
    """A sort key of stack, binding and case."""
    stacks = list(dict.fromkeys(one.installation for one in run.stacks))
    bindings = list(dict.fromkeys(name for one in run.stacks for name in one.bindings))
    benchmarks = list(BENCHMARKS)

    def place(key: tuple[Any, ...]) -> tuple[Any, ...]:
        stack, binding, benchmark, mode, payload, size_bytes = key
        modes = BENCHMARKS[benchmark].modes
        return (
            stacks.index(stack) if stack in stacks else len(stacks),
            (benchmarks.index(benchmark), modes.index(mode), payload, size_bytes),
            bindings.index(binding) if binding in bindings else len(bindings),
            binding,
        )

    return place
