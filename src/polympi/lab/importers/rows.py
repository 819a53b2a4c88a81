"""The rows that every importer makes of another tool's output, and what it collects on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

IMPORTED_SCHEMA: dict[str, type[pl.DataType] | pl.DataType] = {
    "tool": pl.String,
    "benchmark": pl.String,
    "mode": pl.String,
    "payload": pl.String,
    "size_bytes": pl.UInt64,
    "ranks": pl.UInt32,
    "time_ns": pl.Float64,
    "time_min_ns": pl.Float64,
    "time_max_ns": pl.Float64,
    "mb_per_s": pl.Float64,
    "repetitions": pl.UInt64,
    "source": pl.String,
}

UNSTATED = "unstated"  # the payload, where the tool's output does not tell what was sent

_LISTED_PLACES = 6  # places of stray lines that a note lists before it only counts them


@dataclass(frozen=True)
class Imported:
    """What one file of another tool held.

    Attributes:
        rows: a row a figure, columns as in :data:`IMPORTED_SCHEMA`. ``benchmark`` and ``mode`` are names of our
            catalogue where the tool measures the same thing, else the tool's own. Times are in ns, of one operation:
            ``time_ns`` is the tool's average, ``time_min_ns`` and ``time_max_ns`` its extremes over the ranks.
            ``mb_per_s`` is in 10^6 bytes a second. What the tool does not say is null.
        notes: sentences about what could not be read, with line numbers.
        tool: the tool, without its version.
    """

    rows: pl.DataFrame
    notes: list[str]
    tool: str


@dataclass
class Collector:
    """Gathers rows and notes while an importer walks through the lines of a file.

    Attributes:
        tool: the tool, without its version.
        source: name of the file.
    """

    tool: str
    source: str
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)
    _stray: list[int] = field(default_factory=list)

    def row(
        self,
        line: int,
        *,
        tool: str,
        benchmark: str,
        mode: str,
        payload: str,
        size_bytes: int,
        ranks: int | None = None,
        time_us: float | None = None,
        time_min_us: float | None = None,
        time_max_us: float | None = None,
        mb_per_s: float | None = None,
        repetitions: int | None = None,
    ) -> None:
        """Keep a row; one without a usable time or rate becomes a note instead.

        A printed 0.00 is a figure below what the tool prints, not a measured zero, and is treated as absent. The rate
        of an empty message is no figure at all and needs no note.
        """
        if time_us is None and size_bytes == 0:
            return
        if not time_us and not mb_per_s:
            self.note(f"Line {line}: the figures of {benchmark} at {size_bytes} bytes are all zero or absent.")
            return
        self._rows.append(
            {
                "tool": tool,
                "benchmark": benchmark,
                "mode": mode,
                "payload": payload,
                "size_bytes": size_bytes,
                "ranks": ranks,
                "time_ns": _nanoseconds(time_us),
                "time_min_ns": _nanoseconds(time_min_us),
                "time_max_ns": _nanoseconds(time_max_us),
                "mb_per_s": round(mb_per_s, 6) if mb_per_s and size_bytes else None,
                "repetitions": repetitions,
                "source": self.source,
            }
        )

    def note(self, sentence: str) -> None:
        """Keep a sentence about something that could not be read; the same sentence only once."""
        if sentence not in self._notes:
            self._notes.append(sentence)

    def stray(self, line: int) -> None:
        """Remember a line that belongs to no table: the launcher's, the scheduler's or the shell's."""
        self._stray.append(line)

    def imported(self) -> Imported:
        """Everything gathered, with one note for all stray lines."""
        notes = [*self._notes, *_stray_note(self._stray)]
        return Imported(pl.DataFrame(self._rows, schema=IMPORTED_SCHEMA), notes, self.tool)


def _nanoseconds(microseconds: float | None) -> float | None:
    """Nanoseconds, rounded to the picosecond so that 0.57 us is 570 ns and not 569.9999999999999."""
    return round(microseconds * 1000, 3) if microseconds else None


def _stray_note(lines: list[int]) -> list[str]:
    if not lines:
        return []
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    places = [str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs]
    more = f" and {len(places) - _LISTED_PLACES} more places" if len(places) > _LISTED_PLACES else ""
    listed = ", ".join(places[:_LISTED_PLACES]) + more
    if len(lines) == 1:
        return [f"1 line is neither a heading nor figures and was left out: {listed}."]
    return [f"{len(lines)} lines are neither headings nor figures and were left out: {listed}."]
