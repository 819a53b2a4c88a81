"""Charts of the fitted protocol segments and their residuals."""

from collections.abc import Sequence
from typing import Any, cast

import altair as alt

from polympi.lab.conclusions.phrases import percent
from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette
from polympi.lab.statistics.model import Fit
from polympi.lab.units import format_ns, format_size

POOR = "poor fit"


def fitted_time(fits: Sequence[Fit], palette: Palette) -> alt.LayerChart:
    """Measured points, the line of each protocol segment, dashed if the fit is poor, and a mark where one begins."""
    records = [record for fit in fits for record in _records(fit)]
    names = palette.present(records)
    chosen = style.highlight()
    x = style.size_axis(r["size"] for r in records)
    y = style.log_axis("ns", "time of one operation", (r["ns"] for r in records), style.TIME_LABEL)
    hue = style.colour(palette, names)
    base = alt.Chart(style.dataset()).encode(x=x, color=hue)
    lines = base.mark_line(strokeWidth=1.6).encode(
        y=alt.Y("fitted:Q"),
        detail=alt.Detail("segment:N"),
        opacity=style.faded(chosen),
        strokeDash=style.dashed_if("datum.fit !== 'good'", [2, 4]),
    )
    points = base.mark_point(size=38, filled=True).encode(
        y=y,
        shape=style.shape(palette, names),
        opacity=style.faded(chosen),
        tooltip=style.tips(
            "binding",
            size_text="size",
            measured_text="measured",
            fitted_text="fitted",
            residual_text="residual",
            fit="fit",
        ),
    )
    poor = _poor_labels(x, hue)
    layers = [_break_marks(x), lines.add_params(chosen, style.zoom("zoomed")), points, poor]
    return style.layered(layers, 290, rows=records, breaks=_breaks(fits), poor=_poor_ends(records))


def residuals(fits: Sequence[Fit], palette: Palette) -> alt.LayerChart:
    """What the fit leaves over, ``(measured - fitted) / measured``, over size."""
    records = [record for fit in fits for record in _records(fit)]
    names = palette.present(records)
    chosen = style.highlight()
    x = style.size_axis(r["size"] for r in records)
    base = alt.Chart(style.dataset()).encode(
        x=x,
        y=alt.Y("residual:Q", title="(measured − fitted) / measured", axis=alt.Axis(format="+.1~%", tickCount=5)),
        color=style.colour(palette, names),
    )
    zero = alt.Chart(style.dataset("zero")).mark_rule(strokeDash=[4, 3]).encode(y=alt.Y("residual:Q"))
    lines = base.mark_line(strokeWidth=0.8).encode(detail=alt.Detail("segment:N"), opacity=style.faded(chosen))
    points = base.mark_point(size=38, filled=True).encode(
        shape=style.shape(palette, names),
        opacity=style.faded(chosen),
        tooltip=style.tips("binding", size_text="size", residual_text="residual"),
    )
    layers = [_break_marks(x), zero, lines.add_params(chosen), points]
    return style.layered(layers, 290, rows=records, breaks=_breaks(fits), zero=[{"residual": 0.0}])


def _breaks(fits: Sequence[Fit]) -> list[dict[str, Any]]:
    starts = sorted({segment.first_size for fit in fits for segment in fit.segments[1:]})
    return [{"size": size, "label": f"new protocol segment from {format_size(size)}"} for size in starts]


def _break_marks(x: alt.X) -> alt.Chart:
    tooltip = style.tips(label=" ")
    marks = alt.Chart(style.dataset("breaks")).mark_rule(strokeDash=[2, 3], opacity=0.7).encode(x=x, tooltip=tooltip)
    return cast(alt.Chart, marks)


def _poor_ends(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last point of each poor segment that has a place on the axis."""
    ends = {(r["binding"], r["segment"]): r for r in records if r["fit"] == POOR and r["fitted"]}
    return [{key: r[key] for key in ("binding", "size", "fitted", "fit")} for r in ends.values()]


def _poor_labels(x: alt.X, colour: alt.Color) -> alt.Chart:
    marks = alt.Chart(style.dataset("poor")).mark_text(align="right", dx=-6, dy=-7, fontSize=10)
    return cast(alt.Chart, marks.encode(x=x, y=alt.Y("fitted:Q"), text=alt.Text("fit:N"), color=colour))


def _records(fit: Fit) -> list[dict[str, Any]]:
    found = []
    for size, measured, fitted in zip(fit.sizes, fit.measured_ns, fit.fitted_ns, strict=True):
        index = next((i for i, s in enumerate(fit.segments) if s.first_size <= size <= s.last_size), 0)
        residual = (measured - fitted) / measured if measured else 0.0
        found.append(
            {
                "binding": fit.binding,
                "segment": index,
                "size": size,
                "size_text": format_size(size),
                "ns": measured,
                "fitted": fitted if fitted > 0 else None,
                "residual": residual,
                "measured_text": format_ns(measured),
                "fit": POOR if fit.segments[index].poor else "good",
                "fitted_text": format_ns(fitted),
                "residual_text": percent(residual),
            }
        )
    return found
