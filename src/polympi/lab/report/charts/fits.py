"""Charts of the fitted protocol segments and their residuals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt

from polympi.lab.conclusions.phrases import percent
from polympi.lab.report.charts.palette import Palette
from polympi.lab.report.charts.style import (
    TIME_LABEL,
    dashed_if,
    dataset,
    faded,
    highlight,
    layered,
    legend,
    log_axis,
    size_axis,
    zoom,
)
from polympi.lab.statistics.model import Fit
from polympi.lab.units import format_ns, format_size

POOR = "poor fit"


def fitted_time(fits: Sequence[Fit], palette: Palette) -> alt.LayerChart:
    """Measured points, the fitted line of each protocol segment, and a mark where a segment begins.

    The line of a poor fit is dashed, and says so at its end.

    Args:
        fits: the fits of one family, one a binding.
        palette: colours of the run.
    """
    records = [record for fit in fits for record in _records(fit)]
    names = palette.present(records)
    chosen = highlight()
    x = size_axis(r["size"] for r in records)
    y = log_axis("ns", "time of one operation", (r["ns"] for r in records), TIME_LABEL)
    colour = alt.Color("binding:N", scale=palette.scale(names), legend=legend())
    base = alt.Chart(dataset()).encode(x=x, color=colour)
    lines = base.mark_line(strokeWidth=1.6).encode(
        y=alt.Y("fitted:Q"),
        detail=alt.Detail("segment:N"),
        opacity=faded(chosen),
        strokeDash=dashed_if("datum.fit !== 'good'", [2, 4]),
    )
    points = base.mark_point(size=38, filled=True).encode(
        y=y,
        shape=alt.Shape("binding:N", scale=palette.shapes(names), legend=legend()),
        opacity=faded(chosen),
        tooltip=[
            alt.Tooltip("binding:N", title="binding"),
            alt.Tooltip("size_text:N", title="size"),
            alt.Tooltip("measured_text:N", title="measured"),
            alt.Tooltip("fitted_text:N", title="fitted"),
            alt.Tooltip("residual_text:N", title="residual"),
            alt.Tooltip("fit:N", title="fit"),
        ],
    )
    poor = _poor_labels(x, colour)
    layers = [_break_marks(x), lines.add_params(chosen, zoom("zoomed")), points, poor]
    return layered(layers, 290, rows=records, breaks=_breaks(fits), poor=_poor_ends(records))


def residuals(fits: Sequence[Fit], palette: Palette) -> alt.LayerChart:
    """What the fit leaves over, ``(measured - fitted) / measured``, over size.

    Args:
        fits: the fits of one family, one a binding.
        palette: colours of the run.
    """
    records = [record for fit in fits for record in _records(fit)]
    names = palette.present(records)
    chosen = highlight()
    x = size_axis(r["size"] for r in records)
    base = alt.Chart(dataset()).encode(
        x=x,
        y=alt.Y("residual:Q", title="(measured − fitted) / measured", axis=alt.Axis(format="+.1~%", tickCount=5)),
        color=alt.Color("binding:N", scale=palette.scale(names), legend=legend()),
    )
    zero = alt.Chart(dataset("zero")).mark_rule(strokeDash=[4, 3]).encode(y=alt.Y("residual:Q"))
    lines = base.mark_line(strokeWidth=0.8).encode(detail=alt.Detail("segment:N"), opacity=faded(chosen))
    points = base.mark_point(size=38, filled=True).encode(
        shape=alt.Shape("binding:N", scale=palette.shapes(names), legend=legend()),
        opacity=faded(chosen),
        tooltip=[
            alt.Tooltip("binding:N", title="binding"),
            alt.Tooltip("size_text:N", title="size"),
            alt.Tooltip("residual_text:N", title="residual"),
        ],
    )
    layers = [_break_marks(x), zero, lines.add_params(chosen), points]
    return layered(layers, 290, rows=records, breaks=_breaks(fits), zero=[{"residual": 0.0}])


def _breaks(fits: Sequence[Fit]) -> list[dict[str, Any]]:
    starts = sorted({segment.first_size for fit in fits for segment in fit.segments[1:]})
    return [{"size": size, "label": f"new protocol segment from {format_size(size)}"} for size in starts]


def _break_marks(x: alt.X) -> alt.Chart:
    tooltip = [alt.Tooltip("label:N", title=" ")]
    marks = alt.Chart(dataset("breaks")).mark_rule(strokeDash=[2, 3], opacity=0.7).encode(x=x, tooltip=tooltip)
    return cast(alt.Chart, marks)


def _poor_ends(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last point of each poor segment that has a place on the axis."""
    ends = {(r["binding"], r["segment"]): r for r in records if r["fit"] == POOR and r["fitted"]}
    return [{key: r[key] for key in ("binding", "size", "fitted", "fit")} for r in ends.values()]


def _poor_labels(x: alt.X, colour: alt.Color) -> alt.Chart:
    marks = alt.Chart(dataset("poor")).mark_text(align="right", dx=-6, dy=-7, fontSize=10)
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
