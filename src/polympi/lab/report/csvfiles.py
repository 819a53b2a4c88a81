"""The tables of an analysis as CSV files (columns: ``docs/results.md``)."""

from pathlib import Path

import polars as pl
import polars.selectors as cs

from polympi.lab.report.generator import write_text
from polympi.lab.report.studies import columns
from polympi.lab.statistics.factors import FACTOR_COLUMNS
from polympi.lab.statistics.limits import LIMIT_COLUMNS
from polympi.lab.statistics.model import SUMMARY_COLUMNS, Analysis
from polympi.lab.statistics.scaling import SCALING_COLUMNS

SUMMARY = "summary.csv"


def write_csv(analysis: Analysis, directory: Path) -> list[Path]:
    """Write ``summary.csv``, ``memory.csv`` and what else there is (docs/results.md); no figure is an empty field."""
    tables = {SUMMARY: analysis.summary.select(SUMMARY_COLUMNS), "memory.csv": analysis.memory}
    if analysis.scaling:
        tables["scaling.csv"] = pl.DataFrame(analysis.scaling, infer_schema_length=None).select(SCALING_COLUMNS)
    if analysis.limits:
        tables["limits.csv"] = pl.DataFrame(analysis.limits, infer_schema_length=None).select(LIMIT_COLUMNS)
    if analysis.factors:
        tables["factors.csv"] = pl.DataFrame(analysis.factors, infer_schema_length=None).select(FACTOR_COLUMNS)
    if analysis.run.study == "modules":
        tables["study.csv"] = pl.DataFrame(columns(analysis), infer_schema_length=None)
    return [write_text(directory / name, _text(frame)) for name, frame in tables.items()]


def _text(frame: pl.DataFrame) -> str:
    finite = frame.with_columns(
        pl.when(column.is_finite()).then(column) for column in map(pl.col, frame.select(cs.float()).columns)
    )
    return finite.write_csv()
