"""What a comparison of two runs holds; the JSON of ``polympi diff`` is made of it (``docs/results.md``)."""

from typing import Final

import msgspec

SAME: Final = "same"
UNKNOWN: Final = "unknown"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """How one thing changed from the earlier run to the later one."""

    stack: str
    binding: str
    benchmark: str
    # `launches_before` and `launches_after`: launches with a value in each run
    launches_before: int
    launches_after: int
    change: float  # the factor from the earlier to the later run (Hodges-Lehmann)
    # `change_low` and `change_high`: its interval; None with too few launches for one
    change_low: float | None
    change_high: float | None
    confidence: float | None  # the coverage that the interval really has; None without one
    p_value: float  # of "no change", adjusted for all that was tested; 1 with too few launches
    floor_ratio: float | None  # the factor that the A/A arms do not exclude (at least 1); None where they say nothing
    c_change: float | None  # the factor by which C's own time changed, for information; None where C has no times
    verdict: str  # `slower`, `faster`, `same` or `unknown`
    # Of an unknown change, how many launches per run would probably be enough; None if more than `MOST_LAUNCHES`, or if
    # the change is not unknown.
    launches_needed: int | None


class RowChange(Change, frozen=True, kw_only=True):
    """One row of both runs."""

    mode: str
    payload: str
    size_bytes: int
    ranks: int
    # `before` and `after`: medians over launches of what is judged: the ratio to C, or the time in ns
    before: float
    after: float


class GroupChange(Change, frozen=True, kw_only=True):
    """All rows of a binding in a benchmark; ``change`` is that of the typical row, but a few others may decide."""

    rows: int  # how many rows the group has
    # `rows_slower` and `rows_faster`: how many of them became slower and faster
    rows_slower: int
    rows_faster: int


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs, compared."""

    absolute: bool  # times were judged, not ratios to C
    threshold: float  # the smallest relative change that counts, such as 0.1
    groups: list[GroupChange]
    rows: list[RowChange]
