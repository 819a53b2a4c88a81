"""The summary printed at the end of a run: the answer on one screen, a row for each binding, a column for each case.

The page and its tables hold everything else.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from polympi.lab.conclusions.brief import NOTHING
from polympi.lab.conclusions.phrases import sentence
from polympi.lab.records import REFERENCE
from polympi.lab.report.cells import KEY, SIGNS
from polympi.lab.report.content import Content, StackContent, content
from polympi.lab.report.limits import LIMIT_TITLE
from polympi.lab.report.screen import Screen, ScreenCell, ScreenGroup
from polympi.lab.statistics.model import Analysis

_STYLES = {"slower": "red", "faster": "green", "ambiguous": "yellow", "invalid": "bold red"}
_READABLE_WIDTH = 100  # columns beyond which running text is hard to follow
_WIDEST = 150  # columns beyond which a row is hard to follow
_ROOM_FOR_BARS = 80  # columns from which on a cell has room for a bar
_ROOM_FOR_SENTENCES = 100  # columns from which on three sentences a binding leave the table in sight
_WIDEST_CELL = 28  # columns: a bar twice as long as the words next to it
_RATIO = 8  # characters of a sign, a ratio such as 1.012×, and a blank
_BLOCKS = " ▏▎▍▌▋▊▉█"  # eighths of a character
_DIVIDER = "what C shows"  # before the arms of C
_FASTER = "░"  # a bar of another shade, so that its direction shows without colour


def print_summary(analysis: Analysis, console: Console) -> None:
    """Print what a run found: for each stack the key, one row per binding with a bar, and three sentences.

    A cell shows a sign (its key stands above), the ratio to C, a bar as long as the ratio's logarithm, and below the
    difference to C. The width of the console is respected down to 60 columns.
    """
    words = content(analysis)
    for label in words.labels:
        console.print(Text.assemble((f" {label.word} ", "reverse"), " ", label.text))
    for stack in words.stacks:
        _print_stack(stack, words.shown, console)
    _print_factors(words, console)
    _print_studies(words, console)
    _print_scaling(words, console)
    _print_limits(words, console)
    _print_troubles(words, console)


def _print_factors(words: Content, console: Console) -> None:
    """What settings, placements and other stacks cost: one row per arm and level, and one sentence each."""
    width = min(console.width, _WIDEST)
    bars = width >= _ROOM_FOR_BARS
    for section in words.factors:
        console.print()
        console.print(Text(section.heading, style="bold"))
        console.print(Text(f"{section.note}", style="dim"), width=min(width, _READABLE_WIDTH))
        titles = max((group.language for group in section.screen.groups), key=len)
        console.print(_table(section.screen, {}, width, bars=bars, title="C at the base", divider=titles))
        for part in section.parts:
            shown = [(name, text) for name, text in part.sentences if name == REFERENCE or name in words.shown]
            console.print(Text.assemble((part.title, "bold"), " ", (part.how, "dim")))
            for _, text in shown:
                console.print(Padding(Text(text), (0, 0, 0, 2)), width=min(width, _READABLE_WIDTH))


def _print_studies(words: Content, console: Console) -> None:
    width = min(console.width, _READABLE_WIDTH)
    for one in words.studies:
        console.print()
        console.print(Text(f"{one.title}, on {one.stack}", style="bold"))
        console.print(Text(" ".join((one.answer, *one.statements))), width=width)
        for table in one.tables:
            console.print()
            console.print(Text(table.title, style="dim italic"))
            console.print(_figures(table.headers, table.lines), width=min(console.width, _WIDEST))
        if one.advice:
            console.print()
            console.print(Text("Which interface for whom", style="dim italic"))
            for text in one.advice:
                console.print(Padding(Text(text), (0, 0, 0, 2)), width=width)
        console.print()
        published = f"Published: {one.source.citation}; {one.source.setting}."
        console.print(Text(" ".join(filter(None, (one.note, published, one.missing))), style="dim"), width=width)


def _figures(headers: Iterable[str], lines: Iterable[Sequence[str]]) -> Table:
    drawn = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for number, header in enumerate(headers):
        drawn.add_column(header, justify="right" if number else "left", overflow="fold")
    for name, *figures in lines:
        drawn.add_row(Text(name, style="bold"), *map(Text, figures))
    return drawn


def _print_scaling(words: Content, console: Console) -> None:
    """How applications scale: a sentence, then one row per arm and number of ranks, with intervals if there is room."""
    width = min(console.width, _READABLE_WIDTH)
    roomy = console.width >= _ROOM_FOR_SENTENCES
    for one in words.scaling:
        console.print()
        console.print(Text.assemble((f"Scaling of {one.title} on {one.stack}", "bold")))
        console.print(Text(one.answer), width=width)
        shown = [line for line in one.lines if line.binding in words.shown or line.binding == REFERENCE]
        lines = [(line.binding * line.first, *(line.figures if roomy else line.short)) for line in shown]
        console.print(_figures(one.headers, lines), width=min(console.width, _WIDEST))


def _print_limits(words: Content, console: Console) -> None:
    if not words.limits:
        return
    console.print()
    console.print(Text(LIMIT_TITLE, style="bold"))
    for one in words.limits:
        console.print(Text(f"{one.title}: {one.answer}"), width=min(console.width, _READABLE_WIDTH))


def _print_stack(stack: StackContent, shown: Sequence[str], console: Console) -> None:
    console.print()
    title = Text(stack.stack, style="bold")
    if stack.library and stack.library != stack.stack:
        title.append(f"  {stack.library}", style="dim")
    console.print(title)
    if stack.no_reference:
        console.print(Text(stack.no_reference.text, style="bold red"), width=min(console.width, _READABLE_WIDTH))
        if stack.no_reference.whole:
            return
    if not (stack.screen.bindings or stack.screen.arms_of_c):
        console.print("No binding was compared with C.", style="dim")
        return
    width = min(console.width, _WIDEST)
    if stack.headline:
        console.print(Text(stack.headline, style="bold"), width=min(width, _READABLE_WIDTH))
    if stack.languages is not None:
        console.print("The cheapest binding of each language, time over C's:")
        for text in stack.languages.answers:
            console.print(Padding(Text(text), (0, 0, 0, 2)), width=min(width, _READABLE_WIDTH))
    bars = width >= _ROOM_FOR_BARS
    console.print(_key(stack.screen, bars=bars), width=width)
    console.print(_table(stack.screen, stack.levels, width, bars=bars))
    _print_sentences(stack, shown, console, all_of_them=width >= _ROOM_FOR_SENTENCES)


def _key(screen: Screen, *, bars: bool) -> Text:
    lines = (*screen.bindings, *screen.arms_of_c)
    seen = {one.cell.verdict for line in lines for one in line.cells}
    parts = [f"{SIGNS[verdict]} {words}" for verdict, words in KEY.items() if verdict in seen]
    if "" in seen:
        parts.append("– not measured")
    text = Text("   ".join(parts) + ".", style="dim")
    text.append(" Time over C's (×), and the difference below.", style="dim")
    if bars:
        text.append(f" A bar is as long as the ratio's logarithm, {_FASTER} where faster.", style="dim")
    return text


def _table(
    screen: Screen, levels: Mapping[str, str], width: int, *, bars: bool, title: str = "C", divider: str = _DIVIDER
) -> Table:
    """One row per arm, one column per case; `title` is the row of times, `levels` the thread levels of arms."""
    lines = (*screen.bindings, *screen.arms_of_c)
    names = max(map(len, (divider, title, *(line.binding for line in lines))))
    cell_width = min(max(_RATIO, (width - names - 1) // max(1, len(screen.columns)) - 1), _WIDEST_CELL)
    bar_width = cell_width - _RATIO if bars else 0
    longest = max(abs(math.log(screen.axis.low)), abs(math.log(screen.axis.high)))
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="")
    table.add_column(Text(""), overflow="fold", width=names)
    for column in screen.columns:
        short = column.title.partition(" ")[0]
        head = Text.assemble((short, "bold"), "\n", (f"{column.what}\n{column.size}", "dim"))
        table.add_column(head, width=cell_width, overflow="fold")
    times = [Text(column.reference or "–") for column in screen.columns]
    table.add_row(_name(REFERENCE, levels, title), *times)
    arms_of_c = (ScreenGroup(divider, screen.arms_of_c),) if screen.arms_of_c else ()
    for group in (*screen.groups, *arms_of_c):
        if group.language:
            table.add_row(Text(group.language, style="dim italic"), *([""] * len(screen.columns)))
        for line in group.lines:
            table.add_row(_name(line.binding, levels), *(_cell(one, bar_width, longest) for one in line.cells))
    return table


def _name(binding: str, levels: Mapping[str, str], title: str = "") -> Text:
    name = Text(title or ("C" if binding == REFERENCE else binding), style="bold")
    level = levels.get(binding)
    return name if level is None else Text.assemble(name, "\n", (f"  {level}", "dim"))


def _cell(one: ScreenCell, bar_width: int, longest: float) -> Text:
    words = one.cell
    if not words.verdict:
        return Text("–", style="dim")
    style = _STYLES.get(words.verdict, "dim")
    if words.row is None or not words.row.ratio_to_c:
        return Text(words.time or words.verdict, style=style)
    head = f"{words.sign}{words.ratio}×".ljust(_RATIO)
    drawn = _bar(math.log(words.row.ratio_to_c) / longest, bar_width)
    return Text.assemble(
        (head, style), (drawn, style), "\n", f" {words.delta}", f" ({words.typical})" * bool(words.typical)
    )


def _bar(share: float, width: int) -> str:
    """A bar of a share of the width; another shade where the share is negative."""
    eighths = round(8 * width * min(abs(share), 1.0))
    if share < 0:
        return _FASTER * round(eighths / 8)
    return (_BLOCKS[-1] * (eighths // 8) + _BLOCKS[eighths % 8]).rstrip()


def _print_sentences(stack: StackContent, shown: Sequence[str], console: Console, *, all_of_them: bool) -> None:
    """Sentences a binding, three or one, of many arms the most informative; then what concerns the stack."""
    lines = [(one.binding, one.brief if all_of_them else _telling(one.brief)) for one in stack.bindings]
    lines += [(one.binding, one.brief) for one in stack.arms_of_c]
    lines = [(name, sentences) for name, sentences in lines if name in shown]
    said = [(name, " ".join(sentences)) for name, sentences in lines if sentences]
    console.print()
    tools = [(one.tool, sentence(one.answer)) for one in stack.tools]
    console.print(_listed([*said, *tools, *stack.notes]), width=min(console.width, _READABLE_WIDTH))


def _telling(sentences: Sequence[str]) -> Sequence[str]:
    return [text for text in sentences if text not in NOTHING][:1]


def _listed(entries: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in entries:
        table.add_row(Text(name, style="bold"), Text(text))
    return table


def _print_troubles(words: Content, console: Console) -> None:
    width = min(console.width, _READABLE_WIDTH)
    for title, texts, style in (("What went wrong", words.failures, "red"), ("Not measured", words.gaps, "yellow")):
        if texts:
            console.print()
            console.print(Text(title, style=style))
            for text in texts:
                console.print(Padding(Text(text), (0, 0, 0, 2)), width=width)
    console.print()
