"""An audit in the terminal: one screen."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from polympi.lab.audit.model import Audit
from polympi.lab.conclusions.phrases import count, percent
from polympi.lab.report.audit import tables, words
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.projection.tables import Table
from polympi.lab.units import format_bytes

CALLS = 8  # rows of the table of calls
_READABLE_WIDTH = 100  # columns beyond which running text is hard to follow
_WIDE = 110  # columns from which on the table of calls has all its columns
_METER = 20  # characters of the bar of an efficiency
_NARROW_COLUMNS = ("procedure", "site", "calls", "time", "share", "per call")


def print_audit(audit: Audit, console: Console) -> None:
    """Print the sentence that sums an audit up, what to change, the efficiencies, and the most expensive calls."""
    figures = Figures(audit)
    width = min(console.width, _READABLE_WIDTH)
    for text in words.troubles(figures):
        console.print(Text(text, style="red"), width=width)
    console.print(Text(words.headline(figures), style="bold"), width=width)
    _print_totals(figures, console, width)
    _print_efficiencies(audit, console)
    for number, one in enumerate(audit.findings[: words.SHOWN], 1):
        console.print()
        title = words.cause(one, figures)
        console.print(Text.assemble(f"{number}. ", (title[0].upper() + title[1:], "bold")), width=width)
        console.print(
            Padding(Text(f"{words.loss(one)}; {words.evidence(one)}.", style="dim"), (0, 0, 0, 3)), width=width
        )
        console.print(Padding(Text(words.advice(one)), (0, 0, 0, 3)), width=width)
    if audit.calls:
        console.print()
        console.print(_calls(figures, wide=console.width >= _WIDE))
        if (rest := len(figures.sites) - CALLS) > 0:
            console.print(Text(f"{rest:,} more in the page.", style="dim"))
    console.print()
    console.print(Text(words.recording_sentence(figures), style="dim"), width=width)


def _print_totals(figures: Figures, console: Console, width: int) -> None:
    audit = figures.audit
    messages = f"{count(figures.message_count, 'message')} with {format_bytes(figures.byte_count)}"
    text = (
        f"{words.seconds_text(audit.seconds)} on {count(len(audit.ranks), 'rank')}: {count(figures.call_count, 'call')}"
    )
    console.print(Text(f"{text}, {messages}.", style="dim"), width=width)


def _print_efficiencies(audit: Audit, console: Console) -> None:
    console.print()
    table = RichTable.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for one in words.efficiencies(audit):
        value = "unknown" if one.value is None else percent(one.value)
        filled = round(_METER * min(1.0, one.value or 0.0))
        table.add_row(one.name, value, "█" * filled + "░" * (_METER - filled), one.meaning)
    console.print(table)


def _calls(figures: Figures, *, wide: bool) -> RichTable:
    table = tables.call_table(figures, CALLS)
    chosen = [i for i, name in enumerate(table.headers) if wide or name in _NARROW_COLUMNS]
    return rich_table(table, chosen)


def rich_table(table: Table, columns: list[int] | None = None) -> RichTable:
    """A table for the terminal, or some of its columns."""
    chosen = list(range(len(table.headers))) if columns is None else columns
    made = RichTable(box=None, pad_edge=False, header_style="dim")
    for number in chosen:
        made.add_column(table.headers[number], justify="left" if number < table.words else "right", overflow="fold")
    for line in table.lines:
        made.add_row(*(Text(line[number]) for number in chosen))
    return made
