"""The logarithms that two runs are compared by, a row for each case and a column for each launch."""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.operations import ROW
from polympi.lab.statistics.reference import with_reference

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Values:
    """Logarithms of both runs."""

    keys: list[RowKey]  # what each row is about; rows of one group (stack, binding, benchmark) stand together
    # One row per key, one column per launch: those of the earlier run, then those of the later. NaN where a launch has
    # no value.
    logs: Matrix
    first: int  # how many columns are of the earlier run

    def sides(self, row: int) -> tuple[Matrix, Matrix]:
        """The values of a row in the earlier and in the later run, without the missing ones."""
        before, after = np.split(self.logs[row], [self.first])
        return before[~np.isnan(before)], after[~np.isnan(after)]


@dataclass(frozen=True)
class Group:
    """A stack, a binding and a benchmark, and which rows of :class:`Values` are of it."""

    stack: str
    binding: str
    benchmark: str
    rows: range


def log_ratios(medians: pl.DataFrame) -> pl.DataFrame:
    """The rows of all arms but C with ``log``, the logarithm of the ratio to C in the same block."""
    paired = with_reference(medians.filter(pl.col("median_ns") > 0)).filter(pl.col("reference_ns") > 0)
    return paired.with_columns(log=(pl.col("median_ns") / pl.col("reference_ns")).log())


def log_times(medians: pl.DataFrame) -> pl.DataFrame:
    """The rows of all arms with ``log``, the logarithm of the time in ns."""
    return medians.filter(pl.col("median_ns") > 0).with_columns(log=pl.col("median_ns").log())


def judged_logs(medians: pl.DataFrame, *, absolute: bool) -> pl.DataFrame:
    """What is judged: ratios to C, or times with C as a row too; never the A/A arm."""
    return (log_times if absolute else log_ratios)(medians).filter(pl.col("binding") != AGAIN)


def again_logs(medians: pl.DataFrame) -> pl.DataFrame:
    """The ratios of the A/A arm to C."""
    return log_ratios(medians).filter(pl.col("binding") == AGAIN)


def reference_logs(medians: pl.DataFrame) -> pl.DataFrame:
    """The times of C."""
    return log_times(medians).filter(pl.col("binding") == REFERENCE)


def meet(before: pl.DataFrame, after: pl.DataFrame) -> Values:
    """The rows that both runs have, from tables with stack, block, binding, a case, and ``log`` of each launch."""
    both = numbered([before, after])
    common = both.group_by(ROW).agg(pl.col("run").n_unique()).filter(pl.col("run") == 2).select(ROW)
    keys, logs, runs = arranged(both, common)
    return Values(keys, logs, int((runs == 0).sum()))


def numbered(runs: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The tables of several runs as one, with the number of the ``run``, from 0."""
    return pl.concat([frame.select(*ROW, "block", "log", run=pl.lit(n)) for n, frame in enumerate(runs)])


def arranged(launches: pl.DataFrame, rows: pl.DataFrame) -> tuple[list[RowKey], Matrix, NDArray[np.int64]]:
    """These rows in order, their logarithms with one column per launch (NaN where one is missing), and its run."""
    keys = sorted((RowKey(*row) for row in rows.select(ROW).iter_rows()), key=_place)
    columns = launches.select("run", "block").unique().sort("run", "block").with_row_index("column")
    logs = np.full((len(keys), columns.height), np.nan)
    if keys:
        order = pl.DataFrame([[getattr(key, name) for name in ROW] for key in keys], schema=list(ROW), orient="row")
        order = order.cast({name: launches.schema[name] for name in ROW}).with_row_index("row")
        placed = launches.join(order, on=ROW).join(columns, on=["run", "block"])
        logs[placed["row"].to_numpy(), placed["column"].to_numpy()] = placed["log"].to_numpy()
    return keys, logs, columns["run"].to_numpy().astype(np.int64)


def groups_of(values: Values) -> list[Group]:
    """The groups of the rows, in their order."""
    names = [(key.stack, key.binding, key.benchmark) for key in values.keys]
    starts = [row for row, name in enumerate(names) if row == 0 or name != names[row - 1]]
    ends = [*starts[1:], len(names)] if names else []
    return [Group(*names[start], rows=range(start, end)) for start, end in zip(starts, ends, strict=True)]


def typical(values: Values, groups: Sequence[Group]) -> Values:
    """One value a group and launch: the median over its rows, each row centred on its own median over both runs.

    The rows of a launch share what happened to it, so that many rows of one launch are not many observations; and
    which run a launch belongs to plays no part in the centring, so that it can be exchanged afterwards.
    """
    logs = np.empty((len(groups), values.logs.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a launch may have no row of a group: its median is NaN
        centred = values.logs - np.nanmedian(values.logs, axis=1, keepdims=True)
        for number, group in enumerate(groups):
            logs[number] = np.nanmedian(centred[group.rows.start : group.rows.stop], axis=0)
    return Values([values.keys[group.rows.start] for group in groups], logs, values.first)


def _place(key: RowKey) -> tuple[Hashable, ...]:
    """The order of rows: by name, benchmarks and modes as in the catalogue."""
    order = list(BENCHMARKS).index(key.benchmark)
    mode = BENCHMARKS[key.benchmark].modes.index(key.mode)
    return (key.stack, key.binding, order, mode, key.payload, key.size_bytes, key.ranks)
