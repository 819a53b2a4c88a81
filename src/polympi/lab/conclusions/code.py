"""How long programs are: the lines of code of C and of each binding, by language."""

from __future__ import annotations

from dataclasses import dataclass

from polympi.lab.conclusions.order import by_language, in_order
from polympi.lab.conclusions.phrases import count, listing
from polympi.lab.records import REFERENCE, CodeLines, RunRecord


@dataclass(frozen=True)
class Programs:
    """The lines of a binding's programs.

    Attributes:
        language: the language; empty if the run does not say.
        binding: its name.
        lines: what was counted when it was measured.
    """

    language: str
    binding: str
    lines: CodeLines


@dataclass(frozen=True)
class Code:
    """The programs of a run, C first, then by language, and one sentence about the shortest ``hello``."""

    programs: tuple[Programs, ...]
    answer: str


def code(run: RunRecord) -> Code | None:
    """The lines of code of a run; None where fewer than two of its bindings were counted.

    Arms of C are left out: they are the program of C, run in another way.
    """
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
    beside = f"; C takes {of_c}" if of_c is not None and of_c != least else ""
    return f"The shortest hello has {count(least, 'line')}: {listing(shortest)}{beside}."
