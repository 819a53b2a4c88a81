"""Published figures beside those of the run, where both measure the same."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from polympi.lab.conclusions.phrases import listing, plain_ratio, rate
from polympi.lab.conclusions.phrases import size as size_words
from polympi.lab.conclusions.rows import Row, rows_of, stacks_of
from polympi.lab.published import Source, published
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.report import charts
from polympi.lab.report.charts import Palette
from polympi.lab.report.charts.style import RATE_LABEL
from polympi.lab.statistics.model import Analysis, Fit
from polympi.lab.units import format_ns

_PINGS = 10_000  # one-way messages in half of the loop that the ping table timed
_MBIT_IN_MB = 0.125  # 1 Mbit of that table is 125,000 bytes
_PLACEMENTS = {
    "one_node_nodes1": "one node",
    "one_node_slots2_nodes2": "one node, two slots",
    "two_nodes_same_host_nodes3": "two nodes on one host",
    "two_nodes_two_hosts_nodes4": "two hosts",
}


@dataclass(frozen=True)
class Comparison:
    """A published table beside the run.

    Attributes:
        source: where the published figures come from.
        stack: the stack of the run that is set beside them.
        statement: what both say, in a sentence or two; computed.
        headers: column titles of the table; the first column is text, the others are figures.
        lines: the table.
        chart: a chart, if the figures are a series over size.
    """

    source: Source
    stack: str
    statement: str
    headers: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]
    chart: alt.LayerChart | None = None


def comparisons(analysis: Analysis, palette: Palette, shown: Container[str]) -> list[Comparison]:
    """All published tables that measure what the run measured, for each stack.

    Args:
        analysis: the run.
        palette: colours of the run.
        shown: the bindings that are set beside them, and C.
    """
    rows = [row for row in rows_of(analysis) if row.median_ns is not None]
    rows = [row for row in rows if row.binding == REFERENCE or row.binding in shown]
    found: list[Comparison | None] = []
    for stack in stacks_of(analysis):
        own = [row for row in rows if row.stack == stack]
        fits = [
            fit for fit in analysis.fits if fit.stack == stack and (fit.binding == REFERENCE or fit.binding in shown)
        ]
        found += [
            _bidirectional(stack, own, palette),
            _pings(stack, own),
            _stream(stack, own, palette),
            _modules(stack, fits),
            _ping_pong_csharp(stack, own),
        ]
    return [one for one in found if one is not None]


def _bidirectional(stack: str, rows: Sequence[Row], palette: Palette) -> Comparison | None:
    ours = [r for r in _select(rows, "bibandwidth", "standard", "bytes") if r.ratio_to_c and r.binding != REFERENCE]
    if not ours:
        return None
    table = published("osu_bibw_c_python")
    frame = table.frame.with_columns(ratio=pl.col("c_mb_per_s") / pl.col("python_mb_per_s"))
    theirs = dict(zip(frame["size_bytes"].to_list(), frame["ratio"].to_list(), strict=True))
    records: list[dict[str, Any]] = [_point("published: mpi4py, 2024", s, v, True) for s, v in theirs.items()]
    records += [_point(r.binding, r.size_bytes, r.ratio, False) for r in ours]
    bindings = palette.present({"binding": r.binding} for r in ours)
    by_key = {(r.binding, r.size_bytes): r.ratio for r in ours}
    sizes = sorted({s for _, s in by_key} & set(theirs))
    lines = [
        (size_words(s), plain_ratio(theirs[s]), *(_or_dash(by_key.get((b, s)), plain_ratio) for b in bindings))
        for s in sizes
    ]
    low, high = min(theirs), max(theirs)
    said = f"Published: C moves {plain_ratio(theirs[low])} × the bytes of Python at {size_words(low)} and "
    said += f"{plain_ratio(theirs[high])} × at {size_words(high)}."
    parts = []
    for binding in bindings:
        own = [r for r in ours if r.binding == binding]
        ends = listing(dict.fromkeys((_ratio_at(own[0]), _ratio_at(own[-1]))))
        parts.append(f"those of {binding} {ends}")
    said += f" Here: {'; '.join(parts)}."
    chart = charts.series_over_size(records, palette, "C's bandwidth as a multiple", "format(datum.value, '~g')")
    headers = ("size", "published", *(f"{b}, here" for b in bindings))
    return Comparison(table.source, stack, said, headers, lines, chart)


def _ratio_at(row: Row) -> str:
    return f"{plain_ratio(row.ratio)} × at {size_words(row.size_bytes)}"


def _pings(stack: str, rows: Sequence[Row]) -> Comparison | None:
    standard_rows, synchronous_rows = (
        {r.size_bytes: r for r in _select(rows, "latency", mode, "bytes", REFERENCE)}
        for mode in ("standard", "synchronous")
    )
    a = _nearest([r for size, r in standard_rows.items() if size in synchronous_rows], 1)
    if a is None:
        return None
    b = synchronous_rows[a.size_bytes]
    table = published("send_ssend_ping")
    times = {(p, m): seconds / _PINGS * 1e9 for p, m, seconds in table.frame.iter_rows()}
    lines = []
    for placement in dict.fromkeys(p for p, _ in times):
        standard, synchronous = times[placement, "standard"], times[placement, "synchronous"]
        label = f"published, {_PLACEMENTS.get(placement, placement)}"
        ratio = plain_ratio(synchronous / standard)
        lines.append((label, "1 B", format_ns(standard), format_ns(synchronous), ratio))
    size = size_words(a.size_bytes)
    ratio = plain_ratio(b.median_ns / a.median_ns) if a.median_ns and b.median_ns else "–"
    lines.append((f"C on {stack}, here", size, _median(a), _median(b), ratio))
    said = "One way of a ping-pong from C. "
    said += (
        f"Published, on one node: a synchronous send takes {lines[0][4]} × a standard one; here {ratio} × at {size}."
    )
    return Comparison(table.source, stack, said, ("", "size", "standard", "synchronous", "ratio"), lines)


def _stream(stack: str, rows: Sequence[Row], palette: Palette) -> Comparison | None:
    ours = [r for r in _select(rows, "stream", "standard", "bytes", REFERENCE) if r.mb_per_s]
    if not ours:
        return None
    table = published("send_ssend_bandwidth")
    theirs = table.frame.filter((pl.col("placement") == "one_node_nodes1") & (pl.col("row") > 0))
    records: list[dict[str, Any]] = []
    for mode in ("standard", "synchronous"):
        for size, mbit in theirs.filter(pl.col("mode") == mode).select("size_bytes", "mbit_per_s").iter_rows():
            records.append(_point(f"published: one node, {mode}", size, mbit * _MBIT_IN_MB, True, rate))
    records += [_point(REFERENCE, r.size_bytes, r.mb_per_s or 0.0, False, rate) for r in ours]
    best = max(ours, key=lambda r: r.mb_per_s or 0.0)
    peak = max((r for r in records if r["published"]), key=lambda r: r["value"])
    said = (
        f"Blocking sends in a row. Published, on one node: up to {peak['text']} at {peak['size_text']}, nothing "
        f"acknowledged; here C reaches {rate(best.mb_per_s or 0.0)} at {size_words(best.size_bytes)}, acknowledged."
    )
    chart = charts.series_over_size(records, palette, "bandwidth", RATE_LABEL)
    lines = [(r["binding"], r["size_text"], r["text"]) for r in records]
    return Comparison(table.source, stack, said, ("series", "size", "bandwidth"), lines, chart)


def _modules(stack: str, fits: Sequence[Fit]) -> Comparison | None:
    ours = [f for f in fits if (f.benchmark, f.mode, f.payload) == ("latency", "standard", "bytes")]
    ours = [f for f in ours if f.binding != AGAIN and f.segments]
    reference = next((f for f in ours if f.binding == REFERENCE), None)
    if reference is None:
        return None
    table = published("python_modules_pingpong_fit")
    theirs = {module: (latency, bandwidth) for module, latency, bandwidth in table.frame.iter_rows()}
    c_latency = theirs["C"][0]
    lines = [
        (f"published: {module}", f"{latency:g} µs", rate(bandwidth), plain_ratio(latency / c_latency))
        for module, (latency, bandwidth) in theirs.items()
    ]
    base = reference.segments[0].latency_ns
    ratios = {}
    for fit in ours:
        first, last = fit.segments[0], fit.segments[-1]
        bandwidth = rate(last.bandwidth_mb_per_s) if last.bandwidth_mb_per_s is not None else "–"
        ratios[fit.binding] = plain_ratio(first.latency_ns / base) if base > 0 else "–"
        lines.append((f"{fit.binding} on {stack}, here", format_ns(first.latency_ns), bandwidth, ratios[fit.binding]))
    said = f"Published: mpi4py's fitted latency is {plain_ratio(theirs['mpi4py'][0] / c_latency)} × that of C."
    others = [name for name in ratios if name != REFERENCE]
    if others:
        said += " Here: " + ", ".join(f"{name} {ratios[name]} ×" for name in others) + "."
    said += " Our latency is that of the first protocol segment, our bandwidth that of the last, where a line fits it."
    return Comparison(table.source, stack, said, ("", "latency", "bandwidth", "latency / C"), lines)


def _ping_pong_csharp(stack: str, rows: Sequence[Row]) -> Comparison | None:
    families = (_select(rows, "latency", "standard", payload) for payload in ("int", "bytes"))
    nearest: dict[str, Row] = {}
    for family in families:
        for binding in dict.fromkeys(r.binding for r in family):
            row = _nearest([r for r in family if r.binding == binding], 4)
            if row is not None and row.ratio_to_c is not None and binding != REFERENCE:
                nearest.setdefault(binding, row)
    if not nearest:
        return None
    table = published("mpi_net")
    theirs = table.frame.filter(pl.col("test").str.starts_with("ping_pong"))
    lines = [
        (f"published: C#, {parameter}", f"{c:g} s", f"{cs:g} s", plain_ratio(cs / c))
        for parameter, c, cs in theirs.select("parameter", "c", "csharp").iter_rows()
    ]
    said = f"Published: a ping-pong of {theirs['parameter'][0]} takes C# {lines[0][3]} × the time of C. Here: "
    parts = []
    for binding, row in nearest.items():
        case = (row.family, row.size_bytes, REFERENCE)
        reference = next((r for r in rows if (r.family, r.size_bytes, r.binding) == case), None)
        what = f"one {row.payload}" if row.payload == "int" else size_words(row.size_bytes)
        lines.append((f"{binding} on {stack}, {what}", _median(reference), _median(row), plain_ratio(row.ratio)))
        parts.append(f"{binding} {plain_ratio(row.ratio)} × ({what})")
    headers = ("", "C", "other", "ratio")
    return Comparison(table.source, stack, said + ", ".join(parts) + ".", headers, lines)


def _select(rows: Iterable[Row], benchmark: str, mode: str, payload: str, binding: str | None = None) -> list[Row]:
    chosen = [r for r in rows if (r.benchmark, r.mode, r.payload) == (benchmark, mode, payload)]
    return sorted((r for r in chosen if binding in (None, r.binding)), key=lambda r: r.size_bytes)


def _nearest(rows: Sequence[Row], size: int) -> Row | None:
    """The row of the size nearest to another on a logarithmic scale; 0 B, an empty message, is none."""
    candidates = [r for r in rows if r.size_bytes > 0]
    return min(candidates, key=lambda r: max(r.size_bytes / size, size / r.size_bytes), default=None)


def _point(
    series: str, size: int, value: float, is_published: bool, form: Callable[[float], str] = plain_ratio
) -> dict[str, Any]:
    record = {"binding": series, "size": size, "size_text": size_words(size), "value": value}
    return record | {"text": form(value), "published": is_published}


def _median(row: Row | None) -> str:
    return "–" if row is None or row.median_ns is None else format_ns(row.median_ns)


def _or_dash(value: float | None, form: Callable[[float], str]) -> str:
    return "–" if value is None else form(value)
