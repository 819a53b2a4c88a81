"""The thread levels of a comparison: a binding that asks for another one than C also has its cost."""

from __future__ import annotations

from collections import defaultdict

from polympi.lab.conclusions.phrases import listing, sentence, verb
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
