"""What all charts share: ticks for sizes and times, legends, light and dark."""

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

import altair as alt
from altair.utils import schemapi

from polympi.lab.report.charts.palette import Palette, Record
from polympi.lab.units import format_size

FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

SIZE_LABEL = (
    "datum.value >= 1000 && datum.value % 1e9 === 0 ? datum.value / 1e9 + ' GB' : "
    "datum.value >= 1000 && datum.value % 1e6 === 0 ? datum.value / 1e6 + ' MB' : "
    "datum.value >= 1000 && datum.value % 1e3 === 0 ? datum.value / 1e3 + ' kB' : "
    "datum.value < 1024 || datum.value % 1024 ? format(datum.value, ',') + ' B' : "
    "datum.value % 1048576 ? datum.value / 1024 + ' KiB' : "
    "datum.value % 1073741824 ? datum.value / 1048576 + ' MiB' : datum.value / 1073741824 + ' GiB'"
)
TIME_LABEL = (
    "abs(datum.value) >= 1e9 ? format(datum.value / 1e9, ',~r') + ' s' : "
    "abs(datum.value) >= 1e6 ? format(datum.value / 1e6, ',~r') + ' ms' : "
    "abs(datum.value) >= 1e3 ? format(datum.value / 1e3, ',~r') + ' µs' : format(datum.value, ',~r') + ' ns'"
)
RATE_LABEL = "datum.value >= 1000 ? format(datum.value / 1000, ',~r') + ' GB/s' : format(datum.value, ',~r') + ' MB/s'"


def dataset(name: str = "rows") -> alt.NamedData:
    """Refers to data that :func:`layered` puts into the finished chart: layering would copy them again and again."""
    return alt.NamedData(name=name)


def size_axis(sizes: Iterable[int], title: str = "message size") -> alt.X:
    """A logarithmic axis of sizes on which 0 B has its place: log(1 + size), ticks at the sizes themselves."""
    ticks = sorted(set(sizes))
    return alt.X(
        "size:Q",
        title=title,
        scale=alt.Scale(type="symlog", constant=1, domain=[ticks[0], ticks[-1]], nice=False, padding=10),
        axis=alt.Axis(values=ticks, labelExpr=SIZE_LABEL, labelOverlap="greedy", labelSeparation=8, grid=False),
    )


def log_axis(field: str, title: str, values: Iterable[float | None], label: str, *, filtered: bool = False) -> alt.Y:
    """A logarithmic axis with ticks at 1, 2 and 5 of each decade touched; `filtered` if it follows what is shown."""
    low, high, ticks = decades(values, digits=(1, 2, 5) if filtered else None)
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log", nice=False, padding=12)
        if filtered
        else alt.Scale(type="log", domain=[low / 1.15, high * 1.15], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=label, labelOverlap="greedy"),
    )


def decades(
    values: Iterable[float | None], *, digits: Sequence[float] | None = None
) -> tuple[float, float, list[float]]:
    """The smallest and the largest positive value, and the ticks of a logarithmic axis that holds both.

    In each decade ticks stand at 1, 2 and 5, beyond three decades at 1 alone, unless their digits are given.
    """
    positive = [v for v in values if v is not None and v > 0]
    low, high = (min(positive), max(positive)) if positive else (1.0, 10.0)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = digits or ((1, 2, 5) if math.log10(high / low) <= 3 else (1,))
    return low, high, [digit * 10.0**power for power in powers for digit in digits]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Round ratios between two bounds, 1 always among them; the coarsest step that gives at least four."""
    fine = [[1 + k * step for k in range(-60, 61) if 1 + k * step > 0] for step in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)]
    coarse = [digit * 10.0**decade for decade in range(-3, 6) for digit in (1, 2, 5)]
    for candidates in (coarse, *fine):
        inside = [round(value, 6) for value in candidates if low <= value <= high]
        if len(inside) >= 4:
            return inside
    return [0.99, 1.0, 1.01]


def zoom(name: str) -> alt.Parameter:
    """Zoom by Ctrl + wheel or pinch, pan by dragging with a mouse: plain scrolling stays with the page."""
    return alt.selection_interval(
        name=name,
        bind="scales",
        zoom="wheel![event.ctrlKey]",
        translate="[pointerdown[event.pointerType === 'mouse'], window:pointerup] > window:pointermove!",
    )


def highlight(name: str = "chosen") -> alt.Parameter:
    """A click on a binding in the legend brings it out; shift adds another.

    It belongs to the first layer that has a legend: where layers share one, Vega-Lite keeps what the first says.
    """
    return alt.selection_point(name=name, fields=["binding"], bind="legend")


def legend() -> alt.Legend:
    """The legend of the bindings; its columns are left to the page, which knows how many fit."""
    return alt.Legend(labelLimit=320)


def colour(palette: Palette, names: Sequence[str]) -> alt.Color:
    """The colours of some bindings, with their legend."""
    return alt.Color("binding:N", scale=palette.scale(names), legend=legend())


def shape(palette: Palette, names: Sequence[str]) -> alt.Shape:
    """The shapes of some bindings, with their legend."""
    return alt.Shape("binding:N", scale=palette.shapes(names), legend=legend())


def tips(*fields: str, **titles: str) -> list[alt.Tooltip]:
    """Tooltips that show fields, under their names or these titles."""
    shown = dict(zip(fields, fields, strict=True)) | titles
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in shown.items()]


def faded(parameter: alt.Parameter, full: float = 1.0) -> alt.OpacityValue:
    """Opacity that follows :func:`highlight`; ``alt.condition`` would search Altair's whole schema for its result."""
    return alt.OpacityValue(0.08, condition={"param": parameter.name, "value": full})


