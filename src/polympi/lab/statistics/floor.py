"""The noise floor: an effect that must be exceeded before it is believed.

The A/A arm is C, launched once more as if it were another binding. How far it seems to be from C is noise by
construction. Its median alone says little, since it is near 0 however much its launches vary; the interval of the
median says how far from 0 noise could have put it. The farther end of that interval is the *reach* of the noise in
a case.

One case can have a quiet A/A arm by luck. Cases of one benchmark are measured by the same program in the same
launches, so that the median reach over them says what noise is usual there, and no case has a lower floor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from statistics import median

from polympi.lab.statistics.intervals import MedianInterval
from polympi.lab.statistics.keys import RowKey

FEWEST_CASES = 4  # the fewest of which one odd reach, however large, does not move the median beyond the other reaches


def reach(interval: MedianInterval) -> float:
    """How far from 0 the interval of a log-ratio goes in either direction."""
    return max(abs(interval.low), abs(interval.high))


def noise_floors(again: Mapping[RowKey, MedianInterval]) -> dict[RowKey, float]:
    """The noise floor of every case that the A/A arm measured often enough.

    Args:
        again: the intervals of the log-ratios of the rows of the A/A arm.

    Returns:
        For the same rows, an absolute log-ratio: the reach of the noise in the case itself or, where that is larger,
        the median reach over the cases of its benchmark. A benchmark of fewer than four cases is taken together
        with all others on its stack.
    """
    of_stack: dict[str, list[float]] = defaultdict(list)
    of_benchmark: dict[tuple[str, str], list[float]] = defaultdict(list)
    for key, interval in again.items():
        of_stack[key.stack].append(reach(interval))
        of_benchmark[key.stack, key.benchmark].append(reach(interval))
    floors = {}
    for key, interval in again.items():
        siblings = of_benchmark[key.stack, key.benchmark]
        pool = siblings if len(siblings) >= FEWEST_CASES else of_stack[key.stack]
        floors[key] = max(reach(interval), median(pool))
    return floors
