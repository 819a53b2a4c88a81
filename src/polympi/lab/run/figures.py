"""The figures of a run while it goes on: enough for the stop rule and the live display."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import polars as pl

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.launch.launcher import Launched
from polympi.lab.samples.records import AGAIN, REFERENCE, PlannedCase
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.pairs import Pairs, pairs_of
from polympi.lab.statistics.stopping import StopRule


class RunningFigures:
    """Launch medians of one stack, in ns an operation, as blocks come in."""

    def __init__(self) -> None:
        self._medians: list[dict[str, Any]] = []
        self._pairs: dict[tuple[str, Case], Pairs] | None = None  # of all medians so far, once somebody asks

    def add(self, launched: Launched, cases: dict[int, PlannedCase]) -> None:
        """Take in a launch; the cost of a start inside singly timed iterations is taken off, as the analysis does."""
        record = launched.record
        if record.outcome != "ok" or record.block is None:
            return
        for number, times_ns in launched.samples.batches.items():
            planned = cases[number]
            benchmark = BENCHMARKS[planned.benchmark]
            inside = record.start_cost_ns if benchmark.timed_singly else 0.0
            iteration_ns = max(statistics.median(times_ns) / planned.iterations - inside, 0.0)
            self._medians.append(
                {"stack": record.stack, "binding": record.binding, "block": record.block, "ranks": record.ranks}
                | {"benchmark": planned.benchmark, "mode": planned.mode, "payload": planned.payload}
                | {"size_bytes": planned.size_bytes, "median_ns": iteration_ns / benchmark.operations(planned.mode)}
            )
        self._pairs = None

    def effects(self, binding: str, case: Case) -> tuple[list[float], list[float]]:
        """Differences to C in ns and log-ratios to C, a value a block in which both were measured."""
        if self._pairs is None:
            self._pairs = {(key.binding, _case(key)): pairs for key, pairs in self._paired().items()}
        pairs = self._pairs.get((binding, case))
        return (pairs.differences, pairs.log_ratios) if pairs else ([], [])

    def stopped(self, rule: StopRule, binding: str, case: Case, blocks: int) -> str | None:
        """The rule that ends a row; the reference is as precise as its A/A arm."""
        differences, ratios = self.effects(AGAIN if binding == REFERENCE else binding, case)
        return rule.check(differences, ratios, blocks)

    def mean_ratios(self, binding: str, cases: Iterable[Case]) -> dict[str, float]:
        """For each benchmark, the geometric mean over its cases of the median ratio to C so far."""
        logs: dict[str, list[float]] = defaultdict(list)
        for case in cases:
            _, ratios = self.effects(binding, case)
            if ratios:
                logs[case.benchmark].append(statistics.median(ratios))
        return {benchmark: math.exp(statistics.fmean(values)) for benchmark, values in logs.items()}

    def _paired(self) -> dict[RowKey, Pairs]:
        return pairs_of(pl.DataFrame(self._medians)) if self._medians else {}


def _case(key: RowKey) -> Case:
    return Case(key.benchmark, key.mode, key.payload, key.size_bytes)
