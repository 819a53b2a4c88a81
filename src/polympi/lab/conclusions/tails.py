"""Long tails: where a few long operations, such as collections of garbage, make up much of a binding's time."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.conclusions.phrases import count, duration, listing, sentence, size_words, verb
from polympi.lab.conclusions.rows import Row

_MOST_NAMED = 3


def tails_sentence(stack: str, rows: Sequence[Row]) -> str:
    """Which rows of a stack have a long tail, the longest first.

    Returns:
        Two sentences; empty where there is none.
    """
    known = [row for row in rows if row.p50_ns and row.median_ns]
    found = sorted((row for row in known if row.has_long_tail), key=_length, reverse=True)
    if not found:
        return ""
    named = listing(map(_named, found[:_MOST_NAMED])) + (" at most" if len(found) > _MOST_NAMED else "")
    rows_with = f"{len(found)} of {count(len(known), 'row')}"
    few = sentence(f"On {stack} a few long operations make up much of the time in {rows_with}: {named}")
    those = verb(len(found), "that row says", "those rows say")
    return f"{few} What {those} of C is not what a typical operation costs."


def _length(row: Row) -> float:
    return (row.median_ns or 0.0) / (row.p50_ns or 1.0)


def _named(row: Row) -> str:
    where = row.family.title + (f" at {size_words(row)}" if row.size_bytes else "")
    mean, typical = duration(row.median_ns or 0.0), duration(row.p50_ns or 0.0)
    return f"{row.binding} takes {mean} on average and {typical} typically (p50; {where})"
