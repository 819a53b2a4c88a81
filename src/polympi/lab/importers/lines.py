"""The lines of a captured output, freed of what launchers put in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LABELS = (
    re.compile(r"^.*?\[\d+,\d+\]<std(?:out|err)>:\s?"),  # Open MPI: mpiexec --tag-output, --timestamp-output
    re.compile(r"^\[\d+\]\s"),  # MPICH: mpiexec -prepend-rank
    re.compile(r"^\s*\d+:\s(?=\s*(?:#|\d))"),  # Slurm: srun --label
)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and the lines without rank labels, colours and trailing blanks."""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _COLOUR.sub("", raw)
        for label in _LABELS:
            line, found = label.subn("", line, count=1)
            if found:
                break
        yield number, line.rstrip()


def as_number(token: str) -> float | None:
    """The number a token spells, or None; ``nan`` and ``inf`` are no figures."""
    try:
        value = float(token)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def as_count(token: str) -> int | None:
    """The whole number a token spells, or None."""
    return int(token) if token.isascii() and token.isdigit() else None
