"""The summary printed at the end of a run: one screen, the bindings by benchmark and what follows from them.

The report holds everything; here stand the main payload of each benchmark, the payloads of the ping-pong, and the
first answer on each binding.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.report.cells import Cell, Line
from polympi.lab.report.content import Content, StackContent, content
from polympi.lab.samples.records import REFERENCE
from polympi.lab.statistics.model import Analysis

_STYLES = {"slower": "red", "faster": "green", "ambiguous": "yellow", "invalid": "bold red"}
_SIZES = 2  # lines of a benchmark: a small message and a large one; latency has all, each mode of faces the largest
_READABLE_WIDTH = 100  # columns beyond which running text is hard to follow


def print_summary(analysis: Analysis, console: Console) -> None:
    """Print what a run found.

    A cell shows a sign (▲ slower, ▼ faster, ≈ not separated, ? ambiguous), the difference to C and the ratio. Under
    each name stands the arm's thread level.
    Bindings that do not fit the width are continued in a table below.

    Args:
        analysis: the run.
        console: where to print; its width is respected down to 60 columns.
    """
    words = content(analysis)
    for label in words.labels:
        console.print(Text.assemble((f" {label.word} ", "reverse"), " ", label.text))
    for stack in words.stacks:
        _print_stack(stack, console)
        _print_answers(stack, console)
    _print_troubles(words, console)


def _print_stack(stack: StackContent, console: Console) -> None:
    console.print()
    title = Text(stack.stack, style="bold")
    if stack.library and stack.library != stack.stack:
        title.append(f"  {stack.library}", style="dim")
    console.print(title)
    if not stack.lines:
        console.print("No binding was compared with C.", style="dim")
        return
    lines = _main_lines(stack.lines)
    texts = [[_cell(line.cells[index]) for line in lines] for index in range(len(stack.columns))]
    widths = [
        max(len(name), len(stack.levels.get(name, "")), *map(len, cells)) + 1
        for name, cells in zip(stack.columns, texts, strict=True)
    ]
    fixed = sum(
        max(len(title), *(len(part) for part in parts)) + 1
        for title, parts in (
            ("benchmark", [line.family.title for line in lines]),
            ("size", [line.size for line in lines]),
            (stack.levels.get(REFERENCE, "C"), [line.reference for line in lines]),
        )
    )
    for chosen in _columns_at_once(widths, min(console.width, 200) - fixed):
        console.print(_table(stack, lines, {index: texts[index] for index in chosen}))
    console.print(Text("▲ slower  ▼ faster  ≈ not separated  ? ambiguous; the report has all rows.", style="dim"))


def _main_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines of the main payloads; all lines if there is none (a run of something special)."""
    chosen: list[Line] = []
    for line in lines:
        benchmark = BENCHMARKS[line.family.benchmark]
        is_latency = benchmark.name == "latency"
        is_main = line.family.payload == benchmark.payloads[0] and (
            benchmark.launch_figure or benchmark.name == "faces" or line.family.mode == benchmark.modes[0]
        )
        is_object = is_latency and line.family.mode == "standard" and line.family.payload not in ("bytes", "float64")
        if is_main or is_object:
            chosen.append(line)
    kept = []
    for line in chosen:
        family = [other for other in chosen if other.family == line.family]
        ends = {"latency": family, "faces": family[-1:]}.get(line.family.benchmark, [*family[: _SIZES - 1], family[-1]])
        if line in ends:
            kept.append(line)
    return kept or list(lines)


def _columns_at_once(widths: Sequence[int], room: int) -> list[list[int]]:
    """Which bindings stand in one table; at least one, however narrow the screen."""
    tables: list[list[int]] = [[]]
    for index in range(len(widths)):
        if tables[-1] and sum(widths[i] for i in (*tables[-1], index)) > room:
            tables.append([])
        tables[-1].append(index)
    return tables


def _table(stack: StackContent, lines: Sequence[Line], cells: dict[int, list[Text]]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    below = " " if stack.levels else None  # Rich would put titles of one line beside the levels
    table.add_column(_heading("benchmark", below), overflow="fold")
    table.add_column(_heading("size", below), justify="right", no_wrap=True)
    table.add_column(_heading("C", stack.levels.get(REFERENCE)), justify="right", no_wrap=True)
    for index in cells:
        name = stack.columns[index]
        table.add_column(_heading(name, stack.levels.get(name)), justify="right", overflow="fold")
    previous = None
    for number, line in enumerate(lines):
        if any(line.cells[index].verdict for index in cells):
            title = "" if line.family == previous else line.family.title
            table.add_row(
                Text(title, style="bold"),
                line.size,
                line.reference or "–",
                *(column[number] for column in cells.values()),
            )
            previous = line.family
    return table


def _heading(title: str, level: str | None) -> Text:
    return Text.assemble(title, "\n", (level, "dim not bold")) if level else Text(title)


def _cell(cell: Cell) -> Text:
    if not cell.verdict:
        return Text("–", style="dim")
    style = _STYLES.get(cell.verdict, "dim")
    if not cell.ratio:
        return Text(cell.time or cell.verdict, style=style)
    return Text.assemble((f"{cell.sign}{cell.delta}", style), f" {cell.ratio}×")


def _print_answers(stack: StackContent, console: Console) -> None:
    width = min(console.width, _READABLE_WIDTH)
    for block in stack.bindings:
        for _, text in block.said[:1]:
            console.print()
            console.print(Text(text), width=width)
    for text in filter(None, (stack.waiting, stack.threads, stack.noise)):
        console.print()
        console.print(Text(text), width=width)


def _print_troubles(words: Content, console: Console) -> None:
    width = min(console.width, _READABLE_WIDTH)
    for title, texts, style in (("What went wrong", words.failures, "red"), ("Not measured", words.gaps, "yellow")):
        if texts:
            console.print()
            console.print(Text(title, style=style))
            for text in texts:
                console.print(Padding(Text(text), (0, 0, 0, 2)), width=width)
    console.print()
