"""Every chart as a separate picture, PNG or SVG, made without a browser."""

import re
from pathlib import Path
from typing import Any

from polympi.lab.errors import UsageError, system_reason
from polympi.lab.records import REFERENCE
from polympi.lab.report.charts import config, speedup_over_ranks
from polympi.lab.report.charts.style import unvalidated
from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.content import shown_of
from polympi.lab.report.factors import factor_figures
from polympi.lab.report.figures import figures, palette_of
from polympi.lab.report.scaling import scaling_tables
from polympi.lab.statistics.model import Analysis

_WIDTH = 640  # pixels of the plot; as wide as a column of text
_LEGEND_COLUMNS = 5  # of names as long as mpi4py-object; published series, which are longer, are three at most
_SCALE = 2.0  # of PNG files, so that they are sharp on dense screens and in print


def write_images(analysis: Analysis, directory: Path, form: str) -> list[Path]:
    """Write ``figures/NAME.png`` or ``.svg`` of every chart, light on white, of bindings shown at first."""
    target = directory / "figures"
    written = []
    try:
        target.mkdir(exist_ok=True)
        for name, spec in _specifications(analysis):
            path = target / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name).strip('.-')}.{form}"
            path.write_bytes(_picture(spec, form))
            written.append(path)
    except OSError as error:
        raise UsageError(f"Cannot write the figures into '{target}': {system_reason(error)}.") from error
    return written


def _specifications(analysis: Analysis) -> list[tuple[str, dict[str, Any]]]:
    shown = shown_of(analysis)
    palette = palette_of(analysis)
    with unvalidated():
        drawn = [(f.name, f"{f.family} on {f.stack}: {f.title}", f.caption, f.chart) for f in figures(analysis, shown)]
        drawn += [
            (
                f"{one.stack}-{one.title}-scaling",
                f"{one.title} on {one.stack}: speed-up",
                one.answer,
                speedup_over_ranks([row for row in one.rows if row.binding in (REFERENCE, *shown)], palette),
            )
            for one in scaling_tables(analysis.scaling)
            if one.drawn
        ]
        drawn += [
            (figure.name, f"{figure.title}, on {figure.stack}", figure.caption, figure.chart)
            for part in factor_figures(analysis, palette, shown).values()
            for figure in part
        ]
        drawn += [
            (f"published-{one.source.name}-{one.stack}", one.source.title, one.source.citation, one.chart)
            for one in comparisons(analysis, palette, shown)
            if one.chart is not None
        ]
        look = config(dark=False) | {"background": "white"}
        look["legend"] = look["legend"] | {"columns": _LEGEND_COLUMNS}
        return [
            (
                name,
                chart.to_dict(validate=False)
                | {"width": _WIDTH, "title": {"text": title, "subtitle": caption}, "config": look},
            )
            for name, title, caption, chart in drawn
        ]


def _picture(spec: dict[str, Any], form: str) -> bytes:
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise UsageError("Pictures are drawn by vl-convert: pip install vl-convert-python") from None
    if form == "svg":
        svg: str = vl_convert.vegalite_to_svg(spec)
        return svg.encode()
    png: bytes = vl_convert.vegalite_to_png(spec, scale=_SCALE)
    return png
