"""The files of an audit: which forms there are, and what writes each.

Nothing is imported before it is used: the command line asks for the names alone.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polympi.lab.errors import UsageError, system_reason

if TYPE_CHECKING:
    from polympi.lab.audit.model import Audit

_HEAD = 4096  # bytes in which the mark of a file of ours stands


@dataclass(frozen=True)
class Exporter:
    """A form of an audit: its files, and what writes them."""

    summary: str
    files: tuple[str, ...]  # and folders
    mark: bytes  # near the beginning of each of its files, or of a file in its folder
    write: Callable[[Audit, Path], list[Path]]


def _write_html(audit: Audit, into: Path) -> list[Path]:
    from polympi.lab.report.audit.page import render_page
    from polympi.lab.report.generator import write_text

    return [write_text(into / "audit.html", render_page(audit))]


def _write_json(audit: Audit, into: Path) -> list[Path]:
    from polympi.lab.report.audit.jsonfile import render_json
    from polympi.lab.report.generator import write_text

    return [write_text(into / "audit.json", render_json(audit))]


def _write_csv(audit: Audit, into: Path) -> list[Path]:
    from polympi.lab.report.audit.csvfiles import write_csv

    return write_csv(audit, into)


def _write_markdown(audit: Audit, into: Path) -> list[Path]:
    from polympi.lab.report.audit.markdown import render_markdown
    from polympi.lab.report.generator import write_text

    return [write_text(into / "audit.md", render_markdown(audit))]


def _write_perfetto(audit: Audit, into: Path) -> list[Path]:
    from polympi.lab.report.audit.perfetto import write_perfetto

    return [write_perfetto(audit, into / "audit.perfetto-trace")]


def _write_otf2(audit: Audit, into: Path) -> list[Path]:
    from polympi.lab.report.audit.otf2file import write_otf2

    return [write_otf2(audit, into / "audit.otf2")]


CSV_FILES = ("audit-calls.csv", "audit-messages.csv", "audit-ranks.csv")
EXPORTERS = {
    "html": Exporter("One page that needs no network: audit.html.", ("audit.html",), b'content="polympi', _write_html),
    "json": Exporter("All of it, for programs: audit.json.", ("audit.json",), b'"polympi"', _write_json),
    "csv": Exporter(f"Tables: {', '.join(CSV_FILES)}.", CSV_FILES, b"rank", _write_csv),
    "markdown": Exporter("For a pull request: audit.md.", ("audit.md",), b"<!-- made by polympi", _write_markdown),
    "perfetto": Exporter(
        *("The timeline, for ui.perfetto.dev: audit.perfetto-trace.", ("audit.perfetto-trace",)),
        *(b"made by polympi", _write_perfetto),
    ),
    "otf2": Exporter(
        *("The timeline, for Vampir and other tools: the folder audit.otf2.", ("audit.otf2",)),
        *(b"OTF2", _write_otf2),
    ),
}


def write_report(audit: Audit, into: Path, forms: Sequence[str], *, force: bool = False) -> list[Path]:
    """Write an audit into a folder in some forms of :data:`EXPORTERS`; files that polympi wrote there are replaced.

    A file of one of their names that polympi didn't make is replaced with `force` alone; otherwise nothing is written.
    UsageError for that, an unknown form, what a form lacks, and a file that cannot be written.
    """
    unknown = [form for form in forms if form not in EXPORTERS]
    if unknown:
        raise UsageError(f"An audit has no form '{unknown[0]}': choose some of {', '.join(EXPORTERS)}.")
    chosen = [exporter for form, exporter in EXPORTERS.items() if form in forms]
    if not force:
        for exporter in chosen:
            for name in exporter.files:
                _refuse(into / name, exporter.mark)
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot make the folder '{into}': {system_reason(error)}.") from error
    return [path for exporter in chosen for path in exporter.write(audit, into)]


def _refuse(path: Path, mark: bytes) -> None:
    """Leave alone what polympi didn't make."""
    if not path.exists():
        return
    candidates = sorted(path.iterdir()) if path.is_dir() else [path]
    if candidates and not any(mark in _head(one) for one in candidates):
        raise UsageError(
            f"'{path}' was not made by polympi and is not replaced: move it away, or replace it with --force."
        )


def _head(path: Path) -> bytes:
    """The beginning of a file; nothing of one that cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(_HEAD)
    except OSError:
        return b""
