"""The times of a binding and of its counterpart, block by block, and which blocks were made at the same time."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from polympi.lab.records import LaunchRecord, RunRecord
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.operations import ROW, counts
from polympi.lab.statistics.reference import with_reference


def sittings_of(run: RunRecord, launches: Iterable[LaunchRecord]) -> dict[tuple[str, int], int]:
    """How often the run had been resumed when a block was made, by stack and block.

    Blocks of the same number from before and after an interruption aren't paired: hours may lie between them.
    """
    return {
        (record.stack, record.block): sum(when <= record.started for when in run.resumed)
        for record in launches
        if counts(record) and record.block is not None
    }


@dataclass(frozen=True)
class Pairs:
    """Launch medians of a binding and of the reference in the same blocks."""

    blocks: NDArray[np.int64]
    binding: NDArray[np.float64]  # times of the binding in these blocks, in ns
    reference: NDArray[np.float64]

    @property
    def differences(self) -> list[float]:
        """Binding - reference, in ns."""
        return list(self.binding - self.reference)

    @property
    def log_ratios(self) -> list[float]:
        """``log(binding / reference)``; empty when a time is zero."""
        positive = (self.binding > 0).all() and (self.reference > 0).all()
        return list(np.log(self.binding / self.reference)) if positive else []


def pairs_of(launch_medians: pl.DataFrame) -> dict[RowKey, Pairs]:
    """The pairs of every row that has any; the reference itself has none."""
    compared = with_reference(launch_medians).sort("block")
    return {
        RowKey(*key): Pairs(
            rows["block"].cast(pl.Int64).to_numpy(), rows["median_ns"].to_numpy(), rows["reference_ns"].to_numpy()
        )
        for key, rows in compared.partition_by(ROW, as_dict=True).items()
    }


def log_ratio_table(pairs: list[Pairs]) -> NDArray[np.float64]:
    """The log-ratios of rows side by side: a row for each pair, an ascending column for each block of any; or NaN."""
    blocks = np.unique(np.concatenate([p.blocks for p in pairs])) if pairs else np.empty(0, dtype=np.int64)
    table = np.full((len(pairs), len(blocks)), np.nan)
    for row, pair in zip(table, pairs, strict=True):
        if log_ratios := pair.log_ratios:
            row[np.searchsorted(blocks, pair.blocks)] = log_ratios
    return table
