"""``polympi diff``: has a binding become slower from one run to the next?"""

from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.cli.arguments import split_list
from polympi.lab.cli.compared import (
    USUAL_THRESHOLD,
    Answer,
    Every,
    Forms,
    Json,
    Judged,
    JudgedBench,
    Markdown,
    Threshold,
    refuse,
    sentences_on,
)
from polympi.lab.cli.console import errors
from polympi.lab.cli.names import complete_results
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.comparable import choose_rows, why_not_comparable, why_nothing_was_compared
from polympi.lab.statistics.comparison.compare import compare
from polympi.lab.statistics.comparison.verdicts import EXIT_NOT_COMPARABLE, exit_code_of
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import parse_percent


def diff(
    before: Annotated[
        Path, typer.Argument(metavar="A", help="Result directory of the earlier run.", autocompletion=complete_results)
    ],
    after: Annotated[
        Path, typer.Argument(metavar="B", help="Result directory of the later run.", autocompletion=complete_results)
    ],
    binding: Judged = None,
    bench: JudgedBench = None,
    threshold: Threshold = USUAL_THRESHOLD,
    absolute: Annotated[
        bool, typer.Option("--absolute", help="Judge times instead of ratios to C: for another MPI, stack or machine.")
    ] = False,
    every: Every = False,
    json: Json = None,
    markdown: Markdown = None,
) -> None:
    """Compare two runs: every binding by its ratio to C, so that the drift of the machine between them cancels.

    Exit codes:
    0 nothing became slower, and it could tell
    1 something became slower
    2 the runs cannot be compared
    3 unknown: nothing was found slower, but somewhere it could not tell
    """
    limit = parse_percent(threshold)
    refuse(json, markdown)
    bindings = [] if binding is None else split_list(binding, "--binding")
    patterns = [] if bench is None else split_list(bench, "--bench")
    first, second = (analyse(RunDirectory.open(path)) for path in (before, after))
    if before.resolve() == after.resolve() or _are_one(first, second):
        text = f"! '{before}' and '{after}' are the same run, in which nothing can have changed: give two runs."
        errors.print(text, style="yellow", markup=False, soft_wrap=True)
    comparison, reasons = None, why_not_comparable(first, second, absolute=absolute)
    if not reasons:
        chosen = choose_rows(first, second, bindings=bindings, patterns=patterns, absolute=absolute)
        comparison = compare(first, second, chosen=chosen, absolute=absolute, threshold=limit)
        reasons = why_nothing_was_compared(comparison)
    if reasons or comparison is None:
        found = Answer("diff", before, after, None, reasons, EXIT_NOT_COMPARABLE)
    else:
        code = exit_code_of([group.verdict for group in comparison.groups])
        sentences = sentences_on(comparison, [(before, first), (after, second)])
        found = Answer("diff", before, after, comparison, sentences, code)
    Forms(every, json, markdown).give(found, limit, absolute=absolute)
    raise typer.Exit(found.exit_code)


def _are_one(first: Analysis, second: Analysis) -> bool:
    """Whether one is a copy of the other."""
    return first.run == second.run and first.launches == second.launches and first.summary.equals(second.summary)
