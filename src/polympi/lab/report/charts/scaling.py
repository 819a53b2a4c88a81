"""The chart of an application with several numbers of ranks."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from polympi.lab.conclusions.phrases import percent, plain_ratio, size_words
from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette
from polympi.lab.statistics.scaling import ScalingRow
from polympi.lab.units import format_ns


def speedup_over_ranks(rows: Sequence[ScalingRow], palette: Palette) -> alt.LayerChart:
    """Speed-up over ranks, scaled in weak scaling, with the ideal; hollow where ranks outnumber processors."""
    records = [_record(row) for row in rows if row.speedup is not None]
    names = palette.present(records)
    ideal = [
        {"ranks": ranks, "ideal": ranks / row.base_ranks}
        for row in rows[:1]
        for ranks in sorted({record["ranks"] for record in records})
    ]
    chosen = style.highlight()
    ends = [record[name] for record in records for name in ("speedup", "low", "high")]
    title = "scaled speed-up" if any(row.weak for row in rows) else "speed-up"
    x = _ranks_axis([record["ranks"] for record in records])
    y = style.log_axis("speedup", title, [*ends, *(one["ideal"] for one in ideal)], "format(datum.value, '~g')")
    base = alt.Chart(style.dataset()).encode(x=x, color=style.colour(palette, names), opacity=style.faded(chosen))
    line = alt.Chart(style.dataset("ideal")).mark_line(strokeDash=[5, 4], strokeWidth=1.2, color="#8b93a1")
    name = alt.Chart(style.dataset("ideal_end")).mark_text(text="ideal", align="right", dx=-6, dy=-4, color="#8b93a1")
    points = base.mark_point(size=48, strokeWidth=1.8).encode(
        y=y,
        fill=alt.Fill("binding:N", scale=palette.scale(names), legend=style.legend()),
        shape=style.shape(palette, names),
        fillOpacity=style.hollow_unless("!datum.oversubscribed"),
        tooltip=style.tips(
            "binding",
            ranks_text="ranks",
            time_text="an iteration",
            speedup_text="speed-up",
            efficiency_text="efficiency",
        ),
    )
    layers = [
        line.encode(x=x, y=alt.Y("ideal:Q")),
        name.encode(x=x, y=alt.Y("ideal:Q")),
        base.mark_line(strokeWidth=1.8).encode(y=y).add_params(chosen),
        base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("low:Q"), y2=alt.Y2("high")),
        points,
    ]
    return style.layered(layers, 290, rows=records, ideal=ideal, ideal_end=ideal[-1:])


def _ranks_axis(ranks: Sequence[int]) -> alt.X:
    ticks = sorted(set(ranks))
    return alt.X(
        "ranks:Q",
        title="ranks",
        scale=alt.Scale(type="log", base=2, domain=[ticks[0], ticks[-1]], nice=False, padding=16),
        axis=alt.Axis(values=ticks, format="d", labelOverlap="greedy", grid=False),
    )


def _record(row: ScalingRow) -> dict[str, Any]:
    interval, problem = "", f", {size_words(row)}" if row.weak else ""
    if row.speedup_low is not None and row.speedup_high is not None:
        interval = f" ({plain_ratio(row.speedup_low)}–{plain_ratio(row.speedup_high)})"
    return {
        "binding": row.binding,
        "ranks": row.ranks,
        "ranks_text": f"{row.ranks}{', oversubscribed' if row.oversubscribed else ''}{problem}",
        "oversubscribed": row.oversubscribed,
        "time_text": format_ns(row.median_ns),
        "speedup": row.speedup,
        "low": row.speedup_low,
        "high": row.speedup_high,
        "speedup_text": f"{plain_ratio(row.speedup or 0.0)}{interval}",
        "efficiency_text": percent(row.efficiency or 0.0),
    }
