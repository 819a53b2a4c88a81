"""The results of many calls of one function, in order or as they arrive."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class _Failed:
    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Results:
    """The sink of the tasks of one ``map``; results that were taken are forgotten.

    Args:
        timeout: seconds from now on in which all results must be taken.
        ordered: whether they are taken in the order of the tasks, not as they arrive.
    """

    def __init__(self, timeout: float | None, ordered: bool) -> None:
        self.submitted = 0
        self._values: dict[int, Any] = {}
        self._arrived: deque[int] | None = None if ordered else deque()  # places, as they arrive
        self._changed = threading.Condition()
        self._end = None if timeout is None else time.monotonic() + timeout
        self._cancelled = False

    def begin(self) -> bool:
        """See Sink."""
        return not self._cancelled

    def succeed(self, place: int, value: Any) -> None:
        """See Sink."""
        self._values[place] = value
        if self._arrived is not None:
            self._arrived.append(place)

    def fail(self, place: int, error: BaseException) -> None:
        """See Sink."""
        self.succeed(place, _Failed(error))

    def drop(self, place: int) -> None:
        """See Sink."""
        self.fail(place, CancelledError())

    def notify(self) -> None:
        """See Sink."""
        with self._changed:
            self._changed.notify_all()

    def cancel(self) -> None:
        """Let no task begin any more, and forget results."""
        self._cancelled = True
        self._values.clear()

    def take(self, feed: Callable[[], object]) -> Iterator[Any]:
        """Yield the results; `feed` is called after each, and may submit another task."""
        try:
            taken = 0
            while taken < self.submitted:
                value = self._wait(taken if self._arrived is None else self._first(self._arrived))
                taken += 1
                feed()
                if type(value) is _Failed:
                    raise value.error
                yield value
        finally:
            self.cancel()

    def _first(self, arrived: deque[int]) -> int:
        with self._changed:
            while not arrived:
                self._wait_once()
            return arrived.popleft()

    def _wait(self, place: int) -> Any:
        if place not in self._values:
            with self._changed:
                while place not in self._values:
                    self._wait_once()
        return self._values.pop(place)

    def _wait_once(self) -> None:
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise FutureTimeout
        self._changed.wait(left)
