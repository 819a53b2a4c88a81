"""At which runs did a series change? Its launches are divided into segments, each of some runs in a row.

Each boundary between two runs is a look: the launches before it are compared with those after it, by the test of Mann
and Whitney. The boundary with the smallest p-value divides the series if that is at most the level over the number of
looks, and then both parts are divided in the same way (binary segmentation: L. J. Vostrikova, Sov. Math. Dokl. 24
(1981) 55-59; with ranks and one boundary it is A. N. Pettitt's test, Appl. Stat. 28 (1979) 126-135, here corrected as
Bonferroni does). The looks of parts are never more than those of the whole, so that one correction holds for all parts.
"""

from collections.abc import Sequence

import numpy as np

from polympi.lab.statistics.comparison.compare import FEWEST_LAUNCHES
from polympi.lab.statistics.history.mann_whitney import Vector, smallest_p_value


def divide(runs: Sequence[Vector], level: float) -> dict[int, float]:
    """The runs, by their numbers from 0, with which a segment begins that isn't like the one before, with p-values.

    The level is that of a single look. Each run has the values of its launches.
    """
    found: dict[int, float] = {}
    pending = [(0, len(runs))]
    while pending:
        first, last = pending.pop()
        p_value, place = _most_unlike(runs[first:last])
        if p_value <= level:
            found[first + place] = p_value
            pending += [(first, first + place), (first + place, last)]
    return dict(sorted(found.items()))


def _most_unlike(runs: Sequence[Vector]) -> tuple[float, int]:
    """The smallest p-value of all boundaries with enough launches on both sides, and which one; 1 without any."""
    ends = np.cumsum([len(run) for run in runs])
    within = {
        int(end): number
        for number, end in enumerate(ends[:-1], start=1)
        if FEWEST_LAUNCHES <= end <= ends[-1] - FEWEST_LAUNCHES
    }
    if not within:
        return 1.0, 0
    p_value, place = smallest_p_value(np.concatenate(runs), list(within))
    return p_value, within[place]
