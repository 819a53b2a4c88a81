"""Reports of calls that wait long, while the program goes on: ``POLYMPI_HANG``.

The core makes them in its waits, which look for ended ranks anyway.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from polympi.native import core

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

SHORTEST_S = 1.0  # as in the core
NEVER_S = 1e9  # with a time-out, the core doesn't block in a collective of the library, where it can't look


def begin(variable: str, tell: Callable[[str], object], timeout: float) -> float:
    """Report calls that wait long, and on SIGUSR1, unless the program handles that, all that wait.

    Args:
        variable: has the seconds after which a call is reported.
        tell: prints a sentence of this rank.
        timeout: the default time-out of calls; 0: none.

    Returns:
        The time-out to use.
    """
    seconds = _seconds(variable)
    if not seconds:
        return timeout
    core.report_long_waits(seconds)

    def answer(_number: int, frame: FrameType | None) -> None:
        if not core.ask_long_waits():
            tell(f"is at {_place(frame)}, where it hasn't waited for a second.")

    try:
        if signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
            signal.signal(signal.SIGUSR1, answer)
    except ValueError:  # only the main thread may set handlers
        pass
    return timeout or NEVER_S


def _seconds(variable: str) -> float:
    text = os.environ.get(variable) or "0"
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if seconds != 0 and not SHORTEST_S <= seconds < NEVER_S:
        raise ValueError(f"{variable} is '{text}': give the seconds after which a waiting call is reported, from 1 on.")
    return seconds


def _place(frame: FrameType | None) -> str:
    """File and line of the program, where the main thread is."""
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "polympi":
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "an unknown place"
