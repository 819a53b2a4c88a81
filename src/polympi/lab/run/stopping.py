"""Ctrl-C, SIGTERM and SIGHUP: noticed at once, and handled at a safe place."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Turn the signals that end programs into a question that the run asks about once a second: has one arrived?"""
    arrived: list[int] = []  # no lock: a signal comes at any moment
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda which, _: arrived.append(which)) for number in signals]
    try:
        yield lambda: bool(arrived)
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
