"""The mark of files that polympi made and therefore may replace, and of those without any figures."""

from pathlib import Path

import polars as pl

from polympi.lab.errors import UsageError, system_reason
from polympi.lab.statistics.model import Analysis

HTML_MARK = '<meta name="generator" content="polympi'
MARKDOWN_MARK = "<!-- made by polympi"
_EMPTY = "nothing compared with C"
_HEAD = 4096  # bytes in which the mark of a file of ours stands


def is_empty(analysis: Analysis) -> bool:
    """Whether nothing was compared with C, so that a report has nothing to say."""
    return analysis.summary.filter(pl.col("ratio_to_c").is_not_null()).is_empty()


def mark(analysis: Analysis) -> str:
    """What a report says about itself: the version of polympi that measured, and whether it is empty."""
    return f"polympi {analysis.run.polympi}" + (f", {_EMPTY}" if is_empty(analysis) else "")


def refuse_to_replace(path: Path, analysis: Analysis) -> None:
    """Leave alone what must not be replaced unasked: files that polympi did not make, and a report that says more."""
    if not path.exists():
        return
    head = _head(path)
    if not _is_ours(head):
        raise UsageError(
            f"'{path}' was not made by polympi and is not replaced: move it away, or replace it with --force."
        )
    if is_empty(analysis) and _EMPTY not in head:
        raise UsageError(
            f"In '{path.parent}' nothing was compared with C (no complete block): '{path.name}' there has more figures "
            "and is not replaced; use --force to replace it."
        )


def refuse_to_replace_others(path: Path) -> None:
    """Leave a file alone that polympi did not make: UsageError."""
    if path.exists() and not _is_ours(_head(path)):
        raise UsageError(f"'{path}' was not made by polympi and is not replaced: choose another file with -o.")


def _is_ours(head: str) -> bool:
    return HTML_MARK in head or MARKDOWN_MARK in head


def write_text(path: Path, text: str) -> Path:
    """Write a file whole or not at all; UsageError if it cannot be written."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"Cannot write '{path}': {system_reason(error)}.") from error
    return path


def refuse_to_empty(path: Path, analysis: Analysis) -> None:
    """Leave a table alone that has more lines than this analysis, in which nothing was compared with C: UsageError."""
    if not is_empty(analysis) or not path.is_file():
        return
    with path.open("rb") as stream:
        lines = sum(1 for _ in stream)
    if lines > analysis.summary.height + 1:
        raise UsageError(
            f"In '{path.parent}' nothing was compared with C (no complete block): '{path.name}' there has more figures "
            "and is not replaced; use --force to replace it."
        )


def _head(path: Path) -> str:
    """The beginning of a file; nothing of one that cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(_HEAD).decode("utf-8", errors="replace")
    except OSError:
        return ""
