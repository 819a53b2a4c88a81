"""A projection in the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import model_sentence, summary
from polympi.lab.projection.model import Projection
from polympi.lab.report.projection.tables import KEY, Table, against_table, arm_table, network_sentence


def print_projection(projection: Projection, console: Console) -> None:
    """Print the tables of a projection, and what it says."""
    for stack in projection.stacks:
        _print(network_sentence(stack.network), console)
        for arm in stack.arms:
            if arm.shown:
                console.print()
                console.print(_rich(arm_table(projection, stack, arm)))
    console.print()
    console.print(Text(KEY, style="dim"), soft_wrap=True)
    for text in (*summary(projection), model_sentence(projection)):
        console.print()
        _print(text, console)


def print_against(found: Sequence[Miss], console: Console) -> None:
    """Print predicted and measured figures, and the errors."""
    console.print(_rich(against_table(found)))
    _print(answer(list(found)), console)


def _print(text: str, console: Console) -> None:
    console.print(Text(text), soft_wrap=True)


def _rich(table: Table) -> RichTable:
    made = RichTable(title=table.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, header in enumerate(table.headers):
        made.add_column(header, justify="left" if number < table.words else "right", overflow="fold")
    for line in table.lines:
        made.add_row(*map(Text, line))
    return made
