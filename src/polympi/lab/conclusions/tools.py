"""Third-party tools compared with our C, in the same blocks: how far their figures are from ours, and why."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.arms import PLAIN_PAGES
from polympi.lab.conclusions.phrases import count, factor, sentence
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.tools import ToolRow
from polympi.lab.tools.known import TOOLS

UNKNOWN = "a tool that this version does not know"


@dataclass(frozen=True)
class ToolAgainstC:
    """A tool compared with our C."""

    stack: str
    tool: str
    measures: str  # our benchmark and payload that it is compared with
    figure: str
    answer: str
    rows: tuple[ToolRow, ...]


def tools_against_c(analysis: Analysis, stack: str) -> list[ToolAgainstC]:
    """The tools that were launched on a stack, in the order in which they first were."""
    own = [row for row in analysis.tools if row.stack == stack]
    found = []
    for name in dict.fromkeys(row.tool for row in own):
        rows = tuple(sorted((row for row in own if row.tool == name), key=lambda row: row.size_bytes))
        differs = TOOLS[name].differs if name in TOOLS else UNKNOWN
        found.append(
            ToolAgainstC(
                stack=stack,
                tool=name,
                measures=f"{rows[0].benchmark}, {rows[0].payload}",
                figure=sentence(f"Its figure: {differs}"),
                answer=_answer(rows, huge=analysis.run.pages == "huge"),
                rows=rows,
            )
        )
    return found


def _answer(rows: Sequence[ToolRow], *, huge: bool) -> str:
    ratios = sorted(row.ratio for row in rows)
    reference = "C on plain pages" if rows[0].against == PLAIN_PAGES or not huge else "C"
    if len(ratios) == 1:
        return f"{factor(ratios[0])} × {reference}"
    text = f"{factor(ratios[0])} to {factor(ratios[-1])} × {reference}, "
    text += f"{factor(statistics.median(ratios))} × in the median over {count(len(ratios), 'size')}"
    if reference == "C":
        text += "; its buffers lie on plain pages, those of C on huge ones, so that its large messages take longer"
    return text
