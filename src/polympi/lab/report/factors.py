"""What settings, placements and other stacks cost, as tables, charts and sentences for all forms of the report."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.factors import as_row, by_contrast, level_sentences
from polympi.lab.conclusions.overview import ArmInOverview, Column, Spot, columns_among
from polympi.lab.conclusions.rows import Row, by_family, representative_sizes
from polympi.lab.plan.placements import level_words
from polympi.lab.records import PLACEMENT, REFERENCE, SETTING, STACK, RunRecord
from polympi.lab.report import charts
from polympi.lab.report.cells import Cell, Line, cell
from polympi.lab.report.charts import Palette
from polympi.lab.report.figures import Figure
from polympi.lab.report.screen import Screen, level_screen
from polympi.lab.statistics.factors import Contrast, FactorRow
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_ns

_TITLES = {SETTING: "What a setting costs", PLACEMENT: "What a placement costs", STACK: "What another MPI costs"}
_NOTES = {
    SETTING: "C and every binding with a setting, over the same without it",
    PLACEMENT: "C and every binding at a placement of their ranks, over the same at the first placement",
    STACK: "C and every binding on a stack, over the same on the first stack",
}
_HOW = (
    "launched in the same blocks. 1 is as fast, 2 takes twice as long; signs, intervals and the band of noise mean "
    "what they mean where bindings are compared with C."
)
_CHARTED = ("latency", "bandwidth", "bcast", "allreduce")  # of the many that there may be, the most informative ones


@dataclass(frozen=True)
class LevelPart:
    """One level of a factor against the base."""

    key: str
    title: str  # the level, and what it is compared with
    how: str  # what it adds to a launch; empty for a stack
    sentences: list[tuple[str, str]]
    columns: list[str]
    lines: list[Line]  # the table; its `reference` is C's time at the base


@dataclass(frozen=True)
class FactorSection:
    """What the levels of one factor cost on one stack."""

    factor: str  # `setting`, `placement` or `stack`
    title: str
    stack: str
    note: str
    screen: Screen  # the cases that stand for all: a group for each level, a line for each arm, C among them
    parts: list[LevelPart]

    @property
    def heading(self) -> str:
        """Its title, and the stack where it stays the same."""
        return self.title if self.factor == STACK else f"{self.title}, on {self.stack}"


def factor_sections(analysis: Analysis) -> list[FactorSection]:
    """A section for each factor and stack, in the order of the run."""
    contrasts = by_contrast(analysis.factors)
    grouped = groupby(contrasts, key=lambda one: (one.factor, one.base_stack))
    return [_section(analysis.run, [(one, contrasts[one]) for one in own]) for _, own in grouped]


def _section(run: RunRecord, levels: Sequence[tuple[Contrast, list[FactorRow]]]) -> FactorSection:
    first = levels[0][0]
    columns = columns_among([as_row(row) for _, rows in levels for row in rows])
    at_base = {_place(row): row for _, rows in levels for row in rows if row.binding == REFERENCE}
    base = [at_base.get(_of(column)) for column in columns]
    reference = [replace(as_row(row), median_ns=row.base_ns) if row else None for row in base]
    groups = [(_title(contrast), _arms([as_row(row) for row in rows], columns)) for contrast, rows in levels]
    return FactorSection(
        factor=first.factor,
        title=_TITLES[first.factor],
        stack=first.base_stack,
        note=f"{_NOTES[first.factor]}, {_HOW}",
        screen=level_screen(columns, reference, groups, of=_base_words(first)),
        parts=[_part(run, contrast, rows) for contrast, rows in levels],
    )


def _title(contrast: Contrast) -> str:
    return contrast.level if contrast.factor == SETTING else f"{contrast.level} instead of {contrast.base}"


def _base_words(contrast: Contrast) -> str:
    """What a level is compared with, in the words of a hint."""
    return "the base" if contrast.factor == SETTING else contrast.base


def _place(row: FactorRow) -> tuple[str, str, str, int]:
    return row.benchmark, row.mode, row.payload, row.size_bytes


def _of(column: Column) -> tuple[str, str, str, int]:
    return column.family.benchmark, column.family.mode, column.family.payload, column.size_bytes


def _arms(rows: Sequence[Row], columns: Sequence[Column]) -> list[ArmInOverview]:
    places = {(row.binding, row.benchmark, row.mode, row.payload, row.size_bytes): row for row in rows}
    return [
        ArmInOverview(
            name, tuple(Spot(places.get((name, *_of(column))), "not measured at both levels") for column in columns)
        )
        for name in dict.fromkeys(row.binding for row in rows)
    ]


def _part(run: RunRecord, contrast: Contrast, rows: Sequence[FactorRow]) -> LevelPart:
    level = next((one for one in run.levels if one.name == contrast.level), None)
    columns, lines = _table(rows)
    return LevelPart(
        key=_key(contrast),
        title=_title(contrast),
        how=level_words(level) if level and contrast.factor != STACK else "",
        sentences=level_sentences(rows),
        columns=columns,
        lines=lines,
    )


def _table(factor_rows: Sequence[FactorRow]) -> tuple[list[str], list[Line]]:
    """Arms by benchmark at representative sizes, C first; as the table of bindings, but against the base."""
    of_base = {_place(row): row.base_ns for row in factor_rows if row.binding == REFERENCE}
    arms = list(dict.fromkeys(row.binding for row in factor_rows))
    lines = []
    for family, members in by_family(map(as_row, factor_rows)).items():
        sizes = representative_sizes(row.size_bytes for row in members)
        for index, size in enumerate(sizes):
            at_size = {row.binding: cell(row) for row in members if row.size_bytes == size}
            base_ns = of_base.get((family.benchmark, family.mode, family.payload, size))
            lines.append(
                Line(
                    family=family,
                    label=family.title if index == 0 else "",
                    size="" if family.payload == "none" else BENCHMARKS[family.benchmark].size_words(size),
                    reference="" if base_ns is None else format_ns(base_ns),
                    bandwidth="",
                    cells=tuple(at_size.get(name, Cell(name, reason="not measured at both levels")) for name in arms),
                )
            )
    return arms, lines


def factor_figures(
    analysis: Analysis, palette: Palette, shown: Container[str] | None = None
) -> dict[str, list[Figure]]:
    """The charts of each part of all sections, by its key; by default all bindings are drawn with C."""
    return {
        _key(one): list(
            _figures(
                one, [row for row in rows if shown is None or row.binding == REFERENCE or row.binding in shown], palette
            )
        )
        for one, rows in by_contrast(analysis.factors).items()
    }


def _key(contrast: Contrast) -> str:
    return f"{contrast.factor}/{contrast.stack}"


def _figures(contrast: Contrast, factor_rows: Sequence[FactorRow], palette: Palette) -> Iterator[Figure]:
    """The ratio over size of the first family of each of the most informative benchmarks."""
    seen: set[str] = set()
    for family, rows in by_family(map(as_row, factor_rows)).items():
        if family.benchmark in seen or family.benchmark not in _CHARTED or len({row.size_bytes for row in rows}) < 2:
            continue
        seen.add(family.benchmark)
        yield Figure(
            name="-".join(("factor", contrast.factor, *family)),
            stack=contrast.base_stack,
            benchmark=family.benchmark,
            family=family.title,
            title=f"{family.title}: {_title(contrast)}",
            caption="Filled: separated. Hollow: not. Grey: what noise may show.",
            chart=charts.level_over_size(rows, palette, _base_words(contrast)),
        )
