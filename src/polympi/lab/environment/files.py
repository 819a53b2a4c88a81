"""Small files of the kernel; a missing one isn't an error, but means that a value is unknown.

Functions that read several take the root of the file system, which is another one in tests.
"""

from pathlib import Path


def read_text(path: Path) -> str | None:
    """The file's text without surrounding blanks; None if it is missing, unreadable or empty."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def read_int(path: Path) -> int | None:
    """The whole number in a file; None if there is none."""
    text = read_text(path)
    try:
        return int(text) if text else None
    except ValueError:
        return None


def expand_list(text: str) -> list[int]:
    """The numbers of a kernel list such as ``0-3,8``; empty if the text isn't a list."""
    numbers: list[int] = []
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if not low.isdigit() or (high and not high.isdigit()):
            return []
        numbers.extend(range(int(low), int(high or low) + 1))
    return numbers
