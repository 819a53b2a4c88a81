"""Ctrl-C, SIGTERM and SIGHUP: noticed at once, and handled at a safe place."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether the run was asked to stop; a plain flag, because a signal comes at any moment."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self) -> bool:
        """Whether a signal has arrived."""
        return self._asked

    def hear(self, _signal: int, _frame: FrameType | None) -> None:
        """Note the signal."""
        self._asked = True


@contextmanager
def stop_on_signals() -> Iterator[StopRequest]:
    """Turn the signals that end programs into a request that the run answers within about a second."""
    request = StopRequest()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, request.hear) for number in signals]
    try:
        yield request
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
