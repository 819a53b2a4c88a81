"""The summary printed at the end of a run: bindings by benchmark, then the answers; fits 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from polympi.lab.report.cells import Cell, Line
from polympi.lab.report.content import Content, StackContent, content
from polympi.lab.statistics.model import Analysis

_STYLES = {"slower": "red", "faster": "green", "ambiguous": "yellow", "invalid": "bold red"}
_LABEL_WIDTH = 16  # columns of the longest common benchmark titles; longer ones wrap
_SIZE_WIDTH = 7
_TIME_WIDTH = 8
_BINDING_WIDTH = 21  # "▲ +1.35 µs    2.77 ×" with one space of padding


def print_summary(analysis: Analysis, console: Console) -> None:
    """Print what a run found.

    A cell shows a sign (▲ slower, ▼ faster, ≈ not separated, ? ambiguous), the difference to C, the ratio and below
    it the ratio's interval. Bindings that do not fit the width are continued in a table below.

    Args:
        analysis: the run.
        console: where to print; its width is respected down to 60 columns.
    """
    words = content(analysis)
    for label in words.labels:
        console.print(Text.assemble((f" {label.word} ", "reverse"), " ", label.text))
    for stack in words.stacks:
        _print_stack(stack, console)
    _print_answers(words, console)


def _print_stack(stack: StackContent, console: Console) -> None:
    console.print()
    title = Text(stack.stack, style="bold")
    if stack.library and stack.library != stack.stack:
        title.append(f"  {stack.library}", style="dim")
    console.print(title)
    if not stack.lines:
        console.print("No binding was compared with C.", style="dim")
        return
    fixed = _LABEL_WIDTH + _SIZE_WIDTH + _TIME_WIDTH + 6
    at_once = max(1, (min(console.width, 160) - fixed) // _BINDING_WIDTH)
    for first in range(0, len(stack.columns), at_once):
        chosen = range(first, min(first + at_once, len(stack.columns)))
        console.print(_table(stack, list(chosen)))
    console.print(Text("▲ slower  ▼ faster  ≈ not separated  ? ambiguous; below a ratio its interval", style="dim"))


def _table(stack: StackContent, chosen: Sequence[int]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("benchmark", max_width=_LABEL_WIDTH, overflow="fold")
    table.add_column("size", justify="right", min_width=_SIZE_WIDTH, no_wrap=True)
    table.add_column("C", justify="right", min_width=_TIME_WIDTH, no_wrap=True)
    for index in chosen:
        table.add_column(stack.columns[index], justify="right", min_width=_BINDING_WIDTH - 1, overflow="fold")
    for line in stack.lines:
        cells = [line.cells[index] for index in chosen]
        if any(cell.verdict for cell in cells):
            table.add_row(_label(line), line.size, line.reference or "–", *map(_cell, cells))
    return table


def _label(line: Line) -> Text:
    """The family's title, breakable where a mode has a hyphen."""
    return Text(line.label.replace("-", " "), style="bold" if line.label else "")


def _cell(cell: Cell) -> Text:
    if not cell.verdict:
        return Text("–", style="dim")
    style = _STYLES.get(cell.verdict, "dim")
    if not cell.ratio:
        return Text(f"{cell.sign} {cell.verdict}" + (f"\n{cell.time}" if cell.time else ""), style=style)
    text = Text()
    text.append(f"{cell.sign} {cell.delta}", style=style)
    text.append(f"  {cell.ratio:>5} ×")
    if cell.interval:
        text.append(f"\n{cell.interval}", style="dim")
    return text


def _print_answers(words: Content, console: Console) -> None:
    width = min(console.width, 100)
    for stack in words.stacks:
        for block in stack.bindings:
            lines = [Text(f"{text}") for _, text in block.said]
            console.print()
            console.print(Text(f"{block.binding} on {stack.stack}", style="bold"))
            console.print(Padding(Group(*lines), (0, 0, 0, 2)), width=width)
        if stack.noise:
            console.print()
            console.print(Text(stack.noise), width=width)
    for title, texts, style in (("What went wrong", words.failures, "red"), ("Not measured", words.gaps, "dim")):
        if texts:
            console.print()
            console.print(Text(title, style=style))
            for text in texts:
                console.print(Padding(Text(text), (0, 0, 0, 2)), width=width)
    if words.uncovered:
        console.print()
        console.print(Text("The report says which cases a binding does not cover, and why.", style="dim"), width=width)
