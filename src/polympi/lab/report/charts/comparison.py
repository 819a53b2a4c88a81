"""Charts that compare published figures with the run's."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette

# Muted, so that the bindings of the run stand out.
PUBLISHED_COLOURS = ("#b0577a", "#6b5bb5", "#8a6d2f", "#4d7d58")


def series_over_size(records: Sequence[dict[str, Any]], palette: Palette, title: str, label: str) -> alt.LayerChart:
    """Series over size (``binding, size, value, text, published``), published ones dashed with open points."""
    names = palette.present(records)
    published = [name for name in names if any(r["published"] for r in records if r["binding"] == name)]
    fixed = {name: PUBLISHED_COLOURS[index % len(PUBLISHED_COLOURS)] for index, name in enumerate(published)}
    scale = alt.Scale(domain=names, range=[fixed.get(name, palette.colour(name)) for name in names])
    chosen = style.highlight()
    base = alt.Chart(style.dataset()).encode(
        x=style.size_axis(r["size"] for r in records),
        y=style.log_axis("value", title, (r["value"] for r in records), label),
        color=alt.Color("binding:N", scale=scale, legend=style.legend()),
        opacity=style.faded(chosen),
    )
    dash = style.dashed_if("datum.published", [5, 3])
    lines = base.mark_line(strokeWidth=1.8).encode(strokeDash=dash, detail=alt.Detail("binding:N"))
    points = base.mark_point(size=36, filled=True).encode(
        tooltip=[
            alt.Tooltip("binding:N", title="series"),
            alt.Tooltip("size_text:N", title="size"),
            alt.Tooltip("text:N", title=title),
        ]
    )
    return style.layered([lines.add_params(chosen, style.zoom("zoomed")), points], 290, rows=records)