def hollow_unless(test: str) -> alt.FillOpacityValue:
    """Filled where a Vega expression holds, hollow elsewhere."""
    return alt.FillOpacityValue(0, condition={"test": test, "value": 1})


def dashed_if(test: str, dash: Sequence[int]) -> alt.StrokeDashValue:
    """Dashed where a Vega expression holds, solid elsewhere."""
    return alt.StrokeDashValue([1, 0], condition={"test": test, "value": list(dash)})


def size_chooser(sizes: Sequence[int], chosen: int) -> alt.Parameter:
    """A drop-down list of sizes under the chart; fixed where there is only one."""
    options = sorted(sizes)
    if len(options) == 1:
        return alt.param(name="chosen_size", value=chosen)
    binding = alt.binding_select(options=options, labels=[format_size(s) for s in options], name="message size ")
    return alt.param(name="chosen_size", value=chosen, bind=binding)


def unvalidated() -> AbstractContextManager[None]:
    """Without the check of charts against Vega-Lite's schema, which takes several times as long; tests make it."""
    return cast("AbstractContextManager[None]", schemapi.debug_mode(False))


def layered(
    layers: Sequence[alt.Chart], height: int, *, each: tuple[Sequence[str], int] = ((), 0), **datasets: Sequence[Record]
) -> alt.LayerChart:
    """Layers, from back to front, as one chart, as wide as its container and with a plot this many pixels high.

    `each`: bindings, and the part of the height that is for each of them; the page takes it off for hidden ones. Layers
    refer to the datasets by :func:`dataset`; a missing figure is null and not drawn.
    """
    data = {name: [dict(record) for record in records] for name, records in datasets.items()}
    names, part = each
    metadata: dict[str, Any] = {"usermeta": {"bindings": list(names), "each": part}} if names else {}
    return alt.LayerChart(layer=list(layers), width="container", height=height, datasets=data, **metadata)


def config(*, dark: bool) -> dict[str, Any]:
    """Vega-Lite configuration of all charts, for a light or a dark page."""
    ink, soft, line, grid = (
        ("#e8eaee", "#a7aebb", "#4a515e", "#272c35") if dark else ("#1c2026", "#5b6472", "#b9bfc9", "#eceef2")
    )
    text = {"labelColor": soft, "titleColor": soft, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": 500}
    return {
        "background": "transparent",
        "font": FONT,
        "padding": {"left": 4, "right": 8, "top": 4, "bottom": 4},
        "view": {"stroke": None, "continuousHeight": 280},
        "axis": text | {"domainColor": line, "tickColor": line, "gridColor": grid, "tickSize": 4, "titlePadding": 8},
        "legend": text
        | {"orient": "top", "title": None, "symbolStrokeWidth": 2, "labelFontSize": 12, "labelLimit": 220, "offset": 8},
        "title": {"color": ink, "fontSize": 13, "anchor": "start", "fontWeight": 600, "subtitleColor": soft},
        "text": {"color": ink},
        "rule": {"color": soft},
    }
