"""How unlikely are the ranks of two samples if both are of one distribution? The test of Mann and Whitney.

Exact for small samples without ties (:func:`~polympi.lab.statistics.shifts.u_distribution`). For larger ones U is
taken to be normally distributed, with a correction for continuity (Conover, *Practical Nonparametric Statistics*, 3rd
ed., section 5.1), which far from the middle overstates the p-value: it has heavier tails than U.
"""

import math
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from polympi.lab.statistics.shifts import u_distribution

MOST_EXACT = 400  # pairs of values, such as two quick runs (81), or one and four

Vector = NDArray[np.float64]


def smallest_p_value(values: Vector, starts: list[int]) -> tuple[float, int]:
    """Of all ways to divide values at one of these places, the smallest two-sided p-value, and the place.

    Where several places have the same p-value, after rounding, it is that of the largest statistic.
    """
    ranks = _ranks(values)
    sums = np.concatenate([[0.0], np.cumsum(ranks)])
    found = [(*_p_value(float(sums[start]), start, len(values) - start), start) for start in starts]
    p_value, _, place = min(found)
    return p_value, place


def _p_value(rank_sum: float, first: int, second: int) -> tuple[float, float]:
    """The p-value by the sum of the ranks of the first sample; and the statistic, so that a larger one sorts first."""
    distance = abs(rank_sum - first * (first + 1) / 2 - first * second / 2)
    deviate = max(0.0, distance - 0.5) / math.sqrt(first * second * (first + second + 1) / 12)
    if first * second <= MOST_EXACT:
        beyond = _tail(*sorted((first, second)))
        return min(1.0, 2 * float(beyond[math.ceil(first * second / 2 + distance)])), -deviate
    return min(1.0, 2 * NormalDist().cdf(-deviate)), -deviate


@lru_cache(maxsize=256)
def _tail(fewer: int, more: int) -> Vector:
    """Probabilities of U being at least 0, 1, ..."""
    tail: Vector = np.cumsum(u_distribution(fewer, more)[::-1])[::-1]
    return tail


def _ranks(values: Vector) -> Vector:
    """Ranks from 1; equal values share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values))
    bounds = [0, *(np.flatnonzero(np.diff(values[order])) + 1), len(values)]
    for begin, end in pairwise(bounds):
        ranks[order[begin:end]] = (begin + 1 + end) / 2
    return ranks
