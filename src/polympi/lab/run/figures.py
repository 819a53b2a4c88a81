"""The figures of a run in progress: enough for the stop rule and the live display."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable

import polars as pl

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.launch.launcher import Launched, planned_case
from polympi.lab.records import AGAIN, REFERENCE, LaunchRecord, PlannedCase
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.operations import counts, start_costs
from polympi.lab.statistics.pairs import Pairs, pairs_of
from polympi.lab.statistics.stopping import StopRule


class RunningFigures:
    """Launch medians of one stack, in ns per operation, as blocks come in."""

    def __init__(self) -> None:
        self._records: list[LaunchRecord] = []
        self._iterations: list[dict[Case, float]] = []  # of each launch the median of each case, in ns, starts included
        self._pairs: dict[tuple[str, Case], Pairs] | None = None  # of all medians so far, made when they are needed

    def add(self, launched: Launched, cases: dict[int, PlannedCase]) -> None:
        """Take in a launch."""
        if not counts(launched.record):
            return
        self._records.append(launched.record)
        self._iterations.append(
            {
                planned_case(cases[number]): statistics.median(times_ns) / cases[number].iterations
                for number, times_ns in launched.samples.batches.items()
            }
        )
        self._pairs = None

    def effects(self, binding: str, case: Case) -> tuple[list[float], list[float]]:
        """Differences to C in ns and log-ratios to C, one value per block in which both were measured."""
        if self._pairs is None:
            self._pairs = {
                (key.binding, Case(key.benchmark, key.mode, key.payload, key.size_bytes)): pairs
                for key, pairs in self._paired().items()
            }
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
        """Pairs of operations; what a start costs inside singly timed iterations is subtracted, as in the analysis."""
        rows = [
            {"stack": record.stack, "binding": record.binding, "block": record.block, "ranks": record.ranks}
            | {"benchmark": case.benchmark, "mode": case.mode, "payload": case.payload, "size_bytes": case.size_bytes}
            | {"median_ns": _operation_ns(case, record.ranks, iteration_ns, cost_ns)}
            for record, iterations, cost_ns in zip(
                self._records, self._iterations, start_costs(self._records), strict=True
            )
            for case, iteration_ns in iterations.items()
        ]
        return pairs_of(pl.DataFrame(rows)) if rows else {}


def _operation_ns(case: Case, ranks: int, iteration_ns: float, start_cost_ns: float) -> float:
    benchmark = BENCHMARKS[case.benchmark]
    inside = start_cost_ns if benchmark.timed_singly else 0.0
    return max(iteration_ns - inside, 0.0) / benchmark.operations(case.mode, ranks)
