"""One time-out for a call that consists of several."""

from __future__ import annotations

import time

from polympi.native import core

SHORTEST_S = 0.001  # left when the time is over: 0 would be refused, and arrived messages are still taken


class Deadline:
    """When a call must end.

    Args:
        operation: the name of the call.
        timeout: its argument: seconds, or None for POLYMPI_TIMEOUT.

    Attributes:
        limit: the seconds that it may take; 0: no limit.

    Raises:
        TypeError, ValueError: timeout isn't a positive number of seconds.
    """

    __slots__ = ("end", "limit")

    def __init__(self, operation: str, timeout: float | None) -> None:
        self.limit = core.limit_of(operation, timeout)
        self.end = time.monotonic() + self.limit

    def left(self) -> float | None:
        """The remaining time, as the `timeout` of a part of the call."""
        return max(self.end - time.monotonic(), SHORTEST_S) if self.limit else None
