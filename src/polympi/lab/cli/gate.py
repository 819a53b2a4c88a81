"""``polympi gate``: measure now, and fail if a binding has become slower than in a baseline."""

import datetime
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
    Markdown,
    Threshold,
    refuse,
    sentences_on,
)
from polympi.lab.cli.console import errors, say, say_home
from polympi.lab.cli.display import shown
from polympi.lab.cli.exit_codes import INTERRUPTED
from polympi.lab.cli.names import complete_results
from polympi.lab.conclusions.phrases import count
from polympi.lab.errors import UsageError
from polympi.lab.run.gate import Asked, Judged
from polympi.lab.run.gate import gate as judge
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.comparison.verdicts import EXIT_NOT_COMPARABLE, EXIT_SLOWER, exit_code_of
from polympi.lab.units import parse_duration, parse_percent


def gate(
    against: Annotated[
        Path,
        typer.Option(
            "--against",
            metavar="DIR",
            help="The baseline: the result directory of a run here, best with '--profile baseline'.",
            autocompletion=complete_results,
        ),
    ],
    binding: Annotated[
        str | None,
        typer.Option("--binding", metavar="NAME,...", help="Measure these bindings only. Default: the baseline's."),
    ] = None,
    bench: Annotated[
        str | None,
        typer.Option(
            "--bench",
            metavar="NAME,...",
            help="Measure these benchmarks only: names, or patterns of benchmark/mode/payload.",
        ),
    ] = None,
    threshold: Threshold = USUAL_THRESHOLD,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time-limit",
            metavar="TIME",
            help="Stop measuring after this time (90s, 10m), and judge by what there is.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="New folder for what is measured. Default: polympi-gate-DATE-TIME."
        ),
    ] = None,
    every: Every = False,
    json: Json = None,
    markdown: Markdown = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="If another run is measuring on this machine, wait for it to end.")
    ] = False,
) -> None:
    """Measure again what a baseline measured, and fail if a binding has become slower: for CI.

    Bindings are compared by their ratios to C. What looks slower, or is unclear, is measured again, up to three times.
    A binding is called slower only if two rounds in a row, with their own launches, find it so.

    Exit codes:
    0 nothing became slower, and it could tell
    1 something became slower, or could not be measured any more
    2 it cannot be compared with the baseline
    3 unknown: nothing was found slower, but somewhere it could not tell
    130 interrupted
    """
    limit = parse_percent(threshold)
    refuse(json, markdown)
    asked = Asked(
        folder=output or Path(f"polympi-gate-{datetime.datetime.now():%Y%m%d-%H%M%S}"),
        bindings=[] if binding is None else split_list(binding, "--binding"),
        patterns=[] if bench is None else split_list(bench, "--bench"),
        threshold=limit,
        time_limit_s=None if time_limit is None else parse_duration(time_limit),
    )
    say_home()
    with shown() as watcher:
        judged = judge(RunDirectory.open(against), asked, watcher=watcher, wait=wait)
    if judged.comparison is None and not judged.reasons:
        _end_without_answer(judged, asked, time_limit)
    found = _answer(against, asked, judged)
    Forms(every, json, markdown).give(found, limit)
    say(f"what was measured is in '{asked.folder}'; 'polympi report {asked.folder}/round-1' shows it")
    raise typer.Exit(INTERRUPTED if judged.interrupted else found.exit_code)


def _answer(against: Path, asked: Asked, judged: Judged) -> Answer:
    comparison = judged.comparison
    if comparison is None:
        return Answer("gate", against, asked.folder, None, judged.reasons, EXIT_NOT_COMPARABLE)
    code = EXIT_SLOWER if judged.failed else exit_code_of([group.verdict for group in comparison.groups])
    failed = [f"Failed: {name} could not be measured any more: {why}." for name, why in judged.failed.items()]
    sentences = sentences_on(comparison, [(against, judged.before), *judged.rounds])
    rounds = f"Measured in {count(len(judged.rounds), 'round')}."
    return Answer("gate", against, asked.folder, comparison, [*failed, *sentences, rounds], code)


def _end_without_answer(judged: Judged, asked: Asked, time_limit: str | None) -> None:
    """End where not even one round can be judged."""
    if judged.interrupted:
        text = f"polympi: stopped before a round was judged; '{asked.folder}' holds what was measured."
        errors.print(text, markup=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
    if judged.failed:
        why = "; ".join(f"{name} failed: {reason}" for name, reason in judged.failed.items())
        raise UsageError(f"Nothing could be measured: {why}.")
    raise UsageError(
        f"The time limit of {time_limit} ended before the first block in '{asked.folder}' was complete: give more."
    )
