"""One time-out for calls that are made of several."""

from __future__ import annotations

import time

from polympi.native import core

SHORTEST_S = 0.001  # what is left when the time is over: 0 would be refused, and what has come is still taken


class Deadline:
    """When a call must end.

    Args:
        operation: the name of the call.
        timeout: what it was given: seconds, or None for POLYMPI_TIMEOUT.

    Attributes:
        limit: the seconds that it may take; 0 for ever.

    Raises:
        TypeError, ValueError: timeout is no positive number of seconds.
    """

    __slots__ = ("end", "limit")

    def __init__(self, operation: str, timeout: float | None) -> None:
        self.limit = core.limit_of(operation, timeout)
        self.end = time.monotonic() + self.limit

    def left(self) -> float | None:
        """What a part of the call may take, as its `timeout`."""
        return max(self.end - time.monotonic(), SHORTEST_S) if self.limit else None
