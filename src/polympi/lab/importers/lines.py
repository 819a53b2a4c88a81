"""The lines of a captured output, without the additions of launchers and terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r*\n|\r")
# Control sequences of terminals (ECMA-48): CSI (colours, cursor), OSC (window titles), and escapes of two characters.
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\-~])")
_LABELS = (
    re.compile(r"^.*?\[\d+,\d+\]<std(?:out|err)>:\s?"),  # Open MPI: mpiexec --tag-output, --timestamp-output
    re.compile(r"^\[\d+\]\s"),  # MPICH: mpiexec -prepend-rank
    re.compile(r"^\s*\d+:\s(?=\s*(?:#|\d))"),  # Slurm: srun --label
)
_LARGEST_COUNT = 2**63 - 1  # more bytes or repetitions than any machine has


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and the lines without rank labels, colours and trailing blanks."""
    lines = _LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        line = _ESCAPE.sub("", raw)
        for label in _LABELS:
            line, found = label.subn("", line, count=1)
            if found:
                break
        yield number, line.rstrip()


def unfinished_line(text: str) -> int | None:
    """Number of the last line if no line end follows it: the file may have been cut there. Else None."""
    lines = _LINE_END.split(text)
    return len(lines) if lines[-1] else None


def is_cut(line: str, model: str) -> bool:
    """Whether a row lacks its end, measured by a whole line of the same table.

    Tables are printed in columns of fixed width, aligned at the right, so that a whole row is as wide as the row or the
    heading before it. A model without aligned columns (two blanks in a row) tells nothing.
    """
    return "  " in model.strip() and len(line) < len(model)


def as_number(token: str) -> float | None:
    """The number a token spells, or None; ``nan``, ``inf``, ``1_000`` and digits of other scripts aren't figures."""
    try:
        value = float(token) if token.isascii() and "_" not in token else None
    except ValueError:
        return None
    return value if value is not None and abs(value) < float("inf") else None


def as_count(token: str, most: int = _LARGEST_COUNT) -> int | None:
    """The whole number a token spells, or None; numbers that are too large aren't counts."""
    if not (token.isascii() and token.isdigit()) or len(token) > len(str(most)):
        return None
    value = int(token)
    return value if value <= most else None


def as_ranks(token: str) -> int | None:
    """The number of processes a token spells, or None; MPI counts them in a C ``int``."""
    return as_count(token, 2**31 - 1)
