"""What noise explains of a change: the A/A arm, compared between the same two runs.

C against itself cannot have changed. How far the interval of its change reaches from none, the farther of its ends, is
how large a change of C against itself these runs leave possible; a change of a binding no larger than that is not to
be believed. It sees what exchanging launches cannot: what outlasts one of the runs, such as another layout of memory.

One case may be quiet by luck. So the floor of each is at least the median of its neighbours: of the cases of its
benchmark that are nearest in size, or, for a whole benchmark, of the other benchmarks of the stack.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from polympi.lab.statistics.comparison.values import Values, groups_of, typical
from polympi.lab.statistics.floor import neighbours
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.shifts import Shift, shift

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True)
class Floors:
    """Absolute log-ratios that noise explains."""

    groups: dict[tuple[str, str], float]
    cases: dict[RowKey, float]


def floors(again: Values) -> Floors:
    """The floors of two runs, from the A/A arm in both; where it has too few launches for an interval there is none."""
    groups = groups_of(again)
    one_a_group = typical(again, groups)
    ends = {
        (group.stack, group.benchmark): far_end(shift(*one_a_group.sides(number)))
        for number, group in enumerate(groups)
    }
    cases = {key: far_end(shift(*again.sides(row))) for row, key in enumerate(again.keys)}
    return Floors(groups=group_floors(ends), cases=_raised(cases, neighbours))


def group_floors(ends: Mapping[tuple[str, str], float | None]) -> dict[tuple[str, str], float]:
    """The floors of benchmarks by stack, from the farther ends of the A/A arm's changes in them."""
    return _raised(ends, lambda key, known: [end for (stack, _), end in known.items() if stack == key[0]])


def _raised(
    ends: Mapping[_Key, float | None], neighbours: Callable[[_Key, dict[_Key, float]], list[float]]
) -> dict[_Key, float]:
    """The larger of each end and the median over its neighbours; without an end, the median alone."""
    known = {key: end for key, end in ends.items() if end is not None}
    return {key: max(end or 0.0, median(others)) for key, end in ends.items() if (others := neighbours(key, known))}


def far_end(change: Shift) -> float | None:
    """The end of the interval that is farther from no change, as an absolute log-ratio; None without an interval."""
    return None if change.low is None or change.high is None else max(-change.low, change.high)
