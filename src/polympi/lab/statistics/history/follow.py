"""From the launch medians of many runs to series and their steps.

What is judged, the typical row of a binding in a benchmark, is that of a comparison of two runs, and so are the
estimate of a change, its interval, what noise explains and the verdict. Where a change may be is found first
(:mod:`~polympi.lab.statistics.history.segments`), at a level that bounds the chance that a history without a change
shows one anywhere. A step that isn't larger than the threshold, than C differs from itself, and than runs differ from
each other (:mod:`~polympi.lab.statistics.history.spread`), is no change: its segments are joined, the smallest step
first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

import msgspec
import polars as pl

from polympi.lab.statistics.comparison.compare import LEVEL, THRESHOLD
from polympi.lab.statistics.comparison.floors import far_end, group_floors
from polympi.lab.statistics.comparison.values import again_logs, judged_logs, reference_logs
from polympi.lab.statistics.comparison.verdicts import verdict_of_change
from polympi.lab.statistics.history.model import History, Point, Series, Step
from polympi.lab.statistics.history.segments import divide, looks
from polympi.lab.statistics.history.series import Launches, gather
from polympi.lab.statistics.history.spread import reach, spreads
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.shifts import hodges_lehmann, shift
from polympi.lab.statistics.verdicts import FASTER, SLOWER

_Runs = tuple[int, ...]
_Place = tuple[str, str]  # a stack and a benchmark


def follow(runs: Sequence[pl.DataFrame], *, chosen: pl.Expr | None = None, threshold: float = THRESHOLD) -> History:
    """The history of runs in order of time, from their launch medians; rows that aren't `chosen` only show the noise.

    The threshold is the smallest relative change that counts.
    """
    judged = [judged_logs(run, absolute=False) for run in runs]
    found = list(gather([run if chosen is None else run.filter(chosen) for run in judged]))
    all_looks = sum(looks(len(one.present)) for one in found)
    of_c, of_runs = _OfC.of(runs), spreads([[median(one.of([run])) for run in one.present] for one in found])
    limits = [_Limits(LEVEL / max(1, all_looks), math.log1p(threshold), spread, of_c) for spread in of_runs]
    steps = [step for one, limit in zip(found, limits, strict=True) for step in _steps(one, limit)]
    steps = [msgspec.structs.replace(step, p_value=min(1.0, step.p_value * all_looks)) for step in steps]
    steps.sort(key=lambda step: (step.run, step.stack, step.verdict != SLOWER, -abs(math.log(step.change))))
    return History(threshold=threshold, series=[_series(one) for one in found], steps=steps, looks=all_looks)


@dataclass(frozen=True)
class _OfC:
    """What C shows of the machine: its times, and the ratios of the A/A arm."""

    again: dict[_Place, Launches]
    times: dict[_Place, Launches]
    floors: dict[tuple[str, _Runs, _Runs], dict[_Place, float]] = field(default_factory=dict)  # computed once

    @classmethod
    def of(cls, runs: Sequence[pl.DataFrame]) -> _OfC:
        again, times = (
            {(one.group.stack, one.group.benchmark): one for one in gather([logs(run) for run in runs])}
            for logs in (again_logs, reference_logs)
        )
        return cls(again, times)

    def floor(self, place: _Place, before: _Runs, after: _Runs) -> float | None:
        """The absolute log-ratio that noise explains of a change between these runs; None if it is unknown."""
        stack, _ = place
        if (stack, before, after) not in self.floors:
            sides = {
                key: (one.of(before), one.of(after)) for key, one in self.again.items() if key[0] == stack
            }  # fmt: skip
            ends = {key: far_end(shift(*both)) for key, both in sides.items() if all(map(len, both))}
            self.floors[stack, before, after] = group_floors(ends)
        return self.floors[stack, before, after].get(place)

    def change(self, place: _Place, before: _Runs, after: _Runs) -> float | None:
        """The factor by which C's own time changed."""
        sides = [self.times[place].of(runs) for runs in (before, after)] if place in self.times else []
        return math.exp(hodges_lehmann(*sides)) if sides and all(map(len, sides)) else None


@dataclass(frozen=True)
class _Limits:
    """What a step of a series has to exceed."""

    level: float  # of a single look
    threshold: float  # the smallest log-ratio that counts
    spread: float  # of runs
    of_c: _OfC

    def floor(self, place: _Place, before: _Runs, after: _Runs) -> float | None:
        """What noise explains: of C against itself, and of runs against each other; None if the former is unknown."""
        of_c = self.of_c.floor(place, before, after)
        return None if of_c is None else max(of_c, reach(self.spread, len(before), len(after), self.level))


def _steps(one: Launches, limits: _Limits) -> list[Step]:
    """The steps of a series, with p-values of a single look."""
    present = one.present
    found = divide([one.of([run]) for run in present], limits.level)
    while found:
        segments = [tuple(present[begin:end]) for begin, end in pairwise([0, *found, len(present)])]
        steps = [
            _step(one, limits, sides, p_value)
            for sides, p_value in zip(pairwise(segments), found.values(), strict=True)
        ]
        small = [
            (abs(math.log(step.change)), at)
            for step, at in zip(steps, found, strict=True)
            if step.verdict not in (SLOWER, FASTER)
        ]
        if not small:
            return steps
        del found[min(small)[1]]
    return []


def _step(one: Launches, limits: _Limits, sides: tuple[_Runs, _Runs], p_value: float) -> Step:
    before, after = sides
    first, second = one.of(before), one.of(after)
    change, place = shift(first, second), (one.group.stack, one.group.benchmark)
    floor = limits.floor(place, before, after)
    return Step(
        stack=one.group.stack,
        binding=one.group.binding,
        benchmark=one.group.benchmark,
        launches_before=len(first),
        launches_after=len(second),
        change=math.exp(change.estimate),
        change_low=None if change.low is None else math.exp(change.low),
        change_high=None if change.high is None else math.exp(change.high),
        confidence=change.coverage,
        p_value=p_value,
        floor_ratio=None if floor is None else math.exp(floor),
        c_change=limits.of_c.change(place, before, after),
        verdict=verdict_of_change(change, floor, limits.threshold, found=True),
        launches_needed=None,
        run=after[0] + 1,
        previous=before[-1] + 1,
        runs_before=len(before),
        runs_after=len(after),
    )


def _series(one: Launches) -> Series:
    points = []
    for run in one.present:
        logs = one.level + one.of([run])
        interval = median_interval(logs)
        points.append(
            Point(
                run=run + 1,
                launches=len(logs),
                ratio=math.exp(median(logs)),
                low=None if interval is None else math.exp(interval.low),
                high=None if interval is None else math.exp(interval.high),
            )
        )
    group = one.group
    return Series(
        stack=group.stack, binding=group.binding, benchmark=group.benchmark, rows=len(group.rows), points=points
    )
