"""Rounds of measuring against one baseline: what looks slower, or is unclear, is measured again.

Each round is judged by its own launches alone. So a group that looks slower by chance has to do so twice, in
independent launches, before it is called slower, and who looks again and again doesn't find a difference for that
reason alone.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import polars as pl

from polympi.lab.statistics.comparison.compare import FEWEST_LAUNCHES
from polympi.lab.statistics.comparison.model import UNKNOWN, Comparison, GroupChange, RowChange
from polympi.lab.statistics.verdicts import SLOWER

# Launches of the first round, as of a quick run: the fewest in which one bad launch spoils no interval. Each round has
# twice as many as the one before.
FIRST_ROUND = 9
MOST_ROUNDS = 4  # the last one has eight times as many launches as the first: three times narrower intervals at most


class GroupKey(NamedTuple):
    """What is judged as a whole."""

    stack: str
    binding: str
    benchmark: str

    @classmethod
    def of(cls, change: GroupChange | RowChange) -> GroupKey:
        """That of a group, or of the group of a row."""
        return cls(change.stack, change.binding, change.benchmark)


class Rounds:
    """The rounds so far, and which groups another one has to judge."""

    def __init__(self) -> None:
        self._groups: dict[GroupKey, GroupChange] = {}  # of the last round that judged the group
        self._rows: dict[GroupKey, list[RowChange]] = {}
        self.open: list[GroupKey] = []  # what another round has to judge, in the order of the table

    @property
    def suspected(self) -> list[GroupKey]:
        """The open groups that looked slower in the last round that judged them."""
        return [key for key in self.open if self._groups[key].verdict == SLOWER]

    def add(self, comparison: Comparison) -> None:
        """Judge groups by another round; what is not open any more stays as it is."""
        suspected, first = self.suspected, not self._groups
        for group in comparison.groups:
            key = GroupKey.of(group)
            enough = min(group.launches_before, group.launches_after) >= FEWEST_LAUNCHES
            if not first and (key not in self.open or not enough):
                continue
            self._groups[key] = group
            self._rows[key] = [row for row in comparison.rows if GroupKey.of(row) == key]
            if group.verdict not in (SLOWER, UNKNOWN) or (group.verdict == SLOWER and key in suspected):
                self.open = [other for other in self.open if other != key]
            elif first:
                self.open.append(key)

    def conclude(self, comparison: Comparison) -> Comparison:
        """All groups by their last rounds, like a comparison of two runs; one that looked slower once is unknown."""
        once = self.suspected
        groups = [
            msgspec.structs.replace(group, verdict=UNKNOWN) if key in once else group
            for key, group in self._groups.items()
        ]
        rows = [row for of_group in self._rows.values() for row in of_group]
        return msgspec.structs.replace(comparison, groups=groups, rows=rows)


def are(groups: list[GroupKey]) -> pl.Expr:
    """An expression true for the rows of these groups."""
    return pl.struct(GroupKey._fields).is_in([key._asdict() for key in groups])
