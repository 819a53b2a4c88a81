"""A projection as one HTML file that needs no other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import Scale, model_sentence, scales_of, summary
from polympi.lab.projection.model import Projected, Projection
from polympi.lab.report.assets import asset, assets, embedded_json, specification, template
from polympi.lab.report.charts import Palette, config
from polympi.lab.report.charts.style import unvalidated
from polympi.lab.report.projection.chart import share_over_ranks
from polympi.lab.report.projection.tables import (
    KEY,
    against_table,
    arm_table,
    cost_table,
    network_sentence,
)
from polympi.lab.report.vega import vega_runtime

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
    """A chart a case in which some binding has a cost to show."""
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
