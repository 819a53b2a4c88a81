"""Writes the reports of a run into its directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polympi.lab.errors import UsageError
from polympi.lab.importers.keep import kept_rows
from polympi.lab.report.csvfiles import write_csv
from polympi.lab.report.generator import refuse_to_empty, refuse_to_replace, write_text
from polympi.lab.statistics.model import Analysis

FORMATS = ("html", "markdown", "csv", "png", "svg")
_REPORTS = {"html": "report.html", "markdown": "report.md"}


def write_report(analysis: Analysis, directory: Path, formats: Sequence[str], force: bool = False) -> list[Path]:
    """Write reports of a run; those that polympi wrote before are replaced.

    Args:
        analysis: the run.
        directory: its result directory.
        formats: some of :data:`FORMATS`.
        force: replace a ``report.html`` or ``report.md`` that polympi did not make, or that says more than this
            analysis, in which nothing was compared with C.

    Returns:
        The files written: ``report.html``, ``report.md``, ``summary.csv`` and ``memory.csv``, ``figures/*``.

    Raises:
        UsageError: an unknown format, a file that is not to be replaced unasked (then nothing is written), or
            that cannot be written.
        ResultError: the imported rows of the directory are damaged.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UsageError(f"There is no report format '{unknown[0]}': choose some of {', '.join(FORMATS)}.")
    if not force:
        for name in formats:
            if name in _REPORTS:
                refuse_to_replace(directory / _REPORTS[name], analysis)
        if "csv" in formats:
            refuse_to_empty(directory / "summary.csv", analysis)
    written: list[Path] = []
    if "csv" in formats:
        written += write_csv(analysis, directory)
    if "html" in formats:
        from polympi.lab.report.html import render_html  # noqa: PLC0415  (altair takes a while to import)

        page = render_html(analysis, kept_rows(directory))
        written.append(write_text(directory / _REPORTS["html"], page))
    if "markdown" in formats:
        from polympi.lab.report.markdown import render_markdown  # noqa: PLC0415

        text = render_markdown(analysis, kept_rows(directory))
        written.append(write_text(directory / _REPORTS["markdown"], text))
    pictures = [name for name in ("png", "svg") if name in formats]
    if pictures:
        from polympi.lab.report.images import write_images  # noqa: PLC0415

        written += write_images(analysis, directory, pictures)
    return written
