"""Reads a file with captured output of any program."""

from __future__ import annotations

import codecs
import hashlib
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
    """A file as it was read.

    Attributes:
        text: what it says; bytes that are no text of its encoding are U+FFFD.
        content: the first hexadecimal digits of the SHA-256 of its bytes, the same for the same content only.
    """

    text: str
    content: str


def read_captured(path: Path) -> Captured:
    """Read a file, in UTF-8 or the encoding that its byte order mark names.

    Raises:
        UsageError: it cannot be read, is a directory, is empty, or is larger than :data:`LIMIT_BYTES`.
    """
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
