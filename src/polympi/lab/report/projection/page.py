"""The page of a projection, with its charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from markupsafe import Markup

from polympi.lab.conclusions.phrases import percent
from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import Scale, model_sentence, scales_of, summary
from polympi.lab.projection.model import Projected, Projection
from polympi.lab.report.assets import asset, assets, embedded_json, specification, template
from polympi.lab.report.charts import Palette, config, style
from polympi.lab.report.charts.style import unvalidated
from polympi.lab.report.projection.tables import KEY, against_table, arm_table, cost_table, network_sentence
from polympi.lab.report.vega import vega_runtime
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


_STYLES = ("base.css", "tables.css", "charts.css", "projection.css", "print.css")


@dataclass(frozen=True)
class _Chart:
    name: str
    title: str


def render_page(projection: Projection, found: Sequence[Miss] = ()) -> str:
    """The whole page: styles, script, charts and data inside; everything that comes from outside is escaped."""
    specs: dict[str, Any] = {}
    stacks = [(stack, _charts(projection, stack, specs)) for stack in projection.stacks]
    return template("projection.html.j2").render(
        projection=projection,
        generator=f"polympi {projection.polympi}",
        summary=summary(projection),
        model=model_sentence(projection),
        key=KEY,
        stacks=[
            {
                "name": stack.stack,
                "network": network_sentence(stack.network),
                "costs": cost_table(stack),
                "tables": [arm_table(projection, stack, arm) for arm in stack.arms if arm.shown],
                "charts": charts,
                "seconds": stack.seconds,
            }
            for stack, charts in stacks
        ],
        against=against_table(found) if found else None,
        answer=answer(list(found)) if found else "",
        charts_json=embedded_json(specs),
        themes_json=embedded_json({"light": config(dark=False), "dark": config(dark=True)}),
        css=assets(_STYLES),
        js=asset("theme.js"),
        vega=Markup(vega_runtime()),
    )


def _charts(projection: Projection, stack: Projected, specs: dict[str, Any]) -> list[_Chart]:
    arms = [arm for arm in stack.arms if arm.shown]
    cases: dict[str, list[Scale]] = {}
    for arm in arms:
        for scale in scales_of(projection, stack, arm):
            cases.setdefault(scale.title, []).append(scale)
    palette = Palette([arm.binding for arm in arms])
    charts = []
    for title, scales in cases.items():
        name = f"chart-{len(specs)}"
        with unvalidated():
            specs[name] = specification(share_over_ranks(scales, palette))
        charts.append(_Chart(name, title))
    return charts
