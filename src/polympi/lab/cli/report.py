"""``polympi report``: the report of a result directory, in any of its forms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.cli.names import complete_results
from polympi.lab.errors import ResultError


def report(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A result directory of 'polympi run'.", autocompletion=complete_results),
    ],
    html: Annotated[bool, typer.Option("--html", help="One self-contained page: report.html.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="For a README or a pull request: report.md.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The tables: summary.csv, memory.csv.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Every plot: figures/*.png.")] = False,
    svg: Annotated[bool, typer.Option("--svg", help="Every plot: figures/*.svg.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace reports of others, or that say more.")] = False,
) -> None:
    """Print the summary of a run and write its report (HTML unless another form is asked for)."""
    from polympi.lab.cli.console import results
    from polympi.lab.findings.gaps import failures
    from polympi.lab.report import write_report
    from polympi.lab.report.terminal import print_summary
    from polympi.lab.samples.store import RunDirectory
    from polympi.lab.statistics.analysis import analyse

    analysis = analyse(RunDirectory.open(directory))
    wanted = {"html": html, "markdown": markdown, "csv": csv, "png": png, "svg": svg}
    formats = [name for name, chosen in wanted.items() if chosen] or ["html"]
    if analysis.summary.is_empty() and any((directory / name).exists() for name in ("report.html", "report.md")):
        why = " ".join(failures(analysis)) or "It has no launch that ended well."
        raise ResultError(f"Nothing of the run in '{directory}' can be used, so that its report stays as it is. {why}")
    written = write_report(analysis, directory, formats, force=force)
    print_summary(analysis, results)
    for path in written:
        results.print(str(path), markup=False, soft_wrap=True)
