"""At which runs did a series change? Its launches are divided into segments, each of some runs in a row.

At a boundary between two runs the launches before it are compared with those after it, by the test of Mann and Whitney.
That is a look. The boundary with the smallest p-value divides the series if that is at most the level of a look, and
then both parts are divided in the same way (binary segmentation). A change that soon goes back doesn't show in a long
series: so each boundary is also looked at in shorter windows of fixed places (S. Kovács et al., "Seeded binary
segmentation", Biometrika 110 (2023) 249-256). The test with ranks at the best boundary is A. N. Pettitt's (Appl. Stat.
28 (1979) 126-135), here corrected for the number of looks as Bonferroni does. Windows of the parts are windows of the
whole, so that one correction holds for all parts.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from polympi.lab.statistics.comparison.compare import FEWEST_LAUNCHES
from polympi.lab.statistics.history.mann_whitney import Vector, smallest_p_value

# Runs of the shortest window: one run of nine launches against three has a p-value of 2 / C(36, 9) = 2e-8 at best,
# against one of 4e-5, which is too much for thousands of looks.
SHORTEST = 4


def divide(runs: Sequence[Vector], level: float) -> dict[int, float]:
    """The runs, by their numbers from 0, with which a segment begins that isn't like the one before, with p-values.

    The level is that of a single look. Each run has the values of its launches.
    """
    found: dict[int, float] = {}
    pending = [(0, len(runs))]
    while pending:
        first, last = pending.pop()
        p_value, place = min(
            _most_unlike(runs, begin, end)
            for begin, end in {(first, last), *_windows(len(runs))}
            if first <= begin and end <= last
        )
        if p_value <= level:
            found[place] = p_value
            pending += [(first, place), (place, last)]
    return dict(sorted(found.items()))


def looks(runs: int) -> int:
    """How often a series of this many runs is looked at, at most."""
    return max(0, runs - 1) + sum(end - begin - 1 for begin, end in _windows(runs))


def _windows(runs: int) -> Iterator[tuple[int, int]]:
    """Windows of 4, 8, 16, ... runs, shorter than all; they overlap by three quarters."""
    length = SHORTEST
    while length < runs:
        yield from ((begin, begin + length) for begin in range(0, runs - length + 1, length // SHORTEST))
        length *= 2


def _most_unlike(runs: Sequence[Vector], begin: int, end: int) -> tuple[float, int]:
    """The smallest p-value of all boundaries with enough launches on both sides, and the run after it; else 1."""
    ends = np.cumsum([len(run) for run in runs[begin:end]])
    within = {
        int(place): number
        for number, place in enumerate(ends[:-1], start=begin + 1)
        if FEWEST_LAUNCHES <= place <= ends[-1] - FEWEST_LAUNCHES
    }
    if not within:
        return 1.0, 0
    p_value, place = smallest_p_value(np.concatenate(runs[begin:end]), list(within))
    return p_value, within[place]
