"""The clock of the Python programs: CLOCK_MONOTONIC, which all processes of a machine share."""

from __future__ import annotations

import time

# On Linux time.perf_counter_ns reads the same clock at the same cost; time.clock_gettime_ns(CLOCK_MONOTONIC) costs
# more, because it takes an argument.
clock = time.monotonic_ns

READINGS = 100_000
UNROLLED = 10


def resolution_ns() -> int:
    """The clock's resolution in ns, at least 1."""
    return max(1, round(time.get_clock_info("monotonic").resolution * 1e9))


def cost_ns() -> float:
    """The cost of one reading in ns: the time of 100,000 readings in a row, divided by their number.

    A timed event contains two halves of a call of ``clock`` and nothing of a loop. Ten readings a turn therefore keep
    the loop's own cost out of the figure, and ``clock`` is a local name, as in the timed loops.
    """
    clock = time.monotonic_ns
    turns = range(READINGS // UNROLLED)
    before = clock()
    for _ in turns:
        clock()
        clock()
        clock()
        clock()
        clock()
        clock()
        clock()
        clock()
        clock()
        clock()
    return (clock() - before) / READINGS
