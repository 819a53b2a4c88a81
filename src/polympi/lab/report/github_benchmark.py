"""The rows of a run for github-action-benchmark, which draws benchmarks over commits."""

from pathlib import Path
from typing import Any

import msgspec

from polympi.lab.conclusions.phrases import plain_ratio
from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.report.bencher import name_of
from polympi.lab.report.generator import write_text
from polympi.lab.statistics.model import Analysis


def write_github_benchmark(analysis: Analysis, directory: Path) -> list[Path]:
    """Write a file for each of its tools: ratios to C (``customSmallerIsBetter``), rates (``customBiggerIsBetter``)."""
    rows = [row for row in rows_of(analysis) if row.binding not in (REFERENCE, AGAIN)]
    ratios = [_ratio(row) for row in rows if row.ratio_to_c is not None]
    rates = [{"name": name_of(row), "unit": "MB/s", "value": row.mb_per_s} for row in rows if row.mb_per_s is not None]
    return [
        write_text(directory / f"benchmark-{which}.json", _text(entries))
        for which, entries in (("smaller", ratios), ("bigger", rates))
    ]


def _ratio(row: Row) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": name_of(row), "unit": "times C", "value": row.ratio_to_c}
    if row.ratio_low is not None and row.ratio_high is not None:
        entry["range"] = f"{plain_ratio(row.ratio_low)} to {plain_ratio(row.ratio_high)}"
    return entry | {"extra": row.verdict}


def _text(entries: list[dict[str, Any]]) -> str:
    return msgspec.json.format(msgspec.json.encode(entries), indent=2).decode() + "\n"
