"""Options of ``polympi diff``, ``gate`` and ``history``, and what they print and write of a comparison."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from polympi.lab.cli.console import errors, results
from polympi.lab.conclusions.changes import (
    answer,
    drift_sentence,
    floor_sentence,
    reference_sentence,
    unknown_sentence,
    unused_launches,
)
from polympi.lab.errors import UsageError
from polympi.lab.report import changes
from polympi.lab.report.changes import DiffDocument, render_changes, render_json
from polympi.lab.statistics.comparison.compare import THRESHOLD
from polympi.lab.statistics.comparison.model import Comparison
from polympi.lab.statistics.model import Analysis

_STYLES = {"slower": "red", "faster": "green", "unknown": "yellow"}
STDOUT: Final = Path("-")

Threshold = Annotated[str, typer.Option("--threshold", metavar="PERCENT", help="The smallest change that counts.")]
USUAL_THRESHOLD = f"{THRESHOLD:.0%}"
Judged = Annotated[str | None, typer.Option("--binding", metavar="NAME,...", help="Judge these bindings only.")]
JudgedBench = Annotated[
    str | None,
    typer.Option(
        "--bench",
        metavar="NAME,...",
        help="Judge these benchmarks only: names or patterns of benchmark/mode/payload, such as 'latency/ready*'.",
    ),
]
Every = Annotated[bool, typer.Option("--all", help="Also show groups without a change, and all rows.")]
Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; '-': to standard output.")
]
Markdown = Annotated[
    Path | None,
    typer.Option("--markdown", metavar="FILE", help="Write Markdown for a pull request; '-': to standard output."),
]


@dataclass(frozen=True)
class Answer:
    """What a command has found."""

    command: str  # its name
    before: Path
    after: Path
    comparison: Comparison | None  # None if the runs can't be compared
    sentences: list[str]  # the answer first; why the runs can't be compared, if they can't
    exit_code: int


@dataclass(frozen=True)
class Forms:
    """In which forms a comparison is wanted, in addition to the table or instead of it."""

    every: bool  # also what hasn't changed
    json: Path | None
    markdown: Path | None

    def give(self, found: Answer, threshold: float, *, absolute: bool = False) -> None:
        """Print and write the answer."""
        comparison = found.comparison
        if comparison is None:
            for reason in found.sentences:
                errors.print(f"polympi: {reason}", markup=False, soft_wrap=True)
        elif STDOUT not in (self.json, self.markdown):
            _show(comparison, found.sentences, self.every, results)
        if comparison is not None and self.markdown is not None:
            title = f"polympi {found.command}: {found.before} → {found.after}"
            write(self.markdown, render_changes(comparison, title, found.sentences, every=self.every))
        if self.json is not None:
            document = DiffDocument(
                before=str(found.before),
                after=str(found.after),
                exit_code=found.exit_code,
                answer=found.sentences[0] if comparison else " ".join(found.sentences),
                absolute=absolute,
                threshold=threshold,
                groups=comparison.groups if comparison else [],
                rows=comparison.rows if comparison else [],
            )
            write(self.json, render_json(document))


def refuse(json: Path | None, markdown: Path | None) -> None:
    """Make sure, before anything is read, that what is asked for can be written and overwrites nothing."""
    if json is not None and json == markdown:
        raise UsageError(f"--json and --markdown cannot both go to '{json}': give one of them another file.")
    for option, path in (("--json", json), ("--markdown", markdown)):
        if path is None or path == STDOUT:
            continue
        if path.exists() or path.is_symlink():
            raise UsageError(f"'{path}' exists and is never overwritten: choose another file with {option}.")
        if not path.parent.is_dir():
            raise UsageError(f"There is no folder '{path.parent}' for {option} '{path}': make it first.")


def write(path: Path, text: str) -> None:
    """Write to standard output, or to a new file."""
    if path == STDOUT:
        typer.echo(text, nl=False)
        return
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError(f"'{path}' exists and is never overwritten: choose another file.") from error


def sentences_on(comparison: Comparison, runs: Iterable[tuple[Path, Analysis]]) -> list[str]:
    """The answer, and what else is to be said of a comparison and its runs."""
    said = [answer, unknown_sentence, floor_sentence, drift_sentence, reference_sentence]
    found = [sentence(comparison) for sentence in said]
    return [text for text in (*found, *(unused_launches(str(path), run) for path, run in runs)) if text]


def _show(comparison: Comparison, sentences: list[str], every: bool, console: Console) -> None:
    first, *others = sentences
    word, colon, rest = first.partition(":")
    console.print(Text.assemble((word, f"bold {_STYLES.get(word.lower(), '')}"), colon, rest), soft_wrap=True)
    for text in others:
        console.print(Text(text), soft_wrap=True)
    tables = [changes.group_table(comparison, every=every), changes.row_table(comparison, every=every)]
    for title, table in zip(("Bindings by benchmark", "Rows" if every else "Rows that changed"), tables, strict=True):
        if table.lines:
            console.print()
            console.print(_table(title, table))
    below = [changes.KEY if tables[0].lines else None, None if every else changes.rest_sentence(comparison)]
    for note in filter(None, below):
        console.print()
        console.print(Text(note, style="dim"), soft_wrap=True)


_ABOVE = "C itself"  # a sentence says it; without this column the table fits 80 characters
_FOLDED = ("case", "rows")  # where it is too wide all the same these give way, between words


def _table(title: str, lines: changes.Table) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    shown = [column for column, header in enumerate(lines.headers) if header != _ABOVE]
    for column in shown:
        header = lines.headers[column]
        is_number = lines.numbers <= column < len(lines.headers) - 1
        no_wrap = header not in _FOLDED
        table.add_column(header, justify="right" if is_number else "left", overflow="fold", no_wrap=no_wrap)
    for line in lines.lines:
        *cells, verdict = (Text(line.cells[column]) for column in shown)
        verdict.stylize(_STYLES.get(line.verdict, ""))
        table.add_row(*cells, verdict)
    return table
