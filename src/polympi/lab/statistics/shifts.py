"""The shift between two independent samples, assuming nothing about their distribution.

The estimate is that of Hodges & Lehmann (Ann. Math. Stat. 34 (1963) 598-611): the median of all differences between
a value of one and a value of the other. Its interval runs between two of these differences, and the distribution
of Mann & Whitney's U (Ann. Math. Stat. 18 (1947) 50-60) says between which (Conover, *Practical Nonparametric
Statistics*, 3rd ed., section 5.1).
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from polympi.lab.statistics.intervals import LEVEL, Values

# With more pairs of values U is taken to be normally distributed, as Conover does with more than 20 values a sample. At
# 100 of each the interval begins at difference 4197 instead of 4198. The time of the exact distribution grows with the
# square of this number.
MOST_EXACT = 10_000


@dataclass(frozen=True)
class Shift:
    """By how much a second sample is larger than a first."""

    estimate: float
    # `low` and `high`: its interval; None when there are too few values for one
    low: float | None
    high: float | None
    coverage: float | None  # the coverage that the interval really has; None without one


def shift(first: Values, second: Values, level: float = LEVEL) -> Shift:
    """The shift from the first to the second sample; ValueError if one is empty, or a value is not finite."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not a.size or not b.size or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a shift needs finite values in both samples")
    differences = _differences(a, b)
    rank, coverage = _rank(*sorted((len(a), len(b))), level)
    return Shift(
        estimate=float(np.median(differences)),
        low=float(differences[rank - 1]) if rank else None,
        high=float(differences[-rank]) if rank else None,
        coverage=coverage if rank else None,
    )


def hodges_lehmann(first: Values, second: Values) -> float:
    """The estimate of :func:`shift` alone."""
    return float(np.median(_differences(np.asarray(first), np.asarray(second))))


def _differences(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sort(np.subtract.outer(second, first), axis=None)


@lru_cache(maxsize=1024)
def _rank(fewer: int, more: int, level: float) -> tuple[int, float]:
    """Rank from 1 of the difference at which the narrowest interval begins, and its coverage; rank 0: there is none."""
    if fewer * more > MOST_EXACT:
        normal, spread = NormalDist(), math.sqrt(fewer * more * (fewer + more + 1) / 12)
        rank = math.floor(fewer * more / 2 - normal.inv_cdf((1 + level) / 2) * spread)
        return rank, 2 * normal.cdf((fewer * more / 2 - rank + 0.5) / spread) - 1
    below = np.cumsum(u_distribution(fewer, more))
    coverages = 1 - 2 * below[: fewer * more // 2]
    rank = int((coverages >= level).sum())
    return rank, float(coverages[rank - 1]) if rank else 0.0


@lru_cache(maxsize=256)
def u_distribution(first: int, second: int) -> NDArray[np.float64]:
    """Probabilities of U = 0, 1, ..., first * second without a shift, for samples of these lengths.

    The largest of all values is in the first sample with probability ``first / (first + second)``, where it
    exceeds all of the second; without it, U is that of samples one shorter.
    """
    # table[j] holds the distribution for i and j values while i grows.
    table = [np.ones(1) for _ in range(second + 1)]
    for i in range(1, first + 1):
        table[0] = np.ones(1)
        for j in range(1, second + 1):
            mixed = np.zeros(i * j + 1)
            mixed[j:] += i / (i + j) * table[j]
            mixed[: i * (j - 1) + 1] += j / (i + j) * table[j - 1]
            table[j] = mixed
    return table[second]
