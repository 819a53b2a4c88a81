"""Charts that compare published figures with the run's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from polympi.lab.report.charts.palette import Palette
from polympi.lab.report.charts.style import (
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

# Muted, so that the bindings of the run stand out.
PUBLISHED_COLOURS = ("#b0577a", "#6b5bb5", "#8a6d2f", "#4d7d58")


def series_over_size(
    records: Sequence[dict[str, Any]],
    palette: Palette,
    title: str,
    label: str,
) -> alt.LayerChart:
    """Series over size, published ones dashed with open points, those of the run as everywhere else.

    Args:
        records: ``binding`` (name of the series), ``size`` in bytes, ``value``, ``text`` for the tooltip,
            ``published`` (bool).
        palette: colours of the run.
        title: title of the vertical axis.
        label: Vega expression for the labels of the vertical axis.
    """
    names = palette.present(records)
    published = [name for name in names if any(r["published"] for r in records if r["binding"] == name)]
    fixed = {name: PUBLISHED_COLOURS[index % len(PUBLISHED_COLOURS)] for index, name in enumerate(published)}
    scale = alt.Scale(domain=names, range=[fixed.get(name, palette.colour(name)) for name in names])
    chosen = highlight()
    base = alt.Chart(dataset()).encode(
        x=size_axis(r["size"] for r in records),
        y=log_axis("value", title, (r["value"] for r in records), label),
        color=alt.Color("binding:N", scale=scale, legend=legend()),
        opacity=faded(chosen),
    )
    dash = dashed_if("datum.published", [5, 3])
    lines = base.mark_line(strokeWidth=1.8).encode(strokeDash=dash, detail=alt.Detail("binding:N"))
    points = base.mark_point(size=36, filled=True).encode(
        tooltip=[
            alt.Tooltip("binding:N", title="series"),
            alt.Tooltip("size_text:N", title="size"),
            alt.Tooltip("text:N", title=title),
        ]
    )
    return layered([lines.add_params(chosen, zoom("zoomed")), points], 290, rows=records)
