"""The noise floor: an effect that must be exceeded before it is believed.

The A/A arm is C, launched once more as if it were another binding. How far it seems to be from C is noise by
construction. Its median alone says little, since it is near 0 however much its launches vary; half the length of the
interval of the median says how far noise moves it. That is the *reach* of the noise in a case. It is half the length
and not the farther end, which counts a bad launch of the A/A arm twice: in the length, and in where the interval lies.

The A/A arm is compared with one launch of C, a binding with the mean of two, which varies less: by the square root of
1.5 instead of that of 2, where all launches vary alike (:mod:`~polympi.lab.statistics.reference`).

One case can have a quiet A/A arm by luck. Cases of one benchmark and of sizes near by are measured by the same program
in the same launches, so that the median reach over them says what noise is usual there, and no case has a lower floor.
Sizes far away say nothing: where a message of 8 bytes takes two or three times as long in one launch as in another, one
of a megabyte may be steady to a percent.
"""

import math
from collections.abc import Mapping
from statistics import median

from polympi.lab.statistics.intervals import MedianInterval
from polympi.lab.statistics.keys import RowKey

FEWEST_CASES = 4  # the fewest of which one odd reach, however large, does not move the median beyond the other reaches
OF_TWO = math.sqrt(1.5 / 2)  # what varies less against the mean of two launches than against one
NEIGHBOURS = 7  # a case and three sizes to either side, where each has one case


def reach(interval: MedianInterval) -> float:
    """How far noise moves the median of a binding, as an absolute log-ratio, from the interval of the A/A arm."""
    return OF_TWO * (interval.high - interval.low) / 2


def noise_floors(again: Mapping[RowKey, MedianInterval]) -> dict[RowKey, float]:
    """The noise floors of the cases that the A/A arm measured often enough, from the intervals of its log-ratios.

    Each is an absolute log-ratio: the reach of the noise in the case itself or, where that is larger, the median
    reach of its neighbours.
    """
    reaches = {key: reach(interval) for key, interval in again.items()}
    return {key: max(own, median(neighbours(key, reaches))) for key, own in reaches.items()}


def floor_between(one: float, other: float, *, of_means: bool) -> float:
    """The noise floor of the ratio between two levels of a factor, from the noise floors of both.

    The A/A arm of a level compares two launches at that level: its log-ratio varies by 2 s^2 where each of them varies
    by s^2. A log-ratio between launches at two levels varies by the sum of their own s^2, the mean of the variances of
    both A/A arms; between means of C's two launches at each level (`of_means`), by half of that.
    """
    single = math.hypot(one, other) / math.sqrt(2) / OF_TWO
    return single / math.sqrt(2) if of_means else single


def neighbours(case: RowKey, values: Mapping[RowKey, float]) -> list[float]:
    """The values of the cases of the same benchmark that are nearest in size, the case itself among them.

    At least seven, more where several are equally far away, such as all modes at one size. A benchmark of fewer
    than four cases has all cases of its stack for neighbours.
    """
    siblings = [key for key in values if (key.stack, key.benchmark) == (case.stack, case.benchmark)]
    if len(siblings) < FEWEST_CASES:
        return [value for key, value in values.items() if key.stack == case.stack]
    distances = {key: abs(_place(key) - _place(case)) for key in siblings}
    farthest = sorted(distances.values())[min(NEIGHBOURS, len(siblings)) - 1]
    return [values[key] for key in siblings if distances[key] <= farthest]


def _place(case: RowKey) -> float:
    """Where the size stands on the axis of a chart: logarithmic, with a place for messages of no bytes."""
    return math.log2(1 + case.size_bytes)
