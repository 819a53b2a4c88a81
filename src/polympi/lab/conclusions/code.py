"""How long programs are: the lines of code of C and of each binding, by language."""

from collections.abc import Iterable
from dataclasses import dataclass

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.order import by_language, in_order
from polympi.lab.conclusions.phrases import count, listing
from polympi.lab.conclusions.rows import Row, by_family
from polympi.lab.records import AGAIN, REFERENCE, CodeLines, RunRecord


@dataclass(frozen=True)
class Programs:
    """The lines of a binding's programs."""

    language: str  # the language; empty if the run does not say
    binding: str
    lines: CodeLines


@dataclass(frozen=True)
class Code:
    """The programs of a run, C first, then by language, and one sentence about the shortest ``hello``."""

    programs: tuple[Programs, ...]
    answer: str


@dataclass(frozen=True)
class Solver:
    """What an application takes in the style of a binding: lines to write, and time to run."""

    row: Row  # the main mode of the application on the largest mesh that was measured
    lines: int


def solvers(run: RunRecord, rows: Iterable[Row]) -> list[Solver]:
    """The solvers of the applications that a run measured, C first in each, then in the order of the run."""
    lines = {name: found.applications for planned in run.stacks for name, found in planned.lines.items()}
    found = []
    for family, members in by_family(rows).items():
        benchmark = BENCHMARKS[family.benchmark]
        if not benchmark.application or family.mode != benchmark.modes[0]:
            continue
        largest = max(row.size_bytes for row in members)
        at_largest = [row for row in members if row.size_bytes == largest and row.binding != AGAIN]
        order = in_order(run, [row.binding for row in at_largest])
        at_largest.sort(key=lambda row: order.index(row.binding))
        counted = [(row, lines.get(row.binding, {}).get(family.benchmark)) for row in at_largest]
        found += [Solver(row, number) for row, number in counted if number and row.median_ns is not None]
    return found


def code(run: RunRecord) -> Code | None:
    """The lines of code of a run, without arms of C, which are C's program; None for fewer than two bindings."""
    counted = {name: lines for planned in run.stacks for name, lines in planned.lines.items()}
    groups = {"C": [REFERENCE]} | by_language(run, in_order(run, counted))
    programs = [Programs(language, b, counted[b]) for language, group in groups.items() for b in group if b in counted]
    if len(programs) < 2:
        return None
    return Code(tuple(programs), _answer(programs))


def _answer(programs: list[Programs]) -> str:
    greeting = [p for p in programs if p.lines.hello]
    if not greeting:
        return ""
    least = min(p.lines.hello for p in greeting)
    shortest = [p.binding if p.binding != REFERENCE else "C" for p in greeting if p.lines.hello == least]
    of_c = next((p.lines.hello for p in greeting if p.binding == REFERENCE), None)
    rest = f"; C takes {of_c}" if of_c is not None and of_c != least else ""
    return f"The shortest hello has {count(least, 'line')}: {listing(shortest)}{rest}."
