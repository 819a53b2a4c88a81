"""The page of a history, with a chart per benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from markupsafe import Markup

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.changes import relative
from polympi.lab.conclusions.history import RATES, day
from polympi.lab.conclusions.order import languages_of
from polympi.lab.conclusions.phrases import plain_ratio
from polympi.lab.report.assets import asset, assets, embedded_json, specification, template
from polympi.lab.report.charts import Palette, config, style
from polympi.lab.report.charts.style import unvalidated
from polympi.lab.report.history.tables import run_table, series_table, step_table
from polympi.lab.report.vega import vega_runtime
from polympi.lab.statistics.history.model import History, Point, Series, Step
from polympi.lab.statistics.history.runs import Run

_STYLES = ("base.css", "tables.css", "charts.css", "projection.css", "print.css")


def ratio_over_runs(
    series: Sequence[Series], steps: Sequence[Step], runs: Sequence[Run], palette: Palette
) -> alt.LayerChart:
    """The ratio to C of each binding in each run, with its interval; a dashed line where one changed."""
    records = [_record(one, point, runs) for one in series for point in one.points]
    marks = [{"binding": s.binding, "run": s.run, "text": f"{relative(s.change)} {s.verdict}"} for s in steps]
    names = palette.present(records)
    x = alt.X(
        "run:Q",
        title="run",
        scale=alt.Scale(domain=[1, max(2, len(runs))], nice=False, padding=12),
        axis=alt.Axis(format="d", tickMinStep=1, grid=False, labelOverlap="greedy"),
    )
    ends = [record[name] for record in records for name in ("ratio", "low", "high")]
    low, high, _ = style.decades(ends)
    ticks = style.ratio_ticks(low / 1.05, high * 1.05)
    y = alt.Y(
        "ratio:Q",
        title="time over C's",
        scale=alt.Scale(type="log", domain=[low / 1.05, high * 1.05], nice=False),
        axis=alt.Axis(values=ticks, format="~g", labelOverlap="greedy"),
    )
    chosen = style.highlight()
    base = alt.Chart(style.dataset()).encode(x=x, color=style.colour(palette, names), opacity=style.faded(chosen))
    changed = alt.Chart(style.dataset("steps")).encode(
        x=alt.X("run:Q"),
        color=style.colour(palette, names),
        opacity=style.faded(chosen),
        tooltip=style.tips("binding", text="change"),
    )
    layers = [
        base.mark_line(strokeWidth=1.6).encode(y=y).add_params(chosen),
        base.mark_rule(strokeWidth=1.1).encode(y=alt.Y("low:Q"), y2=alt.Y2("high")),
        changed.mark_rule(strokeWidth=1.4, strokeDash=[4, 3]),
        base.mark_point(size=26, filled=True).encode(
            y=y,
            shape=style.shape(palette, names),
            tooltip=style.tips("binding", "run", "when", "directory", text="ratio"),
        ),
    ]
    return style.layered(layers, 220, rows=records, steps=marks)


def _record(one: Series, point: Point, runs: Sequence[Run]) -> dict[str, Any]:
    run, low, high = runs[point.run - 1], point.low or point.ratio, point.high or point.ratio
    return {
        "binding": one.binding,
        "run": point.run,
        "ratio": point.ratio,
        "low": low,
        "high": high,
        "text": f"{plain_ratio(point.ratio)} × ({plain_ratio(low)} to {plain_ratio(high)})",
        "when": day(run),
        "directory": run.path.name,
    }


@dataclass(frozen=True)
class _Chart:
    name: str
    benchmark: str


def render_page(history: History, runs: Sequence[Run], said: Sequence[str], polympi: str) -> str:
    """The whole page: styles, script, charts and data inside; everything that comes from outside is escaped."""
    palette = Palette(list(dict.fromkeys(one.binding for one in history.series)), languages_of(runs[-1].run))
    specs: dict[str, Any] = {}
    stacks = [
        (stack, _charts(history, stack, runs, palette, specs))
        for stack in dict.fromkeys(one.stack for one in history.series)
    ]
    steps = step_table(history, runs)
    return template("history.html.j2").render(
        polympi=polympi,
        runs=len(runs),
        first=day(runs[0]),
        last=day(runs[-1]),
        answer=said[0],
        sentences=said[1:],
        steps=steps if steps.lines else None,
        stacks=stacks,
        tables=[series_table(history), run_table(runs)],
        rates=RATES,
        charts_json=embedded_json(specs),
        themes_json=embedded_json({"light": config(dark=False), "dark": config(dark=True)}),
        css=assets(_STYLES),
        js=asset("theme.js"),
        vega=Markup(vega_runtime()),
    )


def _charts(history: History, stack: str, runs: Sequence[Run], palette: Palette, specs: dict[str, Any]) -> list[_Chart]:
    charts = []
    own = [one for one in history.series if one.stack == stack]
    for benchmark in sorted({one.benchmark for one in own}, key=list(BENCHMARKS).index):
        steps = [one for one in history.steps if (one.stack, one.benchmark) == (stack, benchmark)]
        name = f"history-{len(specs)}"
        with unvalidated():
            chart = ratio_over_runs([one for one in own if one.benchmark == benchmark], steps, runs, palette)
            specs[name] = specification(chart)
        charts.append(_Chart(name, benchmark))
    return charts
