"""What affects a ratio to C in addition to the binding: thread levels, how C waits, long tails."""

from collections import defaultdict
from collections.abc import Sequence

from polympi.lab.conclusions.phrases import count, duration, listing, sentence, size_words, times, verb
from polympi.lab.conclusions.rows import SMALL, Row, example_size
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import Analysis


def thread_levels(analysis: Analysis, stack: str) -> dict[str, str]:
    """The thread level that each arm got on a stack: ``single``, ``funneled``, ``serialized`` or ``multiple``."""
    return {one.binding: one.threads for one in analysis.launches if one.stack == stack and one.threads}


def threads_sentence(analysis: Analysis, stack: str) -> str:
    """Which bindings ran at another thread level than C, and which arm of C shows what that costs; empty if none did.

    That arm is the reference at another level and named after it: ``c-multiple``.
    MPI 4.0, section 11.6: the level is what the program got from ``MPI_Init_thread``.
    """
    levels = thread_levels(analysis, stack)
    reference = levels.get(REFERENCE)
    others: dict[str, list[str]] = defaultdict(list)
    for binding, level in levels.items():
        if binding not in (REFERENCE, AGAIN) and level != reference:
            others[level].append(binding)
    said = []
    for level, bindings in others.items():
        twin = f"{REFERENCE}-{level}"
        charged = [name for name in bindings if name != twin]
        if not charged:
            continue
        whose = verb(len(charged), "its", "their")
        hint = f": {twin} shows what the level alone costs" if twin in bindings else ""
        said.append(
            sentence(
                f"On {stack}, {listing(charged)} ran at THREAD_{level.upper()} and C at THREAD_"
                f"{(reference or 'unknown').upper()}, so that {whose} figures contain the cost of the level{hint}"
            )
        )
    return " ".join(said)


SPINNING = "c-spin"  # the arm of C that waits by itself


def waiting_sentence(stack: str, rows: Sequence[Row]) -> str:
    """What C gains on small messages by waiting by itself, if it does, and how faster bindings compare with that."""
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


_MOST_NAMED = 3


def tails_sentence(stack: str, rows: Sequence[Row]) -> str:
    """Two sentences on which rows of a stack have a long tail, the longest first; empty where there is none."""
    known = [row for row in rows if row.p50_ns and row.median_ns]
    found = sorted(
        (row for row in known if row.has_long_tail),
        key=lambda row: (row.median_ns or 0.0) / (row.p50_ns or 1.0),
        reverse=True,
    )
    if not found:
        return ""
    named = listing(map(_named, found[:_MOST_NAMED])) + (" at most" if len(found) > _MOST_NAMED else "")
    rows_with = f"{len(found)} of {count(len(known), 'row')}"
    few = sentence(f"On {stack} a few long operations make up much of the time in {rows_with}: {named}")
    those = verb(len(found), "that row says", "those rows say")
    return f"{few} What {those} of C is not what a typical operation costs."


def _named(row: Row) -> str:
    where = row.family.title + (f" at {size_words(row)}" if row.size_bytes else "")
    mean, typical = duration(row.median_ns or 0.0), duration(row.p50_ns or 0.0)
    return f"{row.binding} takes {mean} on average and {typical} typically (p50; {where})"
