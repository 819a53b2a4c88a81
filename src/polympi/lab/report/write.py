"""Writes the reports of a run into its directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polympi.lab.errors import UsageError
from polympi.lab.report.exporters import EXPORTERS
from polympi.lab.statistics.model import Analysis


def write_report(analysis: Analysis, directory: Path, formats: Sequence[str], force: bool = False) -> list[Path]:
    """Write reports of a run; those that polympi wrote before are replaced.

    Args:
        analysis: the run.
        directory: its result directory.
        formats: some of :data:`~polympi.lab.report.exporters.EXPORTERS`.
        force: replace a ``report.html`` or ``report.md`` that polympi did not make, or that says more than this
            analysis, in which nothing was compared with C.

    Returns:
        The files written.

    Raises:
        UsageError: an unknown format, a file that is not to be replaced unasked (then nothing is written), or
            that cannot be written.
        ResultError: the imported rows of the directory are damaged.
    """
    unknown = [name for name in formats if name not in EXPORTERS]
    if unknown:
        raise UsageError(f"There is no report format '{unknown[0]}': choose some of {', '.join(EXPORTERS)}.")
    chosen = [exporter for name, exporter in EXPORTERS.items() if name in formats]
    if not force:
        for exporter in chosen:
            exporter.refuse(analysis, directory)
    return [path for exporter in chosen for path in exporter.write(analysis, directory)]
