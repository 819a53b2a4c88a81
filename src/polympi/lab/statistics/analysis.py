"""From a result directory to everything a report says about it."""

from dataclasses import astuple

import polars as pl

from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.factors import contrasts, factor_rows
from polympi.lab.statistics.guidelines import checks
from polympi.lab.statistics.keys import RowKey, invalid_rows
from polympi.lab.statistics.limits import limit_rows
from polympi.lab.statistics.lines import fits_of, overheads_of
from polympi.lab.statistics.memory import memory_table
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import ROW, operation_times
from polympi.lab.statistics.scaling import scaling_rows
from polympi.lab.statistics.summary import floors_of, summarise
from polympi.lab.statistics.tools import tool_rows

_MEDIAN_COLUMNS = ("stack", "block", "binding", "benchmark", "mode", "payload", "size_bytes", "ranks", "median_ns")


def analyse(directory: RunDirectory) -> Analysis:
    """Analyse a run, complete or not.

    Launches that did not end well and calibration launches take no part. What one operation is, and how the
    cost of the clock is taken off, says :mod:`~polympi.lab.statistics.operations`; what the columns mean,
    ``docs/results.md``.

    A launch of which the samples or the line in ``launches.jsonl`` are damaged does not count, and is reported in
    ``launches`` (outcome ``lost``) or ``damaged_lines``.

    Raises:
        ResultError: ``run.json`` is damaged, or the run is of another version of polympi.
    """
    run, outcome, launches = directory.run(), directory.outcome(), directory.launches()
    invalid = invalid_rows(launches)
    times, launches = operation_times(directory, launches)
    tool_launches = directory.tool_launches()
    environment, measured = directory.environment(), _launch_medians(times, invalid)
    medians = measured.drop("communication")
    floors = floors_of(medians)
    return Analysis(
        run=run,
        environment=environment,
        outcome=outcome,
        launches=launches,
        summary=summarise(times, medians, run, outcome, invalid),
        launch_medians=medians,
        memory=memory_table(launches),
        fits=fits_of(medians),
        overheads=overheads_of(medians),
        tools=tool_rows(tool_launches, medians),
        tool_launches=tool_launches,
        scaling=scaling_rows(measured, run, launches, environment),
        limits=limit_rows(medians, run, environment),
        factors=factor_rows(medians, run, launches, floors) if contrasts(run) else [],
        guidelines=checks(medians, floors),
        demands=directory.demands(),
        damaged_lines=directory.damaged_lines(),
        damaged_files=directory.damaged_files(),
    )


def launch_medians(directory: RunDirectory) -> pl.DataFrame:
    """The launch medians of a run alone, as in :class:`~polympi.lab.statistics.model.Analysis`.

    Raises:
        ResultError: as of :func:`analyse`.
    """
    launches = directory.launches()
    times, launches = operation_times(directory, launches)
    return _launch_medians(times, invalid_rows(launches)).drop("communication")


def _launch_medians(times: pl.DataFrame, invalid: set[RowKey]) -> pl.DataFrame:
    """The launch medians of all valid rows, with ``communication``; invalid rows aren't measurements."""
    refused = pl.DataFrame([astuple(row) for row in invalid], schema={c: times.schema[c] for c in ROW}, orient="row")
    valid = times.select(*_MEDIAN_COLUMNS, "communication").drop_nulls("median_ns").join(refused, on=ROW, how="anti")
    return valid.sort("stack", "binding", "benchmark", "mode", "payload", "ranks", "size_bytes", "block")
