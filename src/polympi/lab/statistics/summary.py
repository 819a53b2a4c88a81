"""The table of a run, one row for each stack, binding and case (columns: ``docs/results.md``)."""

import math
from typing import Any

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.records import AGAIN, REFERENCE, Outcome, RunRecord
from polympi.lab.statistics.effects import PairedEffect, paired_effect
from polympi.lab.statistics.floor import noise_floors
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.model import SUMMARY_COLUMNS
from polympi.lab.statistics.operations import ROW
from polympi.lab.statistics.pairs import pairs_of
from polympi.lab.statistics.spread import count_outliers, percentiles
from polympi.lab.statistics.stopping import Stops
from polympi.lab.statistics.verdicts import INVALID, REFERENCE_ROW, family_q_values, verdict

_TEXT = {"stack", "binding", "benchmark", "payload", "mode", "verdict", "stopped_by"}
_COUNTS = {"size_bytes", "ranks", "launches", "samples", "outliers"}
SUMMARY_SCHEMA: dict[str, type[pl.DataType]] = {
    name: pl.String if name in _TEXT else pl.Int64 if name in _COUNTS else pl.Float64 for name in SUMMARY_COLUMNS
}


def summarise(
    times: pl.DataFrame, launch_medians: pl.DataFrame, run: RunRecord, outcome: Outcome | None, invalid: set[RowKey]
) -> pl.DataFrame:
    """The summary of a run, from the times of :func:`operations.operation_times` and the medians of its valid rows.

    The record of the run gives the order of stacks and bindings and the rule that was to stop the rows. Rows that
    failed a validation have no effect, whatever was timed, and are no counterpart.
    """
    cells = {RowKey(*key): cell for key, cell in times.partition_by(ROW, as_dict=True).items()}
    pairs = pairs_of(launch_medians)
    effects = {key: paired_effect(p.binding, p.reference) for key, p in pairs.items()}
    q_values, floors = family_q_values(pairs), _floors(effects)
    stops = Stops(run, outcome)
    rows = []
    for key in sorted(cells.keys() | invalid, key=_report_order(run)):
        floor = 0.0 if key.binding == AGAIN else floors.get(key.of(AGAIN))
        followed = pairs.get(key.of(AGAIN) if key.binding == REFERENCE else key)
        rows.append(
            {column: getattr(key, column) for column in ROW}
            | _location(cells.get(key))
            | _effect_columns(effects.get(key))
            | {
                "q_value": q_values.get(key),
                "floor_ratio": None if floor is None or key.binding in (REFERENCE, AGAIN) else math.exp(floor),
                "verdict": _verdict(key, key in invalid, effects.get(key), floor, q_values.get(key)),
                "stopped_by": stops.of(
                    key, followed.differences if followed else [], followed.log_ratios if followed else []
                ),
            }
        )
    return pl.DataFrame(rows, schema=SUMMARY_SCHEMA)


def floors_of(launch_medians: pl.DataFrame) -> dict[RowKey, float]:
    """The noise floor of every case that the A/A arm measured often enough, under the row of the A/A arm."""
    return _floors({key: paired_effect(p.binding, p.reference) for key, p in pairs_of(launch_medians).items()})


def _floors(effects: dict[RowKey, PairedEffect]) -> dict[RowKey, float]:
    return noise_floors({k: e.log_interval for k, e in effects.items() if k.binding == AGAIN and e.log_interval})


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
    median = float(np.median(medians)) if medians.size else None
    batches = cell["batches_ns"].explode().drop_nulls().to_numpy()
    interval = median_interval(medians)
    is_launch_figure = BENCHMARKS[cell["benchmark"][0]].launch_figure
    return {
        "launches": len(medians),
        "median_ns": median,
        "ci_low_ns": interval.low if interval else None,
        "ci_high_ns": interval.high if interval else None,
        "confidence": interval.coverage if interval else None,
        "mb_per_s": 1000 * cell["size_bytes"][0] / median
        if cell["size_bytes"][0] and median
        else None,  # B/ns: 1000 MB/s
        "samples": len(batches),
        # The one batch of a launch figure is its median: counted once.
        "outliers": count_outliers(medians) + (0 if is_launch_figure else count_outliers(batches)),
    } | percentiles(cell["events_ns"].explode().drop_nulls().to_numpy())


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
