"""How long something takes."""

from __future__ import annotations

import sys
import time


class Timer:
    """A watch that runs from when it is made; its times are seconds."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin again at 0."""
        self._start = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """The time since it was made or restarted."""
        return time.perf_counter() - self._start

    @property
    def elapsed_min(self) -> float:
        """The shortest time that the clock can tell from 0."""
        return time.get_clock_info("perf_counter").resolution

    @property
    def elapsed_max(self) -> float:
        """A time that is never exceeded."""
        return sys.float_info.max

    @property
    def time_is_global(self) -> bool:
        """Whether the clocks of all ranks show the same time: no, since they may be on several machines."""
        return False
