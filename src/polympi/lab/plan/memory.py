"""How much memory the messages of a case take, before any rank asks for it."""

from collections.abc import Iterable

from polympi.lab.catalogue import BENCHMARKS, WINDOW, Case
from polympi.lab.units import format_bytes

# Of the attached buffer, for each message that may be on its way (cases.c), on both ranks.
_ATTACHED = 4
_MOST = 0.8  # of what is available; the rest is left to Python, the library and the machine


def memory_bytes(case: Case, ranks: int) -> int:
    """Bytes of all messages of a case that lie in memory at once, over all ranks; 0 for an application."""
    benchmark = BENCHMARKS[case.benchmark]
    if benchmark.application or benchmark.launch_figure:
        return 0
    others = 1 if benchmark.messages else ranks - 1
    counts = {"none": 0, "one": 1, "window": WINDOW, "all": ranks}
    root, other = (
        sum(counts[of] if isinstance(of, str) else of for of in (benchmark.sends[rank], benchmark.gets[rank]))
        for rank in (0, 1)
    )
    messages = root + others * other
    if case.mode.startswith("buffered"):
        messages += 2 * _ATTACHED * (WINDOW if benchmark.windowed else 1)
    return messages * case.size_bytes


def without_room(cases: Iterable[Case], ranks: int, available_bytes: int) -> dict[Case, str]:
    """The cases that do not fit into memory, each with the reason in words."""
    room = int(_MOST * available_bytes)
    wanted = {case: memory_bytes(case, ranks) for case in cases}
    return {
        case: f"messages of {format_bytes(case.size_bytes)} take {format_bytes(needed)} of memory, where "
        f"{format_bytes(room)} can be had"
        for case, needed in wanted.items()
        if needed > room
    }
