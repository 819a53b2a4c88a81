"""``polympi diff``: has a binding become slower from one run to the next?"""

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from polympi.lab.cli.arguments import split_list
from polympi.lab.cli.console import errors, results
from polympi.lab.cli.names import complete_results
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
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.comparable import choose_rows, why_not_comparable, why_nothing_was_compared
from polympi.lab.statistics.comparison.compare import THRESHOLD, compare
from polympi.lab.statistics.comparison.model import Comparison
from polympi.lab.statistics.comparison.verdicts import EXIT_NOT_COMPARABLE, exit_code_of
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import parse_percent

_STYLES = {"slower": "red", "faster": "green", "unknown": "yellow"}
_STDOUT: Final = Path("-")


def diff(
    before: Annotated[
        Path, typer.Argument(metavar="A", help="Result directory of the earlier run.", autocompletion=complete_results)
    ],
    after: Annotated[
        Path, typer.Argument(metavar="B", help="Result directory of the later run.", autocompletion=complete_results)
    ],
    binding: Annotated[
        str | None, typer.Option("--binding", metavar="NAME,...", help="Judge these bindings only.")
    ] = None,
    bench: Annotated[
        str | None,
        typer.Option(
            "--bench",
            metavar="NAME,...",
            help="Judge these benchmarks only: names or patterns of benchmark/mode/payload, such as 'latency/ready*'.",
        ),
    ] = None,
    threshold: Annotated[
        str, typer.Option("--threshold", metavar="PERCENT", help="The smallest change that counts.")
    ] = f"{THRESHOLD:.0%}",
    absolute: Annotated[
        bool, typer.Option("--absolute", help="Judge times instead of ratios to C: for another MPI, stack or machine.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Also show groups without a change, and all rows.")] = False,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; '-': to standard output.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write Markdown for a pull request; '-': to standard output."),
    ] = None,
) -> None:
    """Compare two runs: every binding by its ratio to C, so that the drift of the machine between them cancels.

    Exit codes:
    0 nothing became slower, and it could tell
    1 something became slower
    2 the runs cannot be compared
    3 unknown: nothing was found slower, but somewhere it could not tell
    """
    limit = parse_percent(threshold)
    _refuse(json, markdown)
    bindings = [] if binding is None else split_list(binding, "--binding")
    patterns = [] if bench is None else split_list(bench, "--bench")
    first, second = (analyse(RunDirectory.open(path)) for path in (before, after))
    if before.resolve() == after.resolve() or _are_one(first, second):
        text = f"! '{before}' and '{after}' are the same run, in which nothing can have changed: give two runs."
        errors.print(text, style="yellow", markup=False, soft_wrap=True)
    reasons = why_not_comparable(first, second, absolute=absolute)
    comparison = None
    if not reasons:
        chosen = choose_rows(first, second, bindings=bindings, patterns=patterns, absolute=absolute)
        comparison = compare(first, second, chosen=chosen, absolute=absolute, threshold=limit)
        reasons = why_nothing_was_compared(comparison)
    for reason in reasons:
        errors.print(f"polympi: {reason}", markup=False, soft_wrap=True)
    if reasons or comparison is None:
        code, sentences = EXIT_NOT_COMPARABLE, ["Not comparable.", *reasons]
    else:
        code = exit_code_of([group.verdict for group in comparison.groups])
        sentences = _sentences(comparison, (before, first), (after, second))
        if _STDOUT not in (json, markdown):
            _show(comparison, sentences, every, results)
        if markdown is not None:
            _write(markdown, render_changes(comparison, str(before), str(after), sentences, every=every))
    if json is not None:
        document = DiffDocument(
            before=str(before),
            after=str(after),
            exit_code=code,
            answer=" ".join(reasons) or sentences[0],
            absolute=absolute,
            threshold=limit,
            groups=comparison.groups if comparison else [],
            rows=comparison.rows if comparison else [],
        )
        _write(json, render_json(document))
    raise typer.Exit(code)


def _are_one(first: Analysis, second: Analysis) -> bool:
    """Whether one is a copy of the other."""
    return first.run == second.run and first.launches == second.launches and first.summary.equals(second.summary)


def _refuse(json: Path | None, markdown: Path | None) -> None:
    """Make sure, before anything is read, that what is asked for can be written and overwrites nothing."""
    if json is not None and json == markdown:
        raise UsageError(f"--json and --markdown cannot both go to '{json}': give one of them another file.")
    for option, path in (("--json", json), ("--markdown", markdown)):
        if path is None or path == _STDOUT:
            continue
        if path.exists() or path.is_symlink():
            raise UsageError(f"'{path}' exists and is never overwritten: choose another file with {option}.")
        if not path.parent.is_dir():
            raise UsageError(f"There is no folder '{path.parent}' for {option} '{path}': make it first.")


def _write(path: Path, text: str) -> None:
    """Write to standard output, or to a new file."""
    if path == _STDOUT:
        typer.echo(text, nl=False)
        return
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError(f"'{path}' exists and is never overwritten: choose another file.") from error


def _sentences(comparison: Comparison, *runs: tuple[Path, Analysis]) -> list[str]:
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
