"""A projection as one HTML file that needs no other file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import Scale, model_sentence, scales_of, summary
from polympi.lab.projection.model import Projected, Projection
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
    """The whole page: styles, script, charts and data inside; everything that comes from outside is escaped.

    Args:
        projection: the projection.
        found: what was foretold and measured, if there is something to compare with.
    """
    specs: dict[str, Any] = {}
    stacks = [(stack, _charts(projection, stack, specs)) for stack in projection.stacks]
    return _template().render(
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
        charts_json=_json(specs),
        themes_json=_json({"light": config(dark=False), "dark": config(dark=True)}),
        css=Markup("\n").join(map(_asset, _STYLES)),
        js=_asset("theme.js"),
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
            spec = share_over_ranks(scales, palette).to_dict(validate=False)
        specs[name] = {key: value for key, value in spec.items() if key not in ("$schema", "config")}
        charts.append(_Chart(name, title))
    return charts


def _json(value: Any) -> Markup:
    """JSON that cannot leave its ``<script>`` element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _asset(name: str) -> Markup:
    return Markup((resources.files("polympi.lab.report") / "page" / name).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(str(_asset("projection.html.j2")))
