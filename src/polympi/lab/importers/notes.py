"""Notes on lines that an importer did not take, or took in part: one sentence for each reason."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

_LISTED_PLACES = 6  # places in the file that a sentence lists before it only counts them
_LISTED_NAMES = 4  # benchmarks, likewise
_LONGEST_EXAMPLE = 80  # characters of a line that a sentence quotes


class Fate(Enum):
    """What became of a row: the words for one, and for several."""

    LEFT_OUT = ("was left out", "were left out")
    NOT_MEASURED = ("was not measured", "were not measured")
    INCOMPLETE = ("is incomplete", "are incomplete")


@dataclass
class _Row:
    lines: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    size_bytes: int | None = None
    example: str | None = None


@dataclass
class Notes:
    """Gathers notes on a file; equal reasons become one sentence with the lines they hold for."""

    _rows: dict[tuple[Fate, str], _Row] = field(default_factory=dict)
    _columns: dict[str, list[str]] = field(default_factory=dict)
    _sentences: list[str] = field(default_factory=list)
    _stray: list[int] = field(default_factory=list)
    _unread: dict[int, str] = field(default_factory=dict)

    def row(
        self,
        fate: Fate,
        line: int,
        name: str,
        reason: str,
        *,
        size_bytes: int | None = None,
        example: str | None = None,
    ) -> None:
        """Report that a row was not taken, or not whole, for a reason, a clause that is the same for all such rows."""
        noted = self._rows.setdefault((fate, reason), _Row(size_bytes=size_bytes, example=example))
        noted.lines.append(line)
        if name not in noted.names:
            noted.names.append(name)

    def columns(self, names: Sequence[str], benchmark: str) -> None:
        """Report that columns of a benchmark's table are not imported."""
        benchmarks = self._columns.setdefault(", ".join(names), [])
        if benchmark not in benchmarks:
            benchmarks.append(benchmark)

    def sentence(self, sentence: str) -> None:
        """Report a sentence of another kind; the same one only once."""
        if sentence not in self._sentences:
            self._sentences.append(sentence)

    def stray(self, line: int) -> None:
        """Remember a line that belongs to no table: the launcher's, the scheduler's or the shell's."""
        self._stray.append(line)

    def unread(self, line: int, comment: str) -> None:
        """Remember a comment that is not understood, and may say that something else was measured."""
        self._unread[line] = comment.strip().lstrip("#").strip()

    def left_out(self) -> frozenset[int]:
        """Numbers of the lines that became no row."""
        rows = (row.lines for (fate, _), row in self._rows.items() if fate is not Fate.INCOMPLETE)
        return frozenset(self._stray).union(*rows)

    def sentences(self) -> list[str]:
        """All notes: on rows, columns, other sentences, comments, stray lines."""
        rows = [_of_rows(fate, reason, row) for (fate, reason), row in self._rows.items()]
        columns = [
            f"The column{'s' * (', ' in names)} {names} of {_listed(benchmarks)} {'are' if ', ' in names else 'is'} "
            "not imported."
            for names, benchmarks in self._columns.items()
        ]
        return [*rows, *columns, *self._sentences, *_of_unread(self._unread), *_of_stray(self._stray)]


def _of_rows(fate: Fate, reason: str, row: _Row) -> str:
    one, several = fate.value
    if len(row.lines) == 1:
        size = "" if row.size_bytes is None else f" at {row.size_bytes} bytes"
        example = "" if row.example is None else f": '{row.example}'"
        return f"Line {row.lines[0]}: {row.names[0]}{size} {one}: {reason}{example}."
    example = "" if row.example is None else f", first '{row.example}'"
    rows = f"{len(row.lines)} rows of {_listed(row.names)}"
    return f"Lines {_places(row.lines)}: {rows} {several}: {reason}{example}."


def _of_stray(lines: Sequence[int]) -> list[str]:
    if not lines:
        return []
    if len(lines) == 1:
        return [f"1 line is neither a heading nor figures and was left out: {lines[0]}."]
    return [f"{len(lines)} lines are neither headings nor figures and were left out: {_places(lines)}."]


def _of_unread(comments: dict[int, str]) -> list[str]:
    if not comments:
        return []
    first = next(iter(comments.values()))
    example = first if len(first) <= _LONGEST_EXAMPLE else first[:_LONGEST_EXAMPLE].rstrip() + "..."
    if len(comments) == 1:
        return [f"Line {next(iter(comments))}: a comment is not understood: '{example}'. Does it change what a row is?"]
    places = _places(list(comments))
    return [f"Lines {places}: {len(comments)} comments are not understood, first '{example}'. Do they change a row?"]


def _places(lines: Sequence[int]) -> str:
    """Line numbers as people list them, ``3, 7-9``, the first few only."""
    runs: list[list[int]] = []
    for line in sorted(lines):
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    places = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    more = len(places) - _LISTED_PLACES
    return ", ".join(places[:_LISTED_PLACES]) + (f" and {more} more places" if more > 0 else "")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LISTED_NAMES
    return ", ".join(names[:_LISTED_NAMES]) + (f" and {more} more benchmarks" if more > 0 else "")
