"""A thread that rests for an event loop until something arrives."""

from __future__ import annotations

import _thread

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


CLOSED_S = 1.0  # between two looks of a thread without work whether its loop was closed


class Rest:
    """Rests in a thread, and wakes the loop after each rest.

    The thread exists while there is something to wait for: with a second one, the waits of the core take longer. All
    methods are called by the thread of the loop.

    Args:
        wake: called there after each rest.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._seconds = 0.0
        self._resting = False
        self._turn: _thread.LockType | None = None  # released for each rest of the thread; None without a thread

    def begin(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        """Rest for some seconds at most, unless the thread rests already."""
        if self._resting:
            return
        self._resting = True
        self._seconds = seconds
        if self._turn is not None:
            self._turn.release()
            return
        self._turn = _thread.allocate_lock()
        self._turn.acquire()
        try:
            _thread.start_new_thread(self._run, (loop, self._turn))
        except RuntimeError:  # there are too many, or the interpreter is finalising: nothing ends this rest early
            self._turn = None
            loop.call_later(seconds, self._rested, None)

    def end(self) -> None:
        """End the thread."""
        if self._turn is not None:
            turn, self._turn = self._turn, None
            self._resting = False
            if turn.locked():  # else the thread was released for a rest that it hasn't begun
                turn.release()
            core.wake()

    def _run(self, loop: asyncio.AbstractEventLoop, turn: _thread.LockType) -> None:
        """What the thread does."""
        while True:
            core.rest(self._seconds)
            if turn is not self._turn:
                return
            try:
                loop.call_soon_threadsafe(self._rested, turn)
            except RuntimeError:  # the loop was closed
                return
            while not turn.acquire(timeout=CLOSED_S):
                if loop.is_closed():
                    return

    def _rested(self, turn: _thread.LockType | None) -> None:
        """After a rest, unless its thread was ended meanwhile; without a turn, a rest that had no thread."""
        if turn is self._turn:
            self._resting = False
            self._wake()
