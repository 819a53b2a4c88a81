"""The forms of a report by name: what ``polympi report`` offers, and what writes each.

Nothing is imported before it is used: the command line asks for the names alone, and a page takes a while to import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from polympi.lab.errors import UsageError

if TYPE_CHECKING:
    from polympi.lab.statistics.model import Analysis

PAGE, TEXT = "report.html", "report.md"
OF_A_BINDING = ("html", "markdown")  # the forms that a report about one binding has


@dataclass(frozen=True)
class Exporter:
    """One form of a report."""

    summary: str  # what it is, as `polympi report --help` says it
    write: Callable[[Analysis, Path], list[Path]]  # writes it into a result directory, and returns the files
    # Makes sure that nothing is replaced that only `--force` may replace; raises a UsageError.
    refuse: Callable[[Analysis, Path], None]


def _name(whole: str, analysis: Analysis) -> str:
    """The file of a report: of a binding alone next to the one of the run."""
    stem, _, suffix = whole.partition(".")
    return f"{stem}-{analysis.about}.{suffix}" if analysis.about else whole


def _write_html(analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.importers.keep import kept_rows
    from polympi.lab.report.generator import write_text
    from polympi.lab.report.html import render_html

    return [write_text(directory / _name(PAGE, analysis), render_html(analysis, kept_rows(directory)))]


def _write_markdown(analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.importers.keep import kept_rows
    from polympi.lab.report.generator import write_text
    from polympi.lab.report.markdown import render_markdown

    return [write_text(directory / _name(TEXT, analysis), render_markdown(analysis, kept_rows(directory)))]


def _write_csv(analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.report.csvfiles import write_csv

    return write_csv(analysis, directory)


def _write_images(form: str, analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.report.images import write_images

    return write_images(analysis, directory, form)


def _write_bencher(analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.report.bencher import write_bencher

    return write_bencher(analysis, directory)


def _write_github_benchmark(analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.report.github_benchmark import write_github_benchmark

    return write_github_benchmark(analysis, directory)


def _write_badge(analysis: Analysis, directory: Path) -> list[Path]:
    from polympi.lab.report.badge import write_badge

    return write_badge(analysis, directory)


def _keep_report(name: str, analysis: Analysis, directory: Path) -> None:
    from polympi.lab.report.generator import refuse_to_replace

    refuse_to_replace(directory / _name(name, analysis), analysis)


def _keep_table(analysis: Analysis, directory: Path) -> None:
    from polympi.lab.report.csvfiles import SUMMARY
    from polympi.lab.report.generator import refuse_to_empty

    refuse_to_empty(directory / SUMMARY, analysis)


def _replace(_analysis: Analysis, _directory: Path) -> None:
    """Replaces what is there, which can be regenerated."""


EXPORTERS = {
    "html": Exporter("One self-contained page: report.html.", _write_html, partial(_keep_report, PAGE)),
    "markdown": Exporter("For a README or a pull request: report.md.", _write_markdown, partial(_keep_report, TEXT)),
    "csv": Exporter(
        "The tables: summary.csv, memory.csv, factors.csv, scaling.csv, limits.csv, study.csv.", _write_csv, _keep_table
    ),
    "png": Exporter("Every plot: figures/*.png.", partial(_write_images, "png"), _replace),
    "svg": Exporter("Every plot: figures/*.svg.", partial(_write_images, "svg"), _replace),
    "bencher": Exporter("For Bencher: bencher.json.", _write_bencher, _replace),
    "github-action-benchmark": Exporter(
        "For github-action-benchmark: benchmark-smaller.json and -bigger.json.", _write_github_benchmark, _replace
    ),
    "badge": Exporter("For an endpoint badge of shields.io: badge.json.", _write_badge, _replace),
}


def write_report(analysis: Analysis, directory: Path, formats: Sequence[str], force: bool = False) -> list[Path]:
    """Write reports of a run, in some formats of :data:`EXPORTERS`; those that polympi wrote before are replaced.

    A ``report.html`` or ``report.md`` that polympi did not make, or that says more than this analysis, in which nothing
    was compared with C, is replaced with `force` alone; otherwise nothing is written. UsageError for that, an unknown
    format, and a file that cannot be written; ResultError if the imported rows are damaged.
    """
    unknown = [name for name in formats if name not in EXPORTERS]
    if unknown:
        raise UsageError(f"There is no report format '{unknown[0]}': choose some of {', '.join(EXPORTERS)}.")
    chosen = [exporter for name, exporter in EXPORTERS.items() if name in formats]
    if not force:
        for exporter in chosen:
            exporter.refuse(analysis, directory)
    return [path for exporter in chosen for path in exporter.write(analysis, directory)]
