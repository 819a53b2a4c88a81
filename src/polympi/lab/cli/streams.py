"""Standard output and standard error that take every text, and whose reader may leave."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

_ERRORS = "polympi.plain"  # a name for str.encode's `errors`
# What is written where the encoding of the terminal or the file lacks a sign; other signs lose their accents.
_PLAIN = {
    "·": "*", "×": "x", "−": "-", "–": "-", "…": "...", "±": "+/-", "µ": "u", "≈": "~", "≤": "<=", "→": "->", "›": ">",
    "Δ": "d", "▲": "^", "▼": "v", "✓": "+", "✗": "x",
}  # fmt: skip


def take_every_text() -> None:
    """Let both streams of this process write any text without an error, whatever their encoding, and without a reader.

    A command ends with its own exit code when nobody reads its output any longer, as in ``polympi diff A B | head -1``:
    the code tells what it found.
    """
    codecs.register_error(_ERRORS, _in_plain_signs)
    sys.stdout = _patient(sys.stdout)
    sys.stderr = _patient(sys.stderr)


class _Descriptor(io.FileIO):
    """A file that takes what nobody reads."""

    def write(self, data: Buffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def _patient(stream: TextIO) -> TextIO:
    """The same stream without these errors; one that isn't a file of the system is returned as it is."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Descriptor(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=_ERRORS,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _in_plain_signs(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(sign: str) -> str:
    if sign in _PLAIN:
        return _PLAIN[sign]
    letters = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return letters or "?"
