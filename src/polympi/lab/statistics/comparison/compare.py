"""Two runs compared: has a binding become slower?

A machine is never twice the same, so that a binding is judged by its log-ratio to C, which takes part in every block
of both runs and drifts with it. Between the runs nothing is paired: the log-ratios of their blocks are two independent
samples. The Hodges-Lehmann shift and its interval say how large a change is (:mod:`~polympi.lab.statistics.shifts`),
exchanging launches says whether it is one (:mod:`~polympi.lab.statistics.comparison.permutation`).

It goes from the whole to the part. First each group (all rows of a binding in a benchmark) is judged, by its typical
row and by its single rows; each of the two bounds the chance of a false discovery in the whole table to half the
level. Then the rows of the groups that changed are judged, adjusted within their group (D. Yekutieli, "Hierarchical
false discovery rate-controlling methodology", J. Am. Stat. Assoc. 103 (2008) 309-316).

``absolute`` judges the times themselves, for runs that are meant to differ: another stack, another configuration.
Then drift of the machine between the runs is part of what is found.
"""

from __future__ import annotations

import math
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.comparison.floors import Floors, floors
from polympi.lab.statistics.comparison.model import UNKNOWN, Comparison, GroupChange, RowChange
from polympi.lab.statistics.comparison.permutation import PERMUTATIONS, permutation_p_values
from polympi.lab.statistics.comparison.values import (
    Group,
    Matrix,
    Values,
    again_logs,
    groups_of,
    judged_logs,
    meet,
    reference_logs,
    typical,
)
from polympi.lab.statistics.comparison.verdicts import launches_needed, verdict_of_change, verdict_of_group
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import ROW
from polympi.lab.statistics.shifts import hodges_lehmann, shift
from polympi.lab.statistics.verdicts import FASTER, SLOWER

LEVEL: Final = 0.05  # chance that equal runs show any change in the whole table
# Two quick runs of a quiet machine bound the change of a typical group to a few per cent, that of start-up or of
# a reduction to nearly ten: at 10 % they can mostly answer, at 5 % a check of every push would mostly say "unknown".
THRESHOLD: Final = 0.10
# The fewest launches a run of which a permutation can reach half the level: 2 / C(10, 5) = 0.008, 2 / C(8, 4) = 0.029.
FEWEST_LAUNCHES: Final = 5


def compare(
    before: Analysis,
    after: Analysis,
    *,
    chosen: pl.Expr | None = None,
    absolute: bool = False,
    threshold: float = THRESHOLD,
) -> Comparison:
    """Compare two runs, as :func:`compare_medians`; with ``absolute`` the names of single stacks need not agree."""
    first, second = before.launch_medians, after.launch_medians
    if absolute:
        first, second = under_one_name(first, second)
    return compare_medians(first, second, chosen=chosen, absolute=absolute, threshold=threshold)


def compare_medians(
    before: pl.DataFrame,
    after: pl.DataFrame,
    *,
    chosen: pl.Expr | None = None,
    absolute: bool = False,
    threshold: float = THRESHOLD,
    permutations: int = PERMUTATIONS,
) -> Comparison:
    """Compare the launch medians of two runs, columns as in :class:`~polympi.lab.statistics.model.Analysis`.

    Rows that are not `chosen` only show the noise. With `absolute` times are judged instead of ratios to C; C is then a
    row too. The threshold is the smallest relative change that counts, above 0: with 0.1 a time counts as larger when
    it is 1.1 times as large, and as smaller when the other is 1.1 times as large. So many ways to deal the launches are
    tried.
    """
    first, second = (judged_logs(run, absolute=absolute) for run in (before, after))
    if chosen is not None:
        first, second = first.filter(chosen), second.filter(chosen)
    judged = _Judged.of(meet(first, second), permutations)
    noise = floors(meet(again_logs(before), again_logs(after)))
    drift = meet(reference_logs(before), reference_logs(after))
    rows = _row_changes(judged, noise, drift, math.log1p(threshold))
    groups = _group_changes(judged, noise, drift, rows, math.log1p(threshold))
    return Comparison(absolute=absolute, threshold=threshold, groups=groups, rows=rows)


