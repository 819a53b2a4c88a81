"""What applications reach of what memory allows, in sentences: shared by all forms of the report."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.phrases import count, listing, plain_ratio, rate, sentence
from polympi.lab.conclusions.rows import Family
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.limits import LimitRow
from polympi.lab.units import format_bytes

LIMIT_TITLE = "What memory allows"
LIMIT_NOTE = (
    "A point of the wave takes at least 24 bytes of memory traffic in a step: u and the u before it are read, and the "
    "next u is written over the latter. A pass of the triad a = b + s a in C moves as many bytes, over arrays of the "
    "same size, with as many ranks, in the same blocks; none of them are read only because they will be written "
    "(write-allocate), as those of a = b + s c are. So its time is the least that memory allows for a step; what is "
    "reached is this time over that of a step, and 1 is the limit. Medians over blocks with their intervals."
)
_MOST_NAMED = 4  # bindings in a sentence


@dataclass(frozen=True)
class LimitLine:
    """What an application of one size reaches on one stack."""

    title: str
    answer: str  # what is reached, in C first, and what to know about the limit


def limit_lines(rows: Sequence[LimitRow], shown: Collection[str]) -> list[LimitLine]:
    """One line per stack and case, in the order of the rows; it names C and the first few other arms shown."""

    def case(row: LimitRow) -> tuple[str, str, str, str, int]:
        return (row.stack, row.benchmark, row.mode, row.payload, row.size_bytes)

    named = [row for row in rows if row.binding in (REFERENCE, *shown)]
    return [_line(list(own)) for _, own in groupby(named, key=case)]


def _line(rows: Sequence[LimitRow]) -> LimitLine:
    one = rows[0]
    family = Family(one.stack, one.benchmark, one.mode, one.payload)
    title = f"{family.title}, {BENCHMARKS[one.benchmark].size_words(one.size_bytes)} on {one.stack}"
    return LimitLine(title, f"{_answer(rows)} {_cache(one)}{_beyond(rows)}")


def _answer(rows: Sequence[LimitRow]) -> str:
    first, *others = [f"{'C' if row.binding == REFERENCE else row.binding} {_reached(row)}" for row in rows]
    name, _, figure = first.partition(" ")
    said = (
        f"{name} reaches {figure} of what memory allows with {count(rows[0].ranks, 'rank')}, {rate(rows[0].mb_per_s)}"
    )
    return sentence(f"{said}; {listing(others[: _MOST_NAMED - 1])}" if others else said)


def _reached(row: LimitRow) -> str:
    if row.reached_low is None or row.reached_high is None:
        return plain_ratio(row.reached)
    return f"{plain_ratio(row.reached)} ({plain_ratio(row.reached_low)}–{plain_ratio(row.reached_high)})"


def _beyond(rows: Sequence[LimitRow]) -> str:
    if all(row.reached <= 1 for row in rows):
        return ""
    return " More than 1 is not possible: the triad was disturbed more than the wave, or a cache held less of it."


def _cache(row: LimitRow) -> str:
    arrays = f"Its arrays take {format_bytes(row.arrays_bytes)}"
    if row.cache_bytes is None:
        return (
            f"{arrays}; if they fit in the last-level cache, whose size is not known, it is the cache that allows it."
        )
    cache = f"the last-level cache, {format_bytes(row.cache_bytes)}"
    if row.in_cache:
        return f"{arrays} and fit in {cache}: it is the cache that allows it, and memory itself would allow less."
    if row.partly_in_cache:
        return f"{arrays}, not much more than {cache}: a part of it is what the cache allows."
    return f"{arrays}, much more than {cache}."
