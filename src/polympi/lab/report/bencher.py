"""The rows of a run for Bencher, which follows benchmarks over commits (its Bencher Metric Format, JSON)."""

from pathlib import Path
from typing import Any

import msgspec

from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.records import AGAIN
from polympi.lab.report.generator import write_text
from polympi.lab.statistics.model import Analysis

LATENCY, RATIO = "latency", "ratio-to-c"  # its slugs of measures: its own, in ns, and one that a project adds


def write_bencher(analysis: Analysis, directory: Path) -> list[Path]:
    """Write ``bencher.json``: the time of each row, and its ratio to C, with their intervals."""
    rows = [row for row in rows_of(analysis) if row.binding != AGAIN and row.median_ns is not None]
    content = {name_of(row): _measures(row) for row in rows}
    text = msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
    return [write_text(directory / "bencher.json", text + "\n")]


def name_of(row: Row) -> str:
    """A row in one name: ``mpich/mpi4py/latency/standard/bytes/8``."""
    return "/".join((row.stack, row.binding, row.benchmark, row.mode, row.payload, str(row.size_bytes)))


def _measures(row: Row) -> dict[str, Any]:
    found = {LATENCY: _measure(row.median_ns, row.ci_low_ns, row.ci_high_ns)}
    if row.ratio_to_c is not None:
        found[RATIO] = _measure(row.ratio_to_c, row.ratio_low, row.ratio_high)
    return found


def _measure(value: float | None, low: float | None, high: float | None) -> dict[str, float | None]:
    ends = {} if low is None or high is None else {"lower_value": low, "upper_value": high}
    return {"value": value, **ends}