def under_one_name(before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """If each run has one stack, both under a common name, so that their rows can meet."""
    stacks = [medians["stack"].unique().to_list() for medians in (before, after)]
    if any(len(names) != 1 for names in stacks) or stacks[0] == stacks[1]:
        return before, after
    name = pl.lit(f"{stacks[0][0]} → {stacks[1][0]}")
    return before.with_columns(stack=name), after.with_columns(stack=name)


class _Judged(NamedTuple):
    """What is judged, and the p-values; they are 1 where the launches are too few."""

    values: Values
    groups: list[Group]
    typical: Values
    p_typical: Matrix  # of the groups, by their typical row, adjusted over the table
    p_rows: Matrix  # of the rows, adjusted over the table
    p_in_group: Matrix  # of the rows, adjusted over their group

    @classmethod
    def of(cls, values: Values, permutations: int) -> _Judged:
        groups = groups_of(values)
        one_a_group = typical(values, groups)
        alone, starts = list(range(len(groups))), [group.rows.start for group in groups]
        by_group = permutation_p_values(_testable(one_a_group), values.first, alone, permutations)
        by_row = permutation_p_values(_testable(values), values.first, starts, permutations)
        return cls(values, groups, one_a_group, by_group.among_all, by_row.among_all, by_row.among_group)

    def p_of_group(self, number: int) -> float:
        """P-value of a group: of its two tests the smaller one, twice."""
        rows = self.groups[number].rows
        return float(min(1.0, 2 * min(self.p_typical[number], self.p_rows[rows.start : rows.stop].min())))


def _testable(values: Values) -> Matrix:
    """The values of rows that can be tested; the others would only widen what chance explains."""
    there = ~np.isnan(values.logs)
    fewest = np.minimum(there[:, : values.first].sum(axis=1), there[:, values.first :].sum(axis=1))
    return np.where((fewest >= FEWEST_LAUNCHES)[:, None], values.logs, np.nan)


def _row_changes(judged: _Judged, noise: Floors, drift: Values, threshold: float) -> list[RowChange]:
    of_c = {key: math.exp(hodges_lehmann(*drift.sides(row))) for row, key in enumerate(drift.keys)}
    changes = []
    for number, group in enumerate(judged.groups):
        for row in group.rows:
            key, (before, after) = judged.values.keys[row], judged.values.sides(row)
            # A row of a group that did not change has not changed: its p-value is at least that of its group.
            p_value = max(float(judged.p_in_group[row]), judged.p_of_group(number))
            estimates = _estimates(before, after, noise.cases.get(key.of(AGAIN)), threshold, found=p_value <= LEVEL)
            changes.append(
                RowChange(
                    **{name: getattr(key, name) for name in ROW},
                    **estimates,
                    p_value=p_value,
                    c_change=of_c.get(key.of(REFERENCE)),
                    before=math.exp(median(before)),
                    after=math.exp(median(after)),
                )
            )
    return changes


def _group_changes(
    judged: _Judged, noise: Floors, drift: Values, rows: list[RowChange], threshold: float
) -> list[GroupChange]:
    of_c = _changes_of_c(drift)
    changes = []
    for number, group in enumerate(judged.groups):
        where = (group.stack, group.benchmark)
        found = 2 * judged.p_typical[number] <= LEVEL
        estimates = _estimates(*judged.typical.sides(number), noise.groups.get(where), threshold, found=found)
        verdicts = [row.verdict for row in rows[group.rows.start : group.rows.stop]]
        estimates["verdict"] = verdict_of_group(estimates["verdict"], verdicts)
        if estimates["verdict"] != UNKNOWN:
            estimates["launches_needed"] = None
        changes.append(
            GroupChange(
                stack=group.stack,
                binding=group.binding,
                benchmark=group.benchmark,
                **estimates,
                p_value=judged.p_of_group(number),
                c_change=of_c.get(where),
                rows=len(verdicts),
                rows_slower=verdicts.count(SLOWER),
                rows_faster=verdicts.count(FASTER),
            )
        )
    return changes


def _estimates(before: Matrix, after: Matrix, floor: float | None, threshold: float, *, found: bool) -> dict[str, Any]:
    """What rows and groups say alike, by the names of :class:`~polympi.lab.statistics.comparison.model.Change`."""
    change = shift(before, after)
    verdict = verdict_of_change(change, floor, threshold, found=found)
    needed = launches_needed(change, floor, threshold, len(before), len(after)) if verdict == UNKNOWN else None
    return {
        "launches_before": len(before),
        "launches_after": len(after),
        "change": math.exp(change.estimate),
        "change_low": None if change.low is None else math.exp(change.low),
        "change_high": None if change.high is None else math.exp(change.high),
        "confidence": change.coverage,
        "floor_ratio": None if floor is None else math.exp(floor),
        "verdict": verdict,
        "launches_needed": needed,
    }


def _changes_of_c(drift: Values) -> dict[tuple[str, str], float]:
    """By stack and benchmark, the factor by which the typical time of C changed."""
    groups = groups_of(drift)
    one_a_group = typical(drift, groups)
    return {
        (group.stack, group.benchmark): math.exp(hodges_lehmann(*one_a_group.sides(number)))
        for number, group in enumerate(groups)
    }
