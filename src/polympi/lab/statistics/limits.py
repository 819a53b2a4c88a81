"""How much of what memory allows an application reaches: its time compared with that of a pass over as many bytes.

A point of the wave takes at least 24 bytes of memory traffic in a step: u and the u before it are read, and the next u
is written over the latter. An element of the triad in place takes the same 24, of as many arrays that are as large. So
the time of a pass of the triad is the least that memory allows for a step (S. Williams, A. Waterman, D. Patterson:
Roofline, Communications of the ACM 52 (2009) 65-76, is the idea). Both are measured in the same block with as many
ranks, so that what drifts from block to block cancels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.records import AGAIN, REFERENCE, Environment, RunRecord, all_here
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.keys import RowKey

_ARRAYS = 2  # of an application and of what limits it
_MOVED = 3  # times the bytes of an array: both are read, and one is written
_LARGE = 4  # times the last-level cache, from which on it keeps nothing from pass to pass; the rule of STREAM
_PLACE = ["stack", "block", "payload", "size_bytes", "ranks"]


@dataclass(frozen=True)
class LimitRow(RowKey):
    """What an application reaches in one arm of what memory allows with as many ranks."""

    blocks: int
    median_ns: float  # of an iteration of the application, the median over these blocks
    # The time of C for the bytes that an iteration has to move, likewise; in a block the geometric mean of its
    # launches.
    limit_ns: float
    moved_bytes: int  # over all ranks
    # Median over blocks of the limit over the time of the application; with the ends of its interval, None with fewer
    # than 6 blocks.
    reached: float
    reached_low: float | None
    reached_high: float | None
    confidence: float | None  # the coverage of the interval
    arrays_bytes: int
    # Of the last-level caches of this host that the run could use; None if that is not known, or several hosts took
    # part.
    cache_bytes: int | None

    @property
    def in_cache(self) -> bool:
        """Whether all arrays fit in the last-level cache, so that its bandwidth is the limit."""
        return self.cache_bytes is not None and self.arrays_bytes <= self.cache_bytes

    @property
    def partly_in_cache(self) -> bool:
        """Whether a part of the arrays may stay in the last-level cache from pass to pass."""
        return self.cache_bytes is not None and self.cache_bytes < self.arrays_bytes < _LARGE * self.cache_bytes

    @property
    def mb_per_s(self) -> float:
        """The bandwidth of the limit, in 10^6 bytes a second."""
        return 1000.0 * self.moved_bytes / self.limit_ns


LIMIT_COLUMNS = tuple(field.name for field in fields(LimitRow))


def limit_rows(medians: pl.DataFrame, run: RunRecord, environment: Environment) -> list[LimitRow]:
    """What applications reach of what memory allows; nothing if none was measured together with its limit.

    Stacks and arms are in the order of the run. The A/A arm is left out: it is C once more.
    """
    affinity = environment.metadata.get("affinity") or {}
    cache_bytes = affinity.get("last_level_cache_bytes") if all_here(run, environment) else None
    rows = [row for name in BENCHMARKS for row in _of_benchmark(medians, name, cache_bytes)]
    stacks = [one.stack for one in run.stacks]
    arms = list(dict.fromkeys(name for one in run.stacks for name in one.bindings))

    def place(row: LimitRow) -> tuple[int, ...]:
        mode = BENCHMARKS[row.benchmark].modes.index(row.mode)
        return (_index(stacks, row.stack), mode, row.size_bytes, _index(arms, row.binding))

    return sorted(rows, key=place)


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _of_benchmark(medians: pl.DataFrame, name: str, cache_bytes: int | None) -> list[LimitRow]:
    limited_by = BENCHMARKS[name].limited_by
    if limited_by is None:
        return []
    benchmark, mode = limited_by
    limits = (
        medians.filter(
            pl.col("benchmark") == benchmark, pl.col("mode") == mode, pl.col("binding").is_in([REFERENCE, AGAIN])
        )
        .group_by(_PLACE, maintain_order=True)
        .agg(pl.col("median_ns").product().pow(1 / pl.len()).alias("limit_ns"))
    )
    measured = medians.filter(pl.col("benchmark") == name, pl.col("binding") != AGAIN)
    both = measured.join(limits, on=_PLACE, how="inner", maintain_order="left")
    keys = ["stack", "binding", "mode", "payload", "size_bytes", "ranks"]
    found = []
    for (stack, binding, own_mode, payload, size_bytes, ranks), frame in both.partition_by(keys, as_dict=True).items():
        times_ns, limits_ns = frame["median_ns"].to_list(), frame["limit_ns"].to_list()
        effect = paired_effect(limits_ns, times_ns)
        if effect.log_ratio is None:
            continue
        interval = effect.log_interval
        found.append(
            LimitRow(
                stack=stack,
                binding=binding,
                benchmark=name,
                mode=own_mode,
                payload=payload,
                size_bytes=size_bytes,
                ranks=ranks,
                blocks=effect.blocks,
                median_ns=float(np.median(times_ns)),
                limit_ns=float(np.median(limits_ns)),
                moved_bytes=_MOVED * size_bytes,
                reached=math.exp(effect.log_ratio),
                reached_low=math.exp(interval.low) if interval else None,
                reached_high=math.exp(interval.high) if interval else None,
                confidence=interval.coverage if interval else None,
                arrays_bytes=_ARRAYS * size_bytes,
                cache_bytes=cache_bytes,
            )
        )
    return found
