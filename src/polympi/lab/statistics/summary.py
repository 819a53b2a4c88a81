"""The table of a run, a row a stack, binding and case (columns: ``docs/results.md``)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.samples.records import AGAIN, REFERENCE, LaunchRecord, Outcome, RunRecord
from polympi.lab.statistics.effects import PairedEffect, paired_effect
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.model import SUMMARY_COLUMNS
from polympi.lab.statistics.operations import ROW
from polympi.lab.statistics.outliers import count_outliers
from polympi.lab.statistics.percentiles import percentiles
from polympi.lab.statistics.stops import Stops
from polympi.lab.statistics.verdicts import INVALID, MINIMUM_ADJUSTABLE, REFERENCE_ROW, family_q_values, verdict

_TEXT = {"stack", "binding", "benchmark", "payload", "mode", "verdict", "stopped_by"}
_COUNTS = {"size_bytes", "ranks", "launches", "samples", "outliers"}
SUMMARY_SCHEMA: dict[str, type[pl.DataType]] = {
    name: pl.String if name in _TEXT else pl.Int64 if name in _COUNTS else pl.Float64 for name in SUMMARY_COLUMNS
}

_Vector = NDArray[np.float64]


@dataclass(frozen=True, order=True)
class RowKey:
    """What a row is about; the fields are the columns :data:`operations.ROW`."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    ranks: int

    def of(self, binding: str) -> RowKey:
        """The row of another binding for the same case."""
        return RowKey(self.stack, binding, self.benchmark, self.mode, self.payload, self.size_bytes, self.ranks)


@dataclass(frozen=True)
class Pairs:
    """Launch medians of a binding and of the reference in the same blocks, in ns."""

    binding: _Vector
    reference: _Vector

    @property
    def differences(self) -> list[float]:
        """Binding - reference."""
        return list(self.binding - self.reference)

    @property
    def log_ratios(self) -> list[float]:
        """``log(binding / reference)``; empty when a time is zero."""
        positive = (self.binding > 0).all() and (self.reference > 0).all()
        return list(np.log(self.binding / self.reference)) if positive else []


def invalid_rows(launches: Iterable[LaunchRecord]) -> set[RowKey]:
    """The rows of which a validation failed in any launch, whatever became of that launch."""
    rows = set()
    for record in launches:
        for refusal in record.invalid:
            benchmark, mode, payload, size = refusal.case.split("/")
            rows.add(RowKey(record.stack, record.binding, benchmark, mode, payload, int(size), record.ranks))
    return rows


def summarise(times: pl.DataFrame, run: RunRecord, outcome: Outcome | None, invalid: set[RowKey]) -> pl.DataFrame:
    """The summary of a run.

    Args:
        times: what :func:`operations.operation_times` gives.
        run: what was asked; gives the order of stacks and bindings and the rule that was to stop the rows.
        outcome: how the run ended.
        invalid: the rows that failed a validation. They have no effect, whatever was timed, and are no counterpart.
    """
    cells = {RowKey(*key): cell for key, cell in times.partition_by(ROW, as_dict=True).items()}
    keys = sorted(cells.keys() | invalid, key=_report_order(run))
    pairs = {key: _pairs(cells, key, invalid) for key in keys}
    effects = {key: paired_effect(p.binding, p.reference) if p else None for key, p in pairs.items()}
    q_values = _q_values(effects)
    stops = Stops(run, outcome)
    rows = []
    for key in keys:
        floor = _floor(effects, key)
        followed = pairs.get(key.of(AGAIN) if key.binding == REFERENCE else key)
        rows.append(
            {column: getattr(key, column) for column in ROW}
            | _location(cells.get(key))
            | _effect_columns(effects[key])
            | {
                "q_value": q_values.get(key),
                "floor_ratio": None if floor is None or key.binding in (REFERENCE, AGAIN) else math.exp(floor),
                "verdict": _verdict(key, key in invalid, effects[key], floor, q_values.get(key)),
                "stopped_by": stops.of(
                    key, followed.differences if followed else [], followed.log_ratios if followed else []
                ),
            }
        )
    return pl.DataFrame(rows, schema=SUMMARY_SCHEMA)


def _pairs(cells: dict[RowKey, pl.DataFrame], key: RowKey, invalid: set[RowKey]) -> Pairs | None:
    """The blocks in which both the row and its reference were measured; None for the reference, or without any."""
    reference = key.of(REFERENCE)
    if key == reference or invalid & {key, reference} or not {key, reference} <= cells.keys():
        return None
    both = cells[key].select("block", "median_ns").join(cells[reference].select("block", "median_ns"), on="block")
    both = both.drop_nulls().sort("block")
    return None if both.is_empty() else Pairs(both["median_ns"].to_numpy(), both["median_ns_right"].to_numpy())


