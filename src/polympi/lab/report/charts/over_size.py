"""Charts of one family over message size: time, bandwidth, ratio to C."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.phrases import factor, rate, signed
from polympi.lab.conclusions.rows import Row
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.report.charts import style
from polympi.lab.report.charts.palette import Palette
from polympi.lab.units import format_ns

HEIGHT = 290


def _tooltip(base: str) -> list[alt.Tooltip]:
    return style.tips(
        "binding",
        size_text="size",
        time="median",
        difference=f"difference to {base}",
        ratio_text=f"ratio to {base}",
        verdict="verdict",
    )


_TOOLTIP = _tooltip("C")


def time_over_size(rows: Sequence[Row], palette: Palette) -> alt.LayerChart:
    """Median time of one operation over size with its interval; both axes logarithmic, 0 B included."""
    records = [_record(row) for row in rows if row.median_ns]
    axis = style.log_axis(
        "ns", "time of one operation", (r[k] for r in records for k in ("low", "ns", "high")), style.TIME_LABEL
    )
    bounds = (alt.Y("low:Q"), alt.Y2("high:Q"))
    return _lines(records, palette, axis, bounds)


def bandwidth_over_size(rows: Sequence[Row], palette: Palette) -> alt.LayerChart:
    """Bandwidth over size with the interval implied by that of the time; 0 B moves nothing and is left out."""
    records = []
    for row in rows:
        if row.mb_per_s and row.median_ns:
            rate_times_ns = row.mb_per_s * row.median_ns
            record = _record(row) | {"time": rate(row.mb_per_s), "mb": row.mb_per_s}
            record["mb_low"] = rate_times_ns / row.ci_high_ns if row.ci_high_ns else None
            record["mb_high"] = rate_times_ns / row.ci_low_ns if row.ci_low_ns else None
            records.append(record)
    axis = style.log_axis(
        "mb", "bandwidth", (r[k] for r in records for k in ("mb_low", "mb", "mb_high")), style.RATE_LABEL
    )
    return _lines(records, palette, axis, (alt.Y("mb_low:Q"), alt.Y2("mb_high:Q")))


def ratio_over_size(rows: Sequence[Row], palette: Palette) -> alt.LayerChart:
    """Ratio of times to C over size, filled where separated from C; the grey band is the interval of the A/A arm."""
    records = [_record(row) for row in rows if row.ratio_to_c and row.binding not in (REFERENCE, AGAIN)]
    band = [_band(row) for row in rows if row.binding == AGAIN and row.ratio_to_c]
    return _ratios(rows, records, band, palette, title="time, as a multiple of C's", tooltip=_TOOLTIP)


def level_over_size(rows: Sequence[Row], palette: Palette, base: str) -> alt.LayerChart:
    """Ratio of the times at a level of a factor to those at the base over size; the grey band is noise."""
    records = [_record(row) for row in rows if row.ratio_to_c]
    floors: dict[int, float] = {}
    for row in rows:
        if row.floor_ratio:
            floors[row.size_bytes] = max(row.floor_ratio, floors.get(row.size_bytes, 1.0))
    band = [{"size": size, "low": 1.0 / floor, "high": floor} for size, floor in sorted(floors.items())]
    return _ratios(rows, records, band, palette, title=f"time, as a multiple of that of {base}", tooltip=_tooltip(base))


def _ratios(
    rows: Sequence[Row],
    records: Sequence[dict[str, Any]],
    band: Sequence[dict[str, Any]],
    palette: Palette,
    *,
    title: str,
    tooltip: list[alt.Tooltip],
) -> alt.LayerChart:
    low, high = _ratio_bounds(records, band)
    names = palette.present(records)
    chosen = style.highlight()
    x = style.size_axis(row.size_bytes for row in rows)
    y = alt.Y(
        "ratio:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=style.ratio_ticks(low, high), format="~g", labelOverlap="greedy"),
    )
    base = alt.Chart(style.dataset()).encode(x=x, color=style.colour(palette, names))
    noise = (
        alt.Chart(style.dataset("band"))
        .mark_area(opacity=0.22, color="#8b93a1")
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high"))
    )
    one = alt.Chart(style.dataset("one")).mark_rule(strokeDash=[4, 3]).encode(y=y)
    lines = base.mark_line(strokeWidth=1.8).encode(y=y, opacity=style.faded(chosen))
    bars = base.mark_rule(strokeWidth=1.6).encode(
        y=alt.Y("ratio_low:Q"),
        y2=alt.Y2("ratio_high"),
        opacity=style.faded(chosen, 0.65),
        color=style.colour(palette, names),
    )
    points = base.mark_point(size=46, strokeWidth=1.8).encode(
        y=y,
        shape=style.shape(palette, names),
        fillOpacity=style.hollow_unless("datum.separated"),
        fill=alt.Fill("binding:N", scale=palette.scale(names), legend=style.legend()),
        opacity=style.faded(chosen),
        tooltip=tooltip,
    )
    layers = [noise, one, lines.add_params(chosen, style.zoom("zoomed")), bars, points]
    return style.layered(layers, HEIGHT, rows=records, band=band, one=[{"ratio": 1.0}])


def _lines(
    records: Sequence[dict[str, Any]], palette: Palette, y: alt.Y, bounds: tuple[alt.Y, alt.Y2]
) -> alt.LayerChart:
    names = palette.present(records)
    chosen = style.highlight()
    x = style.size_axis(r["size"] for r in records)
    base = alt.Chart(style.dataset()).encode(x=x, color=style.colour(palette, names))
    dash = style.dashed_if(f"datum.binding === '{AGAIN}'", [3, 3])
    lines = base.mark_line(strokeWidth=1.8).encode(y=y, opacity=style.faded(chosen), strokeDash=dash)
    bars = base.mark_rule(strokeWidth=1.6).encode(y=bounds[0], y2=bounds[1], opacity=style.faded(chosen, 0.65))
    points = base.mark_point(size=34, filled=True).encode(
        y=y, shape=style.shape(palette, names), opacity=style.faded(chosen)
    )
    targets = base.mark_point(size=260, filled=True, opacity=0).encode(y=y, tooltip=_TOOLTIP)
    return style.layered([lines.add_params(chosen, style.zoom("zoomed")), bars, points, targets], HEIGHT, rows=records)


def _record(row: Row) -> dict[str, Any]:
    record: dict[str, Any] = {
        "binding": row.binding,
        "size": row.size_bytes,
        "size_text": BENCHMARKS[row.benchmark].size_words(row.size_bytes),
        "ns": row.median_ns,
        "low": row.ci_low_ns,
        "high": row.ci_high_ns,
        "time": _with_interval(format_ns, row.median_ns, row.ci_low_ns, row.ci_high_ns),
        "verdict": row.verdict,
        "difference": "",
        "ratio_text": "",
    }
    if row.ratio_to_c is not None and row.delta_to_c_ns is not None:
        record["difference"] = _with_interval(signed, row.delta_to_c_ns, row.delta_low_ns, row.delta_high_ns)
        record["ratio_text"] = _with_interval(factor, row.ratio_to_c, row.ratio_low, row.ratio_high)
        record |= {
            "ratio": row.ratio_to_c,
            "ratio_low": row.ratio_low,
            "ratio_high": row.ratio_high,
            "separated": row.separated,
        }
    return record


def _band(row: Row) -> dict[str, Any]:
    floor = row.floor_ratio or 1.0
    return {"size": row.size_bytes, "low": row.ratio_low or 1.0 / floor, "high": row.ratio_high or floor}


def _ratio_bounds(records: Sequence[dict[str, Any]], band: Sequence[dict[str, Any]]) -> tuple[float, float]:
    fields = ("ratio", "ratio_low", "ratio_high")
    values = [r[f] for r in records for f in fields if r[f]] + [b[f] for b in band for f in ("low", "high")] + [1.0]
    spread = max(1.004, (max(values) / min(values)) ** 0.06)
    return min(values) / spread, max(values) * spread


def _with_interval(form: Any, value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return ""
    return str(form(value)) if low is None or high is None else f"{form(value)}  [{form(low)}, {form(high)}]"
