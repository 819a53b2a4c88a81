"""The report as one HTML file that needs no other file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import polars as pl
from markupsafe import Markup

from polympi.lab.conclusions.order import MOST_AT_ONCE, by_language, is_arm_of_c, languages_of
from polympi.lab.conclusions.phrases import percent
from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.plan.calibration import SLOW
from polympi.lab.records import AGAIN, REFERENCE, RunRecord
from polympi.lab.report.assets import assets, embedded_json, specification, template
from polympi.lab.report.cells import KEY, MEANINGS, SIGNS
from polympi.lab.report.charts import Palette, config, speedup_over_ranks
from polympi.lab.report.charts.style import RATE_LABEL, SIZE_LABEL, TIME_LABEL, unvalidated
from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.content import (
    CODE_HEADERS,
    CODE_NOTE,
    IMPORTED_NOTE,
    SOLVER_HEADERS,
    SOLVER_NOTE,
    TOOL_HEADERS,
    TOOLS_NOTE,
    code_lines,
    content,
    imported_lines,
    tool_lines,
)
from polympi.lab.report.demands import DEMAND_HEADERS, DEMAND_NOTE, DEMAND_TITLE
from polympi.lab.report.factors import factor_figures
from polympi.lab.report.figures import Figure, figures, palette_of
from polympi.lab.report.generator import mark
from polympi.lab.report.guidelines import GUIDELINE_NOTE, GUIDELINE_TITLE
from polympi.lab.report.limits import LIMIT_NOTE, LIMIT_TITLE
from polympi.lab.report.scaling import scaling_note
from polympi.lab.report.vega import vega_runtime
from polympi.lab.statistics.model import LARGEST_RESIDUAL, Analysis

# Key in the summary, title, how it is written, whether it can be filtered by, what it means.
_COLUMNS = (
    ("stack", "Stack", "text", True, "MPI installation"),
    ("binding", "Binding", "text", True, "what was measured"),
    ("benchmark", "Benchmark", "text", True, ""),
    ("mode", "Mode", "text", True, ""),
    ("payload", "Payload", "text", True, "what travels"),
    ("size_bytes", "Size", "size", False, "bytes of a message"),
    ("launches", "n", "count", False, "launches that count for the row"),
    ("median_ns", "Median", "time", False, "median over launches of one operation"),
    ("ci_low_ns", "Low", "time", False, "lower end of its interval"),
    ("ci_high_ns", "High", "time", False, "upper end of its interval"),
    ("delta_to_c_ns", "Δ to C", "time", False, "median over blocks of the difference to C"),
    ("delta_low_ns", "Δ low", "time", False, "lower end of its interval"),
    ("delta_high_ns", "Δ high", "time", False, "upper end of its interval"),
    ("ratio_to_c", "Ratio", "ratio", False, "ratio to C"),
    ("ratio_low", "R low", "ratio", False, "lower end of its interval"),
    ("ratio_high", "R high", "ratio", False, "upper end of its interval"),
    ("q_value", "q", "probability", False, "share of chance among rows at least as clear"),
    ("floor_ratio", "Floor", "ratio", False, "how far C may differ from itself"),
    ("mb_per_s", "MB/s", "rate", False, "payload bytes over time"),
    ("p50_ns", "p50", "time", False, "of single operations"),
    ("p99_ns", "p99", "time", False, "of single operations"),
    ("max_ns", "Max", "time", False, "of single operations"),
    ("outliers", "Outliers", "count", False, "outside Tukey's fences; counted, never dropped"),
    ("verdict", "Verdict", "text", True, "against C"),
    ("stopped_by", "Stopped by", "text", True, "which rule ended the sampling"),
)

_STYLES = ("base.css", "overview.css", "languages.css", "tables.css", "charts.css", "sections.css", "print.css")
_SCRIPTS = ("theme.js", "charts.js", "tables.js", "all-rows.js", "chooser.js")  # share one scope, in this order
_EXPRESSIONS = {"@size": SIZE_LABEL, "@time": TIME_LABEL, "@rate": RATE_LABEL}


@dataclass(frozen=True)
class Group:
    """The charts of one benchmark on one stack, by family."""

    stack: str
    benchmark: str
    families: list[tuple[str, list[Figure]]]


def render_html(analysis: Analysis, imported: pl.DataFrame) -> str:
    """The whole page, with styles, scripts, charts and data inside; everything that comes from outside is escaped."""
    palette = palette_of(analysis)
    words = content(analysis)
    with unvalidated():
        drawn = figures(analysis)
        published = [] if analysis.about else comparisons(analysis, palette, words.shown)
        charts = {figure.name: specification(figure.chart) for figure in drawn}
        charts |= {
            f"scaling-{i}": specification(speedup_over_ranks(one.rows, palette))
            for i, one in enumerate(words.scaling)
            if one.drawn
        }
        of_levels = factor_figures(analysis, palette)
        charts |= {figure.name: specification(figure.chart) for part in of_levels.values() for figure in part}
        charts |= {
            f"published-{i}": specification(one.chart) for i, one in enumerate(published) if one.chart is not None
        }
    rows = rows_of(analysis)
    place = {_key(row): index for index, row in enumerate(rows)}
    least = min((s.least_confidence for s in words.stacks if s.least_confidence is not None), default=None)
    groups = _groups(drawn)
    return template("report.html.j2").render(
        place=lambda row: place[_key(row)],
        slow=SLOW,
        generator=mark(analysis),
        version=analysis.run.polympi,
        content=words,
        palette=palette,
        warnings=[finding for finding in words.findings if finding.level == "warning"],
        least_confidence="" if least is None else percent(least).replace("100 %", "99.9 %"),
        arms=_arms(rows, palette, analysis.run),
        most_at_once=MOST_AT_ONCE,
        languages=languages_of(analysis.run),
        verdicts=_verdicts_seen(rows),
        signs=SIGNS,
        meanings=MEANINGS,
        largest_residual=percent(LARGEST_RESIDUAL),
        row_count=len(rows),
        groups=groups,
        stacks=[stack.stack for stack in words.stacks],
        benchmarks=list(dict.fromkeys(group.benchmark for group in groups)),
        fits=_fits_by_family(words.fits, many=len(words.stacks) > 1),
        tools=[(one, tool_lines(one)) for stack in words.stacks for one in stack.tools],
        demands=[stack.demands for stack in words.stacks if stack.demands],
        demand_headers=[title[0].upper() + title[1:] for title in DEMAND_HEADERS],
        demand_title=DEMAND_TITLE,
        demand_note=DEMAND_NOTE,
        tool_headers=TOOL_HEADERS,
        tools_note=TOOLS_NOTE,
        limit_title=LIMIT_TITLE,
        limit_note=LIMIT_NOTE,
        guideline_title=GUIDELINE_TITLE,
        guideline_note=GUIDELINE_NOTE,
        factor_titles=list(dict.fromkeys((one.factor, one.title) for one in words.factors)),
        level_figures=of_levels,
        scaling_note=scaling_note(analysis.scaling),
        code=code_lines(words.code) if words.code else [],
        code_headers=CODE_HEADERS,
        code_note=CODE_NOTE,
        solver_headers=SOLVER_HEADERS,
        solver_note=SOLVER_NOTE,
        comparisons=published,
        imported=imported_lines(imported),
        imported_note=IMPORTED_NOTE,
        charts_json=_charts_json(charts),
        expressions_json=embedded_json(_EXPRESSIONS),
        themes_json=embedded_json({"light": config(dark=False), "dark": config(dark=True)}),
        rows_json=embedded_json(_all_rows(rows)),
        css=assets(_STYLES),
        js=assets(_SCRIPTS),
        vega=Markup(vega_runtime()),
    )


def _groups(drawn: Sequence[Figure]) -> list[Group]:
    groups: dict[tuple[str, str], dict[str, list[Figure]]] = {}
    for figure in drawn:
        families = groups.setdefault((figure.stack, figure.benchmark), {})
        families.setdefault(figure.family, []).append(figure)
    return [Group(stack, benchmark, list(f.items())) for (stack, benchmark), f in groups.items()]


def _fits_by_family(lines: Sequence[Any], *, many: bool) -> list[tuple[str, list[Any]]]:
    def title(line: Any) -> str:
        return f"{line.family} on {line.stack}" if many else str(line.family)

    return [(name, list(members)) for name, members in groupby(lines, key=title)]


def _key(row: Row) -> tuple[str, str, str, str, str, int]:
    return (*row.family, row.binding, row.size_bytes)


def _arms(rows: Sequence[Row], palette: Palette, run: RunRecord) -> list[tuple[str, list[str]]]:
    """What the reader can choose: bindings by language, then arms of C; C itself always stays."""
    names = [n for n in palette.present({"binding": row.binding} for row in rows) if n not in (AGAIN, REFERENCE)]
    groups = list(by_language(run, names).items())
    if len(groups) == 1:
        groups = [("", groups[0][1])]
    arms_of_c = [name for name in names if is_arm_of_c(name)]
    return [*groups, *([("C" if any(g for g, _ in groups) else "", arms_of_c)] if arms_of_c else [])]


def _verdicts_seen(rows: Sequence[Row]) -> list[tuple[str, str]]:
    seen = {row.verdict for row in rows}
    return [(verdict, words) for verdict, words in KEY.items() if verdict in seen]


def _all_rows(rows: Sequence[Row]) -> dict[str, Any]:
    columns = [
        {"key": key, "title": title, "form": form, "filter": filtered, "help": meaning}
        for key, title, form, filtered, meaning in _COLUMNS
    ]
    return {"columns": columns, "rows": [[_short(getattr(row, key)) for key, *_ in _COLUMNS] for row in rows]}


def _short(value: Any) -> Any:
    """Five significant digits are more than the table shows, and half the bytes."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _charts_json(charts: dict[str, Any]) -> Markup:
    """The specifications; the long expressions that all axes repeat stand as names, resolved by the page's script."""
    named = {json.dumps(text, ensure_ascii=False): json.dumps(name) for name, text in _EXPRESSIONS.items()}
    text = str(embedded_json(charts))
    for expression, name in named.items():
        text = text.replace(expression.replace("<", "\\u003c"), name)
    return Markup(text)
