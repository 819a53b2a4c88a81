"""The mark by which polympi knows the files it made, and so may replace."""

from __future__ import annotations

from pathlib import Path

from polympi.lab.errors import UsageError

HTML_MARK = '<meta name="generator" content="polympi'
MARKDOWN_MARK = "<!-- made by polympi"
_HEAD = 4096  # bytes in which the mark of a file of ours stands


def write_marked(path: Path, text: str, *, force: bool) -> Path:
    """Write a report, replacing one that polympi made but nobody else's file.

    Args:
        path: the file.
        text: its new content, which holds a mark.
        force: replace whatever is there.

    Raises:
        UsageError: the file there was not made by polympi, or cannot be written.
    """
    if path.exists() and not force and not _is_ours(path):
        raise UsageError(
            f"'{path}' was not made by polympi and is left alone: move it away, or replace it with --force."
        )
    return write_text(path, text)


def write_text(path: Path, text: str) -> Path:
    """Write a file whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"Cannot write '{path}': {error.strerror}.") from error
    return path


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD).decode("utf-8", errors="replace")
    except OSError:
        return False
    return HTML_MARK in head or MARKDOWN_MARK in head
