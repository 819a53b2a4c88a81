"""Charts of single figures of each binding: modes at one size, start-up, memory."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from polympi.lab.conclusions.rows import Row
from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette
from polympi.lab.units import format_bytes, format_ns

_STARTUP = {"first-barrier": "launch to first barrier", "import": "loading the binding", "init": "MPI_Init_thread"}
_MEMORY_LABEL = "format(datum.value / 1e6, ',~r') + ' MB'"


def modes_at_size(rows: Sequence[Row], palette: Palette) -> alt.LayerChart:
    """Time of every mode of one benchmark and payload at one size with intervals, one line per mode."""
    return _dots(rows, palette, {mode: mode for mode in dict.fromkeys(row.mode for row in rows)}, linear=False)


def startup(rows: Sequence[Row], palette: Palette) -> alt.LayerChart:
    """From launch to first barrier, loading the binding, and ``MPI_Init_thread``, with intervals."""
    return _dots([row for row in rows if row.mode in _STARTUP], palette, _STARTUP, linear=True)


def memory(frame: pl.DataFrame, palette: Palette) -> alt.LayerChart:
    """Memory of a process after the first barrier: a bar for its proportional share, a tick for its resident set."""
    records: list[dict[str, Any]] = [
        {"binding": b, "pss": pss, "rss": rss, "pss_text": format_bytes(pss), "rss_text": format_bytes(rss)}
        for b, pss, rss in frame.select("binding", "pss_bytes", "rss_bytes").iter_rows()
        if pss
    ]
    names = palette.present(records)
    tooltip = style.tips("binding", pss_text="PSS", rss_text="RSS")
    axis = alt.Axis(labelExpr=_MEMORY_LABEL, tickCount=6, labelOverlap="greedy")
    title = "memory of a process: bar PSS, tick RSS"
    base = alt.Chart(style.dataset()).encode(
        y=alt.Y("binding:N", title=None, sort=names, axis=alt.Axis(ticks=False, domain=False)), tooltip=tooltip
    )
    bars = base.mark_bar(height=18, cornerRadiusEnd=3).encode(
        x=alt.X("pss:Q", title=title, axis=axis), color=alt.Color("binding:N", scale=palette.scale(names), legend=None)
    )
    labels = base.mark_text(align="left", dx=6).encode(x=alt.X("pss:Q"), text=alt.Text("pss_text:N"))
    ticks = base.mark_tick(thickness=2, size=24).encode(
        x=alt.X("rss:Q"), color=alt.Color("binding:N", scale=palette.scale(names), legend=None)
    )
    return style.layered([bars, ticks, labels], 20 + 36 * max(1, len(names)), each=(names, 36), rows=records)


def _dots(rows: Sequence[Row], palette: Palette, groups: dict[str, str], *, linear: bool) -> alt.LayerChart:
    records: list[dict[str, Any]] = [
        {
            "binding": row.binding,
            "group": groups[row.mode],
            "ns": row.median_ns,
            "low": row.ci_low_ns,
            "high": row.ci_high_ns,
            "time": format_ns(row.median_ns),
            "verdict": row.verdict,
        }
        for row in rows
        if row.median_ns is not None
    ]
    names = palette.present(records)
    order = [label for label in groups.values() if any(r["group"] == label for r in records)]
    chosen = style.highlight()
    scale, x_axis = _time_axis([r[key] for r in records for key in ("low", "ns", "high")], linear=linear)
    base = alt.Chart(style.dataset()).encode(
        y=alt.Y(
            "group:N",
            title=None,
            sort=order,
            scale=alt.Scale(paddingInner=0.35),
            axis=alt.Axis(ticks=False, domain=False, grid=False),
        ),
        yOffset=alt.YOffset("binding:N", sort=names),
        color=style.colour(palette, names),
    )
    bars = base.mark_rule(strokeWidth=1.4).encode(
        x=alt.X("low:Q", title="time", scale=scale, axis=x_axis), x2=alt.X2("high"), opacity=style.faded(chosen)
    )
    points = base.mark_point(filled=True, size=54).encode(
        x=alt.X("ns:Q", title="time", scale=scale, axis=x_axis),
        shape=style.shape(palette, names),
        opacity=style.faded(chosen),
        tooltip=style.tips("binding", group="figure", time="median", verdict="verdict"),
    )
    height = 20 + (16 + 13 * max(1, len(names))) * max(1, len(order))
    each = 13 * max(1, len(order))
    return style.layered([bars.add_params(chosen), points], height, each=(names, each), rows=records)


def _time_axis(values: Sequence[float | None], *, linear: bool) -> tuple[alt.Scale, alt.Axis]:
    """From zero where amounts are compared; logarithmic where factors are, which one wide interval cannot squash."""
    if linear:
        return alt.Scale(zero=True), alt.Axis(labelExpr=style.TIME_LABEL, tickCount=6, labelOverlap="greedy")
    low, high, ticks = style.decades(values)
    scale = alt.Scale(type="log", domain=[low / 1.05, high * 1.05], nice=False)
    return scale, alt.Axis(values=ticks, labelExpr=style.TIME_LABEL, labelOverlap="greedy")
