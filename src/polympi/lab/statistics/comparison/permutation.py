"""Did anything change? A test that exchanges whole launches between two runs, for many rows at once.

If nothing changed, a launch could as well have been one of the other run. So the launches are dealt to the two runs
again, many times, the same way in all rows, and each time the largest statistic of all rows is noted. A row whose own
statistic is seldom reached by those has changed. That is the single-step max-T procedure of Westfall & Young
(*Resampling-Based Multiple Testing*, Wiley 1993, chapter 2). It bounds the chance that any row is found where nothing
changed, whatever the distribution of the values, and however the rows of a launch hang together. It does not pay
for the number of rows where they move together, and six launches against six can speak in a table of a thousand rows,
which no test of one row at a time can: its p-value is at least 2 / 924 there, before any adjustment.

The statistic is the difference of winsorised means over their spread. Of n values in a row the n // 9 smallest and
largest are drawn in to their neighbours: one bad launch a run (2 of 18) at either end does not hide a change. Which
run a value is from plays no part in that, so that the test stays exact.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from polympi.lab.statistics.comparison.values import Matrix

# With this many permutations, a p-value of 0.025, required of a level of the comparison, is known to 0.0016
# (the standard error of a share). Fewer ways than that are all tried.
PERMUTATIONS = 10_000
WINSORISED = 9  # of this many values one at either end is winsorised: 2 of 18, the launches of two quick runs
_AT_ONCE = 1_000  # ways dealt at a time: 1000 rows take 8 MB a matrix

Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class PValues:
    """P-values, one a row."""

    among_all: Matrix  # adjusted over all rows of the table
    among_group: Matrix  # adjusted over the rows of the same group


def permutation_p_values(
    logs: Matrix, first: int, group_starts: list[int], permutations: int = PERMUTATIONS
) -> PValues:
    """P-values of "no change", two-sided; no more ways to deal the launches are tried than there are.

    `logs` has one row per case, with values of both runs, and one column per launch, NaN where a value is missing; the
    `first` columns are of the earlier run. `group_starts` is the row at which each group begins; the first is 0.
    """
    if not len(logs):
        return PValues(np.empty(0), np.empty(0))
    scores = winsorised(logs)
    labels = all_labels(first, logs.shape[1] - first, permutations)
    # A little less, against rounding: a statistic of the same values may come out slightly smaller.
    observed = statistics(scores, np.arange(logs.shape[1])[None, :] >= first)[:, 0] * (1 - 1e-9)
    sizes = np.diff([*group_starts, len(logs)])
    reached_all, reached_group = np.zeros(len(logs)), np.zeros(len(logs))
    for begin in range(0, len(labels), _AT_ONCE):
        dealt = statistics(scores, labels[begin : begin + _AT_ONCE])
        in_group = np.repeat(np.maximum.reduceat(dealt, group_starts, axis=0), sizes, axis=0)
        reached_group += (in_group >= observed[:, None]).sum(axis=1)
        reached_all += (dealt.max(axis=0) >= observed[:, None]).sum(axis=1)
    return PValues(reached_all / len(labels), reached_group / len(labels))


def winsorised(logs: Matrix) -> Matrix:
    """Each row with its extreme values drawn in, NaN where they were."""
    ordered = np.sort(logs, axis=1)  # NaN comes last
    counts = (~np.isnan(logs)).sum(axis=1)
    drawn_in, rows = counts // WINSORISED, np.arange(len(logs))
    low, high = ordered[rows, drawn_in], ordered[rows, counts - drawn_in - 1]
    return np.clip(logs, low[:, None], high[:, None])


@lru_cache(maxsize=16)
def all_labels(first: int, second: int, most: int) -> Labels:
    """Ways to deal launches to two runs: one row per way, one column per launch, whether it comes to the later run.

    All of them if they are at most ``most``; else the real one and random ones (Phipson & Smyth, "Permutation p-values
    should never be zero", Stat. Appl. Genet. Mol. Biol. 9 (2010), article 39), the same in every call.
    """
    total = first + second
    if comb(total, second) <= most:
        labels = np.zeros((comb(total, second), total), dtype=bool)
        for way, later in enumerate(combinations(range(total), second)):
            labels[way, list(later)] = True
        return labels
    random = np.random.default_rng((first, second)).random((most - 1, total))
    return np.vstack([np.arange(total) >= first, random.argsort(axis=1) >= first])


def statistics(scores: Matrix, labels: Labels) -> Matrix:
    """How far apart the two runs are, one row per case, one column per permutation; 0 where they can't be compared.

    It is the absolute t of two samples, brought to the scale of a normal deviate so that rows of few and of
    many launches can be set side by side (D. L. Wallace, Ann. Math. Stat. 30 (1959) 1121-1130). With the sum of all
    squares fixed, ``1 + t^2 / df`` is one over the share that lies within the runs.
    """
    there = ~np.isnan(scores)
    count = there.sum(axis=1, keepdims=True)
    centred = np.where(there, scores, 0.0)
    centred = np.where(there, centred - centred.sum(axis=1, keepdims=True) / np.maximum(count, 1), 0.0)
    later = there.astype(np.float64) @ labels.T.astype(np.float64)
    sums = centred @ labels.T.astype(np.float64)
    squares = (centred**2).sum(axis=1, keepdims=True)
    weight = later * (count - later) * squares
    between = np.divide(sums**2 * count, weight, out=np.zeros_like(sums), where=weight > 0)
    freedom = np.maximum(count - 2, 1)
    within = np.maximum(1.0 - between, np.finfo(np.float64).eps)
    deviate: Matrix = np.sqrt(-freedom * np.log(within)) * (8 * freedom + 1) / (8 * freedom + 3)
    return deviate
