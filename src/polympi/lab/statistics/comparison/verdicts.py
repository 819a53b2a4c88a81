"""The verdict on a change, in one word.

``slower`` and ``faster`` say four things: the change was found (its adjusted p-value is at most the level), its
interval excludes none, and its estimate is beyond the threshold and beyond what noise explains. ``same`` is no lack of
evidence but evidence, as in tests of equivalence (D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680): the
whole interval lies within the threshold. Everything else is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.statistics.comparison.model import SAME, UNKNOWN
from polympi.lab.statistics.shifts import Shift
from polympi.lab.statistics.verdicts import FASTER, SLOWER

EXIT_FINE, EXIT_SLOWER, EXIT_NOT_COMPARABLE, EXIT_UNKNOWN = 0, 1, 2, 3


def verdict_of_change(change: Shift, floor: float | None, threshold: float, *, found: bool) -> str:
    """The verdict on one change.

    Args:
        change: its estimate and interval, as log-ratios.
        floor: the absolute log-ratio that noise explains; None if nothing tells it: then nothing is slower or faster.
        threshold: the smallest absolute log-ratio that counts.
        found: whether the test of "no change" rejects, adjusted for all that was tested.
    """
    if change.low is None or change.high is None:
        return UNKNOWN
    beyond = floor is not None and abs(change.estimate) > max(threshold, floor)
    if found and beyond and not change.low <= 0 <= change.high:
        return SLOWER if change.estimate > 0 else FASTER
    return SAME if -threshold < change.low and change.high < threshold else UNKNOWN


def verdict_of_group(own: str, rows: Sequence[str]) -> str:
    """The verdict on a group of rows.

    Args:
        own: the verdict on its typical row.
        rows: the verdicts on its rows. A row that cannot be told alone says nothing about the group.

    Returns:
        ``slower`` if the typical row or any other is. ``faster`` likewise, but not where the typical row is unknown.
    """
    if SLOWER in (own, *rows):
        return SLOWER
    return FASTER if own == FASTER or (own == SAME and FASTER in rows) else own


def exit_code_of(verdicts: Sequence[str]) -> int:
    """What ``polympi diff`` exits with, from the verdicts on the groups.

    Returns:
        1 if one is slower, else 3 if one is unknown, else 0.
    """
    if SLOWER in verdicts:
        return EXIT_SLOWER
    return EXIT_UNKNOWN if UNKNOWN in verdicts else EXIT_FINE
