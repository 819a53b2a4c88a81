"""The chart of a projection: what a binding adds, over the number of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from polympi.lab.conclusions.phrases import percent
from polympi.lab.projection.conclusions import Scale
from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette
from polympi.lab.units import format_ns

LEAST = 1e-4  # shares below this are drawn there: on a logarithmic axis nothing has no place


def share_over_ranks(scales: Sequence[Scale], palette: Palette) -> alt.LayerChart:
    """What each binding adds to C's time in one case, with its interval; dashed where its collective is built."""
    records = [_record(scale, row) for scale in scales for row in scale.rows]
    names = palette.present(records)
    ticks = sorted({record["ranks"] for record in records})
    x = alt.X(
        "ranks:Q",
        title="ranks",
        scale=alt.Scale(type="log", base=2, domain=[ticks[0], ticks[-1]], nice=False, padding=16),
        axis=alt.Axis(values=ticks, format="d", labelOverlap="greedy", grid=False),
    )
    ends = [record[name] for record in records for name in ("share", "low", "high")]
    y = style.log_axis("share", "added to C's time", ends, "format(datum.value, '~%')")
    base = alt.Chart(style.dataset()).encode(x=x, detail="style:N", color=style.colour(palette, names))
    layers = [
        base.mark_line(strokeWidth=1.8).encode(y=y, strokeDash=style.dashed_if("datum.style === 'built'", [5, 4])),
        base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("low:Q"), y2=alt.Y2("high")),
        base.mark_point(size=40, filled=True).encode(
            y=y,
            tooltip=[
                alt.Tooltip("binding:N", title="binding"),
                alt.Tooltip("style:N", title="collective"),
                alt.Tooltip("ranks:Q", title="ranks"),
                alt.Tooltip("c_text:N", title="C"),
                alt.Tooltip("share_text:N", title="added"),
            ],
        ),
    ]
    return style.layered(layers, 230, rows=records)


def _record(scale: Scale, row: Any) -> dict[str, Any]:
    low, high = sorted((row.low_ns, row.high_ns))
    return {
        "binding": row.binding,
        "style": scale.style,
        "ranks": row.ranks,
        "share": max(LEAST, row.ratio - 1.0),
        "low": max(LEAST, low / row.c_ns - 1.0),
        "high": max(LEAST, high / row.c_ns - 1.0),
        "c_text": format_ns(row.c_ns),
        "share_text": f"{format_ns(row.added_ns)}, {percent(row.ratio - 1.0)}",
    }
