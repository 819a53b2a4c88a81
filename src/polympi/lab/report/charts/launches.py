"""Charts of what lies behind a row: its launches and its single events."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from polympi.lab.conclusions.rows import Row, example_size, representative_sizes
from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette
from polympi.lab.units import format_ns

_PERCENTILES = (("p50", "p50_ns"), ("p90", "p90_ns"), ("p99", "p99_ns"), ("p99.9", "p999_ns"), ("max", "max_ns"))


def launch_distribution(medians: pl.DataFrame, palette: Palette) -> alt.LayerChart:
    """One point per launch, at the median of its batches, in block order; of the representative sizes of the family."""
    sizes = representative_sizes(medians["size_bytes"].to_list())
    shown = medians.filter(pl.col("size_bytes").is_in(sizes) & pl.col("median_ns").is_not_null())
    records: list[dict[str, Any]] = [
        {"binding": b, "size": s, "block": k + 1, "ns": ns, "time": format_ns(ns)}
        for b, s, k, ns in shown.select("binding", "size_bytes", "block", "median_ns").iter_rows()
    ]
    names = palette.present(records)
    size = style.size_chooser(sizes, example_size(sizes))
    _, _, ticks = style.decades((r["ns"] for r in records), digits=(1, 1.5, 2, 3, 5, 7))
    base = alt.Chart(style.dataset()).transform_filter("datum.size === chosen_size")
    colour = alt.Color("binding:N", scale=palette.scale(names), legend=None)
    y = alt.Y("binding:N", title=None, sort=names, axis=alt.Axis(grid=False, ticks=False, domain=False))
    x = alt.X(
        "ns:Q",
        title="median of a launch",
        scale=alt.Scale(type="log", nice=False, padding=16),
        axis=alt.Axis(values=ticks, labelExpr=style.TIME_LABEL, labelOverlap="greedy", labelSeparation=12),
    )
    middle = base.mark_tick(thickness=2, size=40, opacity=0.55).encode(
        x=alt.X("median(ns):Q", title="median of a launch"), y=y, color=colour
    )
    points = base.mark_point(filled=True, size=30, opacity=0.8).encode(
        x=x,
        y=y,
        yOffset=alt.YOffset("block:O"),
        color=colour,
        tooltip=[
            alt.Tooltip("binding:N", title="binding"),
            alt.Tooltip("block:O", title="block"),
            alt.Tooltip("time:N", title="median"),
        ],
    )
    height = 34 + 44 * max(1, len(names))
    return style.layered([middle, points.add_params(size)], height, each=(names, 44), rows=records)


def event_percentiles(rows: Sequence[Row], palette: Palette) -> alt.LayerChart:
    """Percentiles of the single events of a family at representative sizes, from the median to the slowest one seen."""
    sizes = representative_sizes(row.size_bytes for row in rows if row.p50_ns is not None)
    records: list[dict[str, Any]] = []
    for row in rows:
        for label, field in _PERCENTILES:
            ns = getattr(row, field)
            if label == "p99.9" and ns == row.max_ns:  # of fewer than 1000 events it is the slowest one
                continue
            if row.size_bytes in sizes and ns is not None and ns > 0:
                record = {"binding": row.binding, "size": row.size_bytes, "percentile": label, "ns": ns}
                records.append(record | {"time": format_ns(ns)})
    names = palette.present(records)
    chosen = style.highlight()
    size = style.size_chooser(sizes, example_size(sizes))
    base = (
        alt.Chart(style.dataset())
        .transform_filter("datum.size === chosen_size")
        .encode(
            x=alt.X(
                "percentile:O",
                title="percentile of single operations",
                sort=[label for label, _ in _PERCENTILES],
                axis=alt.Axis(labelAngle=0),
                scale=alt.Scale(padding=0.3),
            ),
            y=style.log_axis("ns", "time", (r["ns"] for r in records), style.TIME_LABEL, filtered=True),
            color=style.colour(palette, names),
        )
    )
    lines = base.mark_line(strokeWidth=1.8).encode(opacity=style.faded(chosen))
    points = base.mark_point(filled=True, size=44).encode(
        shape=style.shape(palette, names),
        opacity=style.faded(chosen),
        tooltip=[
            alt.Tooltip("binding:N", title="binding"),
            alt.Tooltip("percentile:O", title="percentile"),
            alt.Tooltip("time:N", title="time"),
        ],
    )
    return style.layered([lines.add_params(chosen, size), points], 260, rows=records)
