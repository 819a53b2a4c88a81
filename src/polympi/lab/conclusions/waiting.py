"""How C waits: its blocking calls wait inside the library, and a binding with its own loop may be faster."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.conclusions.phrases import listing, sentence, size_words, times
from polympi.lab.conclusions.rows import SMALL, Row, example_size
from polympi.lab.records import AGAIN

SPINNING = "c-spin"  # the arm of C that waits by itself


def waiting_sentence(stack: str, rows: Sequence[Row]) -> str:
    """What C gains on a stack by waiting by itself, and how bindings that are faster than C compare with such a C.

    Returns:
        One or two sentences about a small message; empty unless the library's own waiting is the slower one.
    """
    ping_pong = [row for row in rows if (row.benchmark, row.mode, row.payload) == ("latency", "standard", "bytes")]
    small = {row.size_bytes: row for row in ping_pong if row.binding == SPINNING and row.size_bytes <= SMALL}
    if not small:
        return ""
    spinning = small[example_size(small)]
    if spinning.verdict != "faster" or not spinning.median_ns:
        return ""
    size = size_words(spinning)
    said = sentence(
        f"On {stack}, C is faster when it waits in its own loop than in its blocking calls: for a message of {size} "
        f"{SPINNING} takes {times(spinning.ratio)} C"
    )
    others = [r for r in ping_pong if r.size_bytes == spinning.size_bytes and r.binding not in (SPINNING, AGAIN)]
    faster = [
        f"{row.binding} takes {times(row.median_ns / spinning.median_ns)} {SPINNING}"
        for row in others
        if row.verdict == "faster" and row.median_ns
    ]
    return f"{said} {sentence(f'Of the bindings that are faster than C there, {listing(faster)}')}" if faster else said
