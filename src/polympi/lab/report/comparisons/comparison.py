"""A published table compared with a run, and how its rows are found."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from polympi.lab.conclusions.phrases import plain_ratio
from polympi.lab.conclusions.phrases import size as size_words
from polympi.lab.conclusions.rows import Row
from polympi.lab.published import Source
from polympi.lab.units import format_ns


@dataclass(frozen=True)
class Comparison:
    """A published table compared with the run."""

    source: Source
    stack: str
    statement: str
    headers: tuple[str, ...]  # column titles of the table; the first column is text, the others are figures
    lines: Sequence[tuple[str, ...]]
    chart: alt.LayerChart | None = None  # a chart, if the figures are a series over size


def select(rows: Iterable[Row], benchmark: str, mode: str, payload: str, binding: str | None = None) -> list[Row]:
    """The rows of a benchmark, mode and payload, of all bindings or of one, by size."""
    chosen = [r for r in rows if (r.benchmark, r.mode, r.payload) == (benchmark, mode, payload)]
    return sorted((r for r in chosen if binding in (None, r.binding)), key=lambda r: r.size_bytes)


def nearest(rows: Sequence[Row], size: int) -> Row | None:
    """The row of the size nearest to another on a logarithmic scale; 0 B, an empty message, is none."""
    candidates = [r for r in rows if r.size_bytes > 0]
    return min(candidates, key=lambda r: max(r.size_bytes / size, size / r.size_bytes), default=None)


def point(
    series: str, size: int, value: float, is_published: bool, form: Callable[[float], str] = plain_ratio
) -> dict[str, Any]:
    """A point of a chart over size."""
    record = {"binding": series, "size": size, "size_text": size_words(size), "value": value}
    return record | {"text": form(value), "published": is_published}


def median_words(row: Row | None) -> str:
    """The time of a row; a dash where there is none."""
    return "–" if row is None or row.median_ns is None else format_ns(row.median_ns)


def or_dash(value: float | None, form: Callable[[float], str]) -> str:
    """A figure, or a dash where there is none."""
    return "–" if value is None else form(value)
