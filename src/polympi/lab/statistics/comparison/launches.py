"""How many launches would be enough where these were not."""

from __future__ import annotations

from math import ceil
from typing import Final

from polympi.lab.statistics.intervals import MINIMUM_LAUNCHES
from polympi.lab.statistics.shifts import Shift

MOST_LAUNCHES: Final = 100  # more in a run don't help: hours of measuring, in which the machine changes

# If nothing changed, the estimate strays from 0 by less than 1.28 standard errors four times of five, and the interval
# reaches 1.96 of them to either side. Both together fit into the threshold when the interval alone fits 1.65 times.
_ROOM_FOR_CHANCE: Final = (1.28 + 1.96) / 1.96
# A change is found among some sixty groups when it is 3.6 standard errors large (p of 0.025 over 60, two-sided), and
# its estimate strays by 0.84 of them to the wrong side one time of five: 2.3 times what the interval reaches.
_ROOM_FOR_MANY: Final = (3.6 + 0.84) / 1.96


def launches_needed(change: Shift, floor: float | None, threshold: float, first: int, second: int) -> int | None:
    """How many launches a run would probably be enough, if the spread does not change.

    An interval narrows with the root of the number of launches. Enough of them show that a change lies within the
    threshold, or that there is one: whichever comes first, going by the estimate. "Probably" is four times of five.

    Args:
        change: what could not be told, as a log-ratio.
        floor: the absolute log-ratio that noise explains, which narrows likewise.
        threshold: the smallest absolute log-ratio that counts.
        first: launches of the earlier run.
        second: launches of the later run.

    Returns:
        More than either run has; None if more than :data:`MOST_LAUNCHES`.
    """
    more = max(first, second) + 1
    if change.low is None or change.high is None:
        return max(more, MINIMUM_LAUNCHES)
    reach = (change.high - change.low) / 2
    if change.low <= 0 <= change.high:
        room = threshold / _ROOM_FOR_CHANCE
    else:
        room = max(threshold - abs(change.estimate), 0.0)
    times_narrower = [reach / room] if room else []
    if abs(change.estimate) > threshold:
        times_narrower.append(max(_ROOM_FOR_MANY * reach, floor or 0.0) / abs(change.estimate))
    launches = 2 / (1 / first + 1 / second) * min(times_narrower) ** 2  # by the harmonic mean, as standard errors go
    return None if launches > MOST_LAUNCHES else max(more, ceil(launches))
