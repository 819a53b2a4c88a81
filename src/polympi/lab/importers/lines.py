"""Files of other tools as they were read, and numbers in their lines."""

import codecs
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.errors import UsageError, system_reason

# All benchmarks of a tool at all numbers of processes print some 100 KiB, so that this is a log of hundreds of jobs.
# The bound keeps a disk image, or a device that never ends, from filling the memory.
LIMIT_BYTES = 64 * 2**20

_CONTENT_DIGITS = 16  # hexadecimal: 64 bits, so that two files of the same name do not agree by chance

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does, so it is looked for first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),  # what PowerShell writes
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Captured:
    """A file as it was read."""

    text: str  # what it says; bytes that its encoding doesn't have are U+FFFD
    content: str  # the first hexadecimal digits of the SHA-256 of its bytes, the same for the same content only


def read_captured(path: Path) -> Captured:
    """Read a file, in UTF-8 or the encoding that its byte order mark names; UsageError if there is nothing to read."""
    if path.is_dir():
        raise UsageError(f"'{path}' is a directory: give the files in it.")
    try:
        with path.open("rb") as stream:
            data = stream.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise UsageError(f"Cannot read '{path}': {system_reason(error)}.") from error
    if len(data) > LIMIT_BYTES:
        raise UsageError(
            f"'{path}' is larger than {LIMIT_BYTES // 2**20} MiB, more than benchmarks print: "
            "copy their tables to a separate file and import that."
        )
    if not data.strip():
        raise UsageError(f"'{path}' is empty: did the benchmark print to another file, or end early?")
    return Captured(_decode(data), hashlib.sha256(data).hexdigest()[:_CONTENT_DIGITS])


def _decode(data: bytes) -> str:
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding, errors="replace")


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
    heading before it. A model without aligned columns (two blanks in a row) shows nothing.
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
