"""The rows that every importer makes of another tool's output, and the check that each of them passes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import polars as pl

from polympi.lab.importers.notes import Fate, Notes

IMPORTED_SCHEMA: dict[str, type[pl.DataType] | pl.DataType] = {
    "tool": pl.String,
    "benchmark": pl.String,
    "mode": pl.String,
    "payload": pl.String,
    "size_bytes": pl.UInt64,
    "sent_bytes": pl.UInt64,
    "ranks": pl.UInt64,
    "time_ns": pl.Float64,
    "statistic": pl.String,
    "time_mean_ns": pl.Float64,
    "time_min_ns": pl.Float64,
    "time_max_ns": pl.Float64,
    "mb_per_s": pl.Float64,
    "repetitions": pl.UInt64,
    "options": pl.String,
    "source": pl.String,
    "content": pl.String,
}

UNSTATED = "unstated"  # where the tool's output does not say what was sent, how, or what a time is

# What ``time_ns`` of a row is. A rank's time is the mean over its own repetitions.
MAX_OVER_RANKS = "max over ranks"
MEAN_OVER_RANKS = "mean over ranks"
MEAN_OVER_PAIRS = "mean over pairs"
ONE_RANK = "one rank"
MIN_OVER_TRIALS = "min over trials"
MEAN_OVER_TRIALS = "mean over trials"

# An operation that takes a day isn't a measurement: jobs are shorter. 10^12 MB/s (10^18 bytes per second) is a thousand
# times what all links of the largest machines carry together. Larger figures are damage.
_LONGEST_US = 86_400e6
_FASTEST_MB_PER_S = 1e12

# Tools print hundredths, and round extremes and mean one by one, so that a mean may seem to lie outside by one of them.
ROUNDING_US = 0.011


@dataclass(frozen=True)
class Imported:
    """What one file of another tool held."""

    # One row per figure, columns as in `IMPORTED_SCHEMA`. `benchmark` and `mode` are names of our catalogue where the
    # tool measures the same thing, else the tool's own. Times are in ns, of one operation; `statistic` says what
    # `time_ns` is. `mb_per_s` is in 10^6 bytes a second. What the tool does not say is null.
    rows: pl.DataFrame
    notes: list[str]  # sentences about what could not be read, with line numbers
    tool: str  # the tool, without its version
    left_out: frozenset[int]  # numbers of the lines that hold something and became no row; the notes say why


@dataclass(frozen=True)
class Times:
    """The times that a row prints, in us; None where it prints none."""

    figure: float | None = None  # the time that is neither an extreme nor a mean over ranks, or the only one
    statistic: str = UNSTATED
    mean: float | None = None  # over the ranks
    low: float | None = None  # smallest of the ranks
    high: float | None = None  # largest of the ranks

    def best(self) -> tuple[float | None, str | None]:
        """The time that comes nearest to ours, which is a maximum over the ranks, and what it is."""
        if self.high:
            return self.high, MAX_OVER_RANKS
        if self.figure:
            return self.figure, self.statistic
        if self.mean:
            return self.mean, MEAN_OVER_RANKS
        return None, None

    def printed(self) -> Iterator[float]:
        """All times that are there."""
        yield from (t for t in (self.figure, self.mean, self.low, self.high) if t is not None)


@dataclass
class Collector:
    """Gathers rows and notes while an importer walks through the lines of a file."""

    tool: str  # the tool, without its version
    source: str
    notes: Notes = field(default_factory=Notes)
    _rows: list[dict[str, Any]] = field(default_factory=list)

    def row(
        self,
        line: int,
        *,
        tool: str,
        benchmark: str,
        mode: str,
        payload: str,
        size_bytes: int,
        times: Times,
        ranks: int | None = None,
        sent_bytes: int | None = None,
        mb_per_s: float | None = None,
        repetitions: int | None = None,
        options: str | None = None,
    ) -> None:
        """Keep a row; one without a sound time or rate becomes a note instead.

        A printed 0.00 is a figure below what the tool prints, not a measured zero: it is left empty, and reported.
        """
        fault = _fault(size_bytes, times, mb_per_s)
        if fault:
            self.notes.row(Fate.LEFT_OUT, line, benchmark, fault, size_bytes=size_bytes)
            return
        if 0 in times.printed() or (mb_per_s == 0 and size_bytes):
            reason = "a figure printed as zero is below what the tool prints, and is left empty"
            self.notes.row(Fate.INCOMPLETE, line, benchmark, reason, size_bytes=size_bytes)
        time_us, statistic = times.best()
        self._rows.append(
            {
                "tool": tool,
                "benchmark": benchmark,
                "mode": mode,
                "payload": payload,
                "size_bytes": size_bytes,
                "sent_bytes": sent_bytes,
                "ranks": ranks,
                "time_ns": _nanoseconds(time_us),
                "statistic": statistic,
                "time_mean_ns": _nanoseconds(times.mean),
                "time_min_ns": _nanoseconds(times.low),
                "time_max_ns": _nanoseconds(times.high),
                "mb_per_s": round(mb_per_s, 6) if mb_per_s else None,
                "repetitions": repetitions,
                "options": options,
                "source": self.source,
            }
        )

    def imported(self) -> Imported:
        """Everything gathered."""
        rows = pl.DataFrame(self._rows, schema=IMPORTED_SCHEMA)
        return Imported(rows, self.notes.sentences(), self.tool, self.notes.left_out())


def _fault(size_bytes: int, times: Times, mb_per_s: float | None) -> str | None:
    printed = list(times.printed())
    if any(t < 0 for t in printed) or (mb_per_s is not None and mb_per_s < 0):
        return "a time or a rate is negative"
    if any(t > _LONGEST_US for t in printed) or (mb_per_s or 0) > _FASTEST_MB_PER_S:
        return "a time or a rate is impossibly large"
    if size_bytes == 0 and mb_per_s:
        return "an empty message has no rate"
    if not any(printed) and not mb_per_s:
        return (
            "an empty message has no rate" if size_bytes == 0 and not printed else "its figures are all zero or absent"
        )
    bounds = [t for t in (times.low, times.mean, times.high) if t]
    if any(a > b + ROUNDING_US for a, b in pairwise(bounds)):
        return "its minimum, mean and maximum are not in that order"
    return None


def _nanoseconds(microseconds: float | None) -> float | None:
    """Nanoseconds, rounded to the picosecond so that 0.57 us is 570 ns and not 569.9999999999999."""
    return round(microseconds * 1000, 3) if microseconds else None
