"""By how much a series differs from run to run where nothing changes.

Launches of one run share what lasts as long as the run: a layout of memory, a neighbour on the machine. So that two
runs may differ clearly by their launches, and again when both are repeated. The spread of runs is estimated from the
differences between neighbouring runs, of which a few steps change hardly any (as J. von Neumann's successive
differences, Ann. Math. Stat. 12 (1941) 367-395, but by their median).
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, median

import numpy as np

FEWEST_DIFFERENCES = 3  # the fewest of which one step does not decide the median
_OF_NORMAL = 1 / NormalDist().inv_cdf(0.75)  # the standard deviation over the median of the absolute values


def spread_of(medians: Sequence[float]) -> float | None:
    """The standard deviation of the values of runs, robust to steps; None with fewer than two runs."""
    if len(medians) < 2:
        return None
    return _OF_NORMAL * float(np.median(np.abs(np.diff(medians)))) / math.sqrt(2)


def spreads(series: Sequence[Sequence[float]]) -> list[float]:
    """The spread of each series: its own or, where that is larger, the median over all series.

    Too few runs have the median alone: a step would count as spread.
    """
    own = [spread_of(medians) for medians in series]
    usual = median([one for one in own if one is not None] or [0.0])
    return [
        usual if one is None or len(medians) <= FEWEST_DIFFERENCES else max(one, usual)
        for one, medians in zip(own, series, strict=True)
    ]


def reach(spread: float, before: int, after: int, level: float) -> float:
    """The difference between the means of this many runs that chance exceeds with this probability at most."""
    return NormalDist().inv_cdf(1 - level / 2) * spread * math.sqrt(1 / before + 1 / after)
