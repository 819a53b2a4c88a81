"""Confidence intervals of a median that assume nothing about the distribution.

Between two order statistics the true median lies with a probability that only the binomial distribution decides,
whatever continuous distribution the values have (David & Nagaraja, *Order Statistics*, 3rd ed., section 7.1;
Conover, *Practical Nonparametric Statistics*, 3rd ed., section 3.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
MINIMUM_LAUNCHES = 6  # the fewest values of which [min, max] covers the median with 0.95: 1 - 2 / 2**6 = 0.96875

Values = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True)
class MedianInterval:
    """An interval of a median."""

    # `low` and `high`: its ends, both of them observed values; in the unit of the values
    low: float
    high: float
    coverage: float  # the probability with which it covers the true median; at least the level that was asked for

    def excludes(self, value: float) -> bool:
        """Whether the value lies outside; a value on an end is inside."""
        return not self.low <= value <= self.high


@lru_cache(maxsize=1024)
def interval_ranks(count: int, level: float = LEVEL) -> tuple[int, int, float] | None:
    """Ranks from 1 of the order statistics that enclose the median, and the coverage they really have.

    Of all symmetric pairs ``(r, count + 1 - r)`` it is the narrowest that reaches the level. The coverage is ``1 - 2
    P(B < r)`` with ``B ~ Binomial(count, 1/2)``; None when not even the smallest and the largest value reach the level.
    """
    found = None
    binomial, below = 1, 0  # count over k, and the sum of those below rank: whole numbers, so that nothing is rounded
    for rank in range(1, count // 2 + 1):
        below += binomial
        coverage = 1 - 2 * below / (1 << count)
        if coverage < level:
            break
        found = rank, count + 1 - rank, coverage
        binomial = binomial * (count + 1 - rank) // rank
    return found


def median_interval(values: Values, level: float = LEVEL) -> MedianInterval | None:
    """Exact order-statistic confidence interval of the median of independent values of one distribution.

    None when there are too few values for the level (fewer than 6 for 0.95); ValueError if one is not finite.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not np.isfinite(ordered).all():
        raise ValueError("a median interval needs finite values")
    ranks = interval_ranks(len(ordered), level)
    if ranks is None:
        return None
    lower, upper, coverage = ranks
    return MedianInterval(float(ordered[lower - 1]), float(ordered[upper - 1]), coverage)
