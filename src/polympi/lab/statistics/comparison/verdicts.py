"""The verdict on a change, in one word, and how many launches it would take to say more.

``slower`` and ``faster`` say four things: the change was found (its adjusted p-value is at most the level), its
interval excludes none, and its estimate is beyond the threshold and beyond what noise explains. ``same`` is no lack of
evidence but evidence, as in tests of equivalence (D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680): the
whole interval lies within the threshold. Everything else is ``unknown``.
"""

from collections.abc import Sequence
from math import ceil
from typing import Final

from polympi.lab.statistics.comparison.model import SAME, UNKNOWN
from polympi.lab.statistics.intervals import MINIMUM_LAUNCHES
from polympi.lab.statistics.shifts import Shift
from polympi.lab.statistics.verdicts import FASTER, SLOWER

EXIT_FINE, EXIT_SLOWER, EXIT_NOT_COMPARABLE, EXIT_UNKNOWN = 0, 1, 2, 3


def verdict_of_change(change: Shift, floor: float | None, threshold: float, *, found: bool) -> str:
    """The verdict on one change, by its estimate and interval, and whether the test of "no change" rejects.

    The test is adjusted for all that was tested. The floor is the absolute log-ratio that noise explains; if it is
    unknown, nothing is slower or faster. The threshold is the smallest absolute log-ratio that counts.
    """
    if change.low is None or change.high is None:
        return UNKNOWN
    beyond = floor is not None and abs(change.estimate) > max(threshold, floor)
    if found and beyond and not change.low <= 0 <= change.high:
        return SLOWER if change.estimate > 0 else FASTER
    return SAME if -threshold < change.low and change.high < threshold else UNKNOWN


def verdict_of_group(own: str, rows: Sequence[str]) -> str:
    """The verdict on a group of rows, from that on its typical row and those on all; an unknown row says nothing of it.

    It is ``slower`` if any of them is, and ``faster`` likewise, but not where the typical row is unknown.
    """
    if SLOWER in (own, *rows):
        return SLOWER
    return FASTER if own == FASTER or (own == SAME and FASTER in rows) else own


def exit_code_of(verdicts: Sequence[str]) -> int:
    """What ``polympi diff`` exits with: 1 if a verdict on a group is slower, else 3 if one is unknown, else 0."""
    if SLOWER in verdicts:
        return EXIT_SLOWER
    return EXIT_UNKNOWN if UNKNOWN in verdicts else EXIT_FINE


MOST_LAUNCHES: Final = 100  # more in a run don't help: hours of measuring, in which the machine changes

# If nothing changed, the estimate strays from 0 by less than 1.28 standard errors four times of five, and the interval
# reaches 1.96 of them to either side. Both together fit into the threshold when the interval alone fits 1.65 times.
_ROOM_FOR_CHANCE: Final = (1.28 + 1.96) / 1.96
# A change is found among some sixty groups when it is 3.6 standard errors large (p of 0.025 over 60, two-sided), and
# its estimate strays by 0.84 of them to the wrong side one time of five: 2.3 times what the interval reaches.
_ROOM_FOR_MANY: Final = (3.6 + 0.84) / 1.96


def launches_needed(change: Shift, floor: float | None, threshold: float, first: int, second: int) -> int | None:
    """How many launches a run would probably be enough, more than either has; None if more than :data:`MOST_LAUNCHES`.

    An interval narrows with the root of the number of launches, and the noise floor likewise. Enough of them show that
    a change lies within the threshold, or that there is one: whichever comes first, going by the estimate of the
    change, a log-ratio. "Probably" is four times of five.
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