def _floor(effects: dict[RowKey, PairedEffect | None], key: RowKey) -> float | None:
    """Noise floor of a row as an absolute log-ratio: that of the A/A arm; nothing (0) for the A/A arm itself."""
    if key.binding == AGAIN:
        return 0.0
    again = effects.get(key.of(AGAIN))
    return None if again is None or again.log_ratio is None else abs(again.log_ratio)


def _q_values(effects: dict[RowKey, PairedEffect | None]) -> dict[RowKey, float | None]:
    q_values: dict[RowKey, float | None] = {}
    for stack in {key.stack for key in effects}:
        rows = [(key, effect) for key, effect in effects.items() if key.stack == stack]
        p_values = [_testable(effect) for _, effect in rows]
        adjusted = family_q_values(p_values, [key.binding == AGAIN for key, _ in rows])
        q_values.update(zip((key for key, _ in rows), adjusted, strict=True))
    return q_values


def _testable(effect: PairedEffect | None) -> float | None:
    """The p-value of a row that has launches enough for it to be adjusted."""
    return None if effect is None or effect.blocks < MINIMUM_ADJUSTABLE else effect.p_value


def _verdict(
    key: RowKey, is_invalid: bool, effect: PairedEffect | None, floor: float | None, q_value: float | None
) -> str:
    if is_invalid:
        return INVALID
    return REFERENCE_ROW if key.binding == REFERENCE else verdict(effect, floor, q_value)


def _location(cell: pl.DataFrame | None) -> dict[str, Any]:
    """The columns that need the row alone: launches, median, interval, rate, percentiles, outliers."""
    if cell is None:
        return {"launches": 0, "samples": 0, "outliers": 0}
    medians = cell["median_ns"].drop_nulls().to_numpy()
    batches = cell["batches_ns"].explode().drop_nulls().to_numpy()
    interval = median_interval(medians)
    is_launch_figure = BENCHMARKS[cell["benchmark"][0]].launch_figure
    return {
        "launches": len(medians),
        "median_ns": float(np.median(medians)) if medians.size else None,
        "ci_low_ns": interval.low if interval else None,
        "ci_high_ns": interval.high if interval else None,
        "confidence": interval.coverage if interval else None,
        "mb_per_s": _rate(cell),
        "samples": len(batches),
        # The one batch of a launch figure is its median: counted once.
        "outliers": count_outliers(medians) + (0 if is_launch_figure else count_outliers(batches)),
    } | percentiles(cell["events_ns"].explode().drop_nulls().to_numpy())


def _rate(cell: pl.DataFrame) -> float | None:
    """Payload over time in MB/s, total over total: 10^6 B in 10^9 ns, so that B/ns is a thousand of them."""
    payload = cell["size_bytes"][0] * cell["operations"].sum()
    total_ns = cell["total_ns"].sum()
    return 1000 * payload / total_ns if payload and total_ns else None


def _effect_columns(effect: PairedEffect | None) -> dict[str, float | None]:
    if effect is None:
        return {}
    delta, ratio = effect.delta_interval, effect.log_interval
    return {
        "delta_to_c_ns": effect.delta_ns,
        "delta_low_ns": delta.low if delta else None,
        "delta_high_ns": delta.high if delta else None,
        "ratio_to_c": None if effect.log_ratio is None else math.exp(effect.log_ratio),
        "ratio_low": math.exp(ratio.low) if ratio else None,
        "ratio_high": math.exp(ratio.high) if ratio else None,
        "p_value": effect.p_value,
    }


def _report_order(run: RunRecord) -> Any:
    """A sort key: stacks and bindings as in the run, benchmarks and modes as in the catalogue, then size."""
    bindings = {(s.stack, b): i for s in run.stacks for i, b in enumerate(s.bindings)}
    stacks = {s.stack: i for i, s in enumerate(run.stacks)}
    benchmarks = {name: i for i, name in enumerate(BENCHMARKS)}
    last = len(bindings) + len(benchmarks)

    def place(key: RowKey) -> tuple[int, int, int, int, RowKey]:
        modes = BENCHMARKS[key.benchmark].modes
        return (
            stacks.get(key.stack, last),
            bindings.get((key.stack, key.binding), last),
            benchmarks[key.benchmark],
            modes.index(key.mode),
            key,
        )

    return place
