"""Which charts a report has, in which order, and the text under each."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

import altair as alt
import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.order import languages_of
from polympi.lab.conclusions.rows import Family, Row, bindings_of, by_family, example_size, rows_of, stacks_of
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.report import charts
from polympi.lab.report.charts import Palette
from polympi.lab.statistics.model import Analysis

_BANDWIDTHS = ("bandwidth", "bibandwidth", "stream")


@dataclass(frozen=True)
class Figure:
    """A chart with its place and its words."""

    name: str  # unique in the report; also the name of its image file
    stack: str
    benchmark: str  # the benchmark it is about; `modes`, `startup` and `memory` too
    family: str
    title: str
    caption: str
    chart: alt.LayerChart


def palette_of(analysis: Analysis) -> Palette:
    """Colours of the run's bindings."""
    return Palette(bindings_of(analysis), languages_of(analysis.run))


def figures(analysis: Analysis, shown: Container[str] | None = None) -> list[Figure]:
    """All charts of a run, by stack and benchmark; by default all bindings are drawn with C."""
    palette = palette_of(analysis)
    if shown is not None:
        analysis = _part(analysis, shown)
    rows = [row for row in rows_of(analysis) if row.median_ns is not None]
    parts = analysis.launch_medians.partition_by(["stack", "benchmark", "mode", "payload"], as_dict=True)
    medians = {tuple(map(str, key)): frame for key, frame in parts.items()}
    found: list[Figure] = []
    for stack in stacks_of(analysis):
        own = [row for row in rows if row.stack == stack]
        seen: set[str] = set()
        for family, members in by_family(own).items():
            if family.benchmark != "startup":
                main = family.benchmark not in seen
                seen.add(family.benchmark)
                frame = medians.get(tuple(family))
                found += _family_figures(analysis, family, members, frame, palette, main=main)
                found += _mode_figure(family, own, palette)
        found += _launch_figures(analysis, stack, own, palette)
    return found


def _part(analysis: Analysis, shown: Container[str]) -> Analysis:
    """The run with C and some of its bindings only."""

    def kept(frame: pl.DataFrame) -> pl.DataFrame:
        names = [name for name in frame["binding"].unique() if name in (REFERENCE, AGAIN) or name in shown]
        return frame.filter(pl.col("binding").is_in(names))

    return replace(
        analysis,
        summary=kept(analysis.summary),
        launch_medians=kept(analysis.launch_medians),
        memory=kept(analysis.memory),
        fits=[fit for fit in analysis.fits if fit.binding == REFERENCE or fit.binding in shown],
    )


def _family_figures(
    analysis: Analysis,
    family: Family,
    rows: Sequence[Row],
    medians: pl.DataFrame | None,
    palette: Palette,
    *,
    main: bool,
) -> Iterator[Figure]:
    """The charts of one family: all for a benchmark's first, the most telling ones for its other payloads and modes."""

    def figure(kind: str, title: str, caption: str, chart: alt.LayerChart) -> Figure:
        name = "-".join((*family, kind))
        return Figure(name, family.stack, family.benchmark, family.title, title, caption, chart)

    sizes = {row.size_bytes for row in rows}
    if len(sizes) > 1:
        yield figure(
            "time", "Time over size", "Medians over launches; bars are intervals.", charts.time_over_size(rows, palette)
        )
        if any(row.ratio_to_c is not None and row.binding not in (REFERENCE, AGAIN) for row in rows):
            yield figure(
                "ratio",
                "Ratio to C",
                "Filled: separated from C. Hollow: not. Grey: C against itself.",
                charts.ratio_over_size(rows, palette),
            )
        if family.benchmark in _BANDWIDTHS and any(row.mb_per_s for row in rows):
            yield figure(
                "bandwidth",
                "Bandwidth over size",
                "Payload bytes over time; MB is 10⁶ bytes.",
                charts.bandwidth_over_size(rows, palette),
            )
    if len(sizes) > 1 and main:
        fits = [fit for fit in analysis.fits if Family(fit.stack, fit.benchmark, fit.mode, fit.payload) == family]
        fits = [fit for fit in fits if fit.binding != AGAIN]
        if fits:
            yield figure(
                "fit",
                "Fit: latency + size / bandwidth",
                "Lines: one fit for each protocol segment; a poor fit is dashed and marked. Dotted: where a segment "
                "begins.",
                charts.fitted_time(fits, palette),
            )
            yield figure(
                "residuals", "Residuals of the fit", "Residuals of the lines.", charts.residuals(fits, palette)
            )
    if medians is not None and not medians.is_empty() and (main or len(sizes) == 1):
        yield figure(
            "launches",
            "Launches",
            "One point for each launch, downwards in the order of the blocks; the tall tick is the median.",
            charts.launch_distribution(medians, palette),
        )
    if main and any(row.p50_ns for row in rows):
        yield figure(
            "percentiles",
            "Single operations",
            "Timed one by one, clock cost subtracted; all launches together.",
            charts.event_percentiles(rows, palette),
        )


def _mode_figure(family: Family, rows: Sequence[Row], palette: Palette) -> Iterator[Figure]:
    """After the first mode of a payload: all modes side by side, at one size that all of them have."""
    if family.mode != BENCHMARKS[family.benchmark].modes[0]:
        return
    kin = [row for row in rows if row.benchmark == family.benchmark and row.payload == family.payload]
    sizes: dict[str, set[int]] = {}
    for row in kin:
        sizes.setdefault(row.mode, set()).add(row.size_bytes)
    common = set.intersection(*sizes.values())
    if len(sizes) < 2 or not common:
        return
    size = max(common) if family.benchmark == "faces" else example_size(common)
    at_size = [row for members in by_family(kin).values() for row in members if row.size_bytes == size]
    yield Figure(
        name=f"{family.stack}-{family.benchmark}-modes-{family.payload}",
        stack=family.stack,
        benchmark=family.benchmark,
        family=family.title,
        title=f"Modes at {BENCHMARKS[family.benchmark].size_words(size)}",
        caption="Medians over launches; bars are intervals.",
        chart=charts.modes_at_size(at_size, palette),
    )


def _launch_figures(analysis: Analysis, stack: str, rows: Sequence[Row], palette: Palette) -> Iterator[Figure]:
    starts = [row for row in rows if row.benchmark == "startup"]
    if starts:
        chart = charts.startup(starts, palette)
        caption = "Medians over launches; bars are intervals."
        yield Figure(f"{stack}-startup", stack, "startup", "start-up", "Start-up", caption, chart)
    held = analysis.memory.filter((pl.col("stack") == stack) & (pl.col("pss_bytes") > 0))
    if not held.is_empty():
        yield Figure(
            f"{stack}-memory",
            stack,
            "startup",
            "start-up",
            "Memory of a process",
            f"After the first barrier of {held['ranks'][0]} ranks, largest over the ranks, median over launches.",
            charts.memory(held, palette),
        )
