"""Published figures of Python's modules compared with the run's."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from polympi.lab.conclusions.phrases import listing, plain_ratio, rate
from polympi.lab.conclusions.phrases import size as size_words
from polympi.lab.conclusions.rows import Row
from polympi.lab.published import published
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.report import charts
from polympi.lab.report.charts import Palette
from polympi.lab.report.comparisons.comparison import Comparison, or_dash, point, select
from polympi.lab.statistics.model import Fit
from polympi.lab.units import format_ns


def bidirectional(stack: str, rows: Sequence[Row], palette: Palette) -> Comparison | None:
    """Bandwidth both ways, C over Python."""
    every = select(rows, "bibandwidth", "standard", "bytes")
    ours = [r for r in every if r.ratio_to_c and r.binding != REFERENCE]
    if not ours:
        return None
    table = published("osu_bibw_c_python")
    frame = table.frame.with_columns(ratio=pl.col("c_mb_per_s") / pl.col("python_mb_per_s"))
    theirs = dict(zip(frame["size_bytes"].to_list(), frame["ratio"].to_list(), strict=True))
    records: list[dict[str, Any]] = [point("published: mpi4py, 2024", s, v, True) for s, v in theirs.items()]
    records += [point(r.binding, r.size_bytes, r.ratio, False) for r in ours]
    bindings = palette.present({"binding": r.binding} for r in ours)
    by_key = {(r.binding, r.size_bytes): r.ratio for r in ours}
    of_c = {r.size_bytes: r.mb_per_s for r in every if r.binding == REFERENCE}
    published_c = dict(frame.select("size_bytes", "c_mb_per_s").iter_rows())
    sizes = sorted({s for _, s in by_key} & set(theirs))
    lines = [
        (
            size_words(s),
            rate(published_c[s]),
            or_dash(of_c.get(s), rate),
            plain_ratio(theirs[s]),
            *(or_dash(by_key.get((b, s)), plain_ratio) for b in bindings),
        )
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
    headers = ("size", "C, published", "C, here", "C over Python, published", *(f"C over {b}, here" for b in bindings))
    return Comparison(table.source, stack, said, headers, lines, chart)


def _ratio_at(row: Row) -> str:
    return f"{plain_ratio(row.ratio)} × at {size_words(row.size_bytes)}"


def modules(stack: str, fits: Sequence[Fit]) -> Comparison | None:
    """Latency and bandwidth of six Python modules, from fits."""
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
