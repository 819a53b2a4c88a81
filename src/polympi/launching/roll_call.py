"""Where a rank is, from what it has written when it was asked."""

from __future__ import annotations

import re

from polympi.launching.answers import is_of_polympi

FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)$', re.MULTILINE)  # faulthandler's


def sentence(rank: int, said: str) -> str:
    """The rest of a sentence that begins with the rank."""
    frames = [found for found in FRAME.finditer(said) if not is_of_polympi(found["file"])]
    if frames:
        return f"is at {frames[0]['file']}:{frames[0]['line']}, in {frames[0]['name']}"
    lines = [line.removeprefix(f"[rank {rank}] ").strip() for line in said.splitlines()]
    return " ".join(line for line in lines if line).rstrip(".") or "doesn't say where it is"
