"""The library's barrier: the loops that are timed, the same for all interfaces.

``call`` is the bound method ``comm.Barrier`` or ``comm.barrier``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from common_start import UNTIMED

if TYPE_CHECKING:
    from callbacks import Call, Clock, Times
    from common_start import CommonStart


def barrier(call: Call, iterations: int) -> None:
    """Barriers in a row."""
    for _ in range(iterations):
        call()


def barrier_events(call: Call, start: CommonStart, clock: Clock, times: Times) -> None:
    """Barriers timed one by one, each from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call()
        begun = wait()
        call()
        times[k] = clock() - begun
        k += agree()
