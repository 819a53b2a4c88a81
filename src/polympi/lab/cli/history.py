"""``polympi history``: at which run did a binding become slower, and what changed there?"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid
from rich.text import Text

from polympi import __version__
from polympi.lab.cli.arguments import split_list
from polympi.lab.cli.compared import (
    STDOUT,
    USUAL_THRESHOLD,
    Json,
    Judged,
    JudgedBench,
    Markdown,
    Threshold,
    refuse,
    write,
)
from polympi.lab.cli.console import results, say
from polympi.lab.cli.names import complete_results
from polympi.lab.conclusions.history import sentences
from polympi.lab.errors import ResultError
from polympi.lab.report.generator import refuse_to_replace_others, write_text
from polympi.lab.report.history.files import render_json, render_markdown
from polympi.lab.report.history.page import render_page
from polympi.lab.report.history.tables import Table, step_table
from polympi.lab.statistics.history.follow import follow
from polympi.lab.statistics.history.runs import Run, by_processor, chosen_rows, comparable
from polympi.lab.units import parse_percent

FEWEST_RUNS = 2


def history(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Result directories of runs.", autocompletion=complete_results),
    ],
    binding: Judged = None,
    bench: JudgedBench = None,
    threshold: Threshold = USUAL_THRESHOLD,
    as_given: Annotated[
        bool, typer.Option("--as-given", help="Take the runs in the order given, as of commits, and not by time.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page; one that polympi made is replaced.")
    ] = Path("history.html"),
    json: Json = None,
    markdown: Markdown = None,
) -> None:
    """Follow bindings over many runs: when one became slower against C, and what else changed then.

    Processors, MPI libraries and versions of bindings may differ between the runs.
    """
    limit = parse_percent(threshold)
    refuse(json, markdown)
    refuse_to_replace_others(output)
    bindings = [] if binding is None else split_list(binding, "--binding")
    patterns = [] if bench is None else split_list(bench, "--bench")
    runs, left_out = comparable(_read(directories, as_given=as_given))
    _need_two(runs, left_out)
    found = follow(by_processor(runs), chosen=chosen_rows(runs, bindings, patterns), threshold=limit)
    said = sentences(found, runs, left_out)
    if STDOUT not in (json, markdown):
        for text in said:
            results.print(text, markup=False, soft_wrap=True)
        _show(step_table(found, runs))
    if markdown is not None:
        write(markdown, render_markdown(found, runs, said, __version__))
    if json is not None:
        write(json, render_json(found, runs, said, left_out))
    say(f"the page is '{write_text(output, render_page(found, runs, said, __version__))}'")


def _read(directories: Sequence[Path], *, as_given: bool) -> list[Run]:
    """The runs, each once, in order of time or as they were given."""
    paths = {path.resolve(): path for path in directories}.values()
    with ThreadPoolExecutor() as threads:  # Polars reads without the interpreter
        runs = list(threads.map(Run.read, paths))
    return runs if as_given else sorted(runs, key=lambda run: run.when)


def _need_two(runs: Sequence[Run], left_out: dict[str, str]) -> None:
    if len(runs) < FEWEST_RUNS:
        why = " ".join(f"'{path}': {reason}" for path, reason in left_out.items())
        text = f"A history needs {FEWEST_RUNS} runs that can be compared, and there is {len(runs)}."
        raise ResultError(f"{text} {why}".rstrip())


def _show(lines: Table) -> None:
    if not lines.lines:
        return
    grid = Grid(title=lines.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, header in enumerate(lines.headers):
        words = number in lines.words
        grid.add_column(header, justify="left" if words else "right", overflow="fold")
    for line in lines.lines:
        grid.add_row(*map(Text, line))
    results.print()
    results.print(grid)
