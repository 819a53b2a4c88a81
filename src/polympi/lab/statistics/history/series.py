"""Bindings in benchmarks over many runs, each run with a value per launch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from polympi.lab.statistics.comparison.values import Group, Matrix, Values, arranged, groups_of, numbered, typical
from polympi.lab.statistics.history.mann_whitney import Vector
from polympi.lab.statistics.operations import ROW

_GROUP = ("stack", "binding", "benchmark")


@dataclass(frozen=True)
class Launches:
    """The typical row of a group: its logarithms relative to its own level, over runs."""

    group: Group
    level: float  # the logarithm around which they lie: the median of the medians of rows
    runs: dict[int, Vector]  # by run, from 0, one per launch

    @property
    def present(self) -> list[int]:
        """The runs that have the group."""
        return list(self.runs)

    def of(self, runs: Sequence[int]) -> Vector:
        """The values of some runs."""
        return np.concatenate([self.runs[run] for run in runs if run in self.runs] or [np.empty(0)])


def gather(runs: Sequence[pl.DataFrame]) -> Iterator[Launches]:
    """The groups of several runs, each with the rows that all of its runs have; tables as of :func:`numbered`.

    Groups of which no row is in all of their runs are left out.
    """
    launches = numbered(runs)
    of_group = launches.group_by(_GROUP).agg(pl.col("run").n_unique().alias("present"))
    of_row = launches.group_by(ROW).agg(pl.col("run").n_unique()).join(of_group, on=_GROUP)
    keys, logs, columns = arranged(launches, of_row.filter(pl.col("run") == pl.col("present")))
    values = Values(keys, logs, 0)
    groups = groups_of(values)
    for group, row in zip(groups, typical(values, groups).logs, strict=True):
        there = np.flatnonzero(~np.isnan(row))
        starts = np.flatnonzero(np.diff(columns[there])) + 1  # columns are in the order of runs
        by_run = {int(columns[some[0]]): row[some] for some in np.split(there, starts) if some.size}
        yield Launches(group, _level(logs[group.rows.start : group.rows.stop]), by_run)


def _level(rows: Matrix) -> float:
    return float(np.median(np.nanmedian(rows, axis=1)))
