"""The figures of a run while it goes on: enough for the stop rule and the live display."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.launch.launcher import Launched
from polympi.lab.samples.records import AGAIN, REFERENCE, PlannedCase
from polympi.lab.statistics.stopping import StopRule


class RunningFigures:
    """Launch medians of one stack, in ns an operation, as blocks come in."""

    def __init__(self) -> None:
        self._medians: dict[tuple[str, Case], dict[int, float]] = defaultdict(dict)

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
            case = Case(planned.benchmark, planned.mode, planned.payload, planned.size_bytes)
            self._medians[record.binding, case][record.block] = iteration_ns / benchmark.operations(case.mode)

    def effects(self, binding: str, case: Case) -> tuple[list[float], list[float]]:
        """Differences to C in ns and log-ratios to C, a value a block in which both were measured."""
        ours, reference = self._medians[binding, case], self._medians[REFERENCE, case]
        pairs = [(ours[block], reference[block]) for block in ours if block in reference]
        return (
            [a - b for a, b in pairs],
            [math.log(a / b) for a, b in pairs if a > 0 and b > 0],
        )

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
