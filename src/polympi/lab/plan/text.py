"""The plan as the programs read it (``docs/protocol.md``)."""

from collections.abc import Mapping
from pathlib import Path

from polympi.lab.catalogue import WINDOW
from polympi.lab.records import PlannedCase

PLAN_VERSION = 2


def plan_text(cases: Mapping[int, PlannedCase], *, pages: str, start: Path) -> str:
    """The text of a plan: the cases in the order they are to be timed, by their numbers."""
    lines = [f"polympi-plan {PLAN_VERSION}", f"window {WINDOW}", f"pages {pages}", f"start {start}"]
    lines += [
        f"case {number} {c.benchmark} {c.mode} {c.payload} {c.size_bytes} "
        f"{c.warmup} {c.batches} {c.iterations} {c.events}"
        for number, c in cases.items()
    ]
    return "\n".join([*lines, "end", ""])
