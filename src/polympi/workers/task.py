"""A task on the root, and the futures that get its result."""

from __future__ import annotations

import reprlib
from concurrent.futures import CancelledError, Future
from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from polympi.workers.packing import Packed
    from polympi.workers.pool import Pool


class Sink(Protocol):
    """Where results go."""

    def begin(self) -> bool:
        """Whether a task may begin: it isn't cancelled."""

    def succeed(self, place: int, value: Any) -> None:
        """Take a result."""

    def fail(self, place: int, error: BaseException) -> None:
        """Take an exception."""

    def drop(self, place: int) -> None:
        """Take note that a task will not run."""

    def notify(self) -> None:
        """Wake those who wait for results."""


class TaskFuture(Future[object]):
    """The sink of one task."""

    def begin(self) -> bool:
        """See Sink."""
        return self.set_running_or_notify_cancel()

    def succeed(self, place: int, value: Any) -> None:  # noqa: ARG002
        """See Sink."""
        self.set_result(value)

    def fail(self, place: int, error: BaseException) -> None:  # noqa: ARG002
        """See Sink."""
        self.set_exception(error)

    def drop(self, place: int) -> None:  # noqa: ARG002
        """See Sink."""
        if self.cancel():
            self.set_running_or_notify_cancel()
        else:
            self.set_exception(CancelledError())

    def notify(self) -> None:
        """See Sink: a future does so itself."""


class Function:
    """A function, pickled once.

    Attributes:
        key: what workers know it by.
        original: the function itself: what it refers to lives as long as tasks of it.
        name: for errors.
        packed: the pickle.
        seconds: that a task of it takes, as far as is known.
    """

    __slots__ = ("key", "name", "original", "packed", "seconds")

    def __init__(self, key: int, original: object, name: str, packed: Packed) -> None:
        self.key = key
        self.original = original
        self.name = name
        self.packed = packed
        self.seconds: float | None = None

    def measured(self, seconds: float) -> None:
        """Follow a longer time at once, and a shorter one slowly: a long task in a large batch is worse."""
        self.seconds = seconds if self.seconds is None else max(seconds, (3 * self.seconds + seconds) / 4)


class Task:
    """A call of a function.

    Attributes:
        place: among the results of its sink.
        begun: whether it was sent to a worker.
        attempts: workers that ended while they had it.
        alone: whether it is sent without others.
    """

    __slots__ = ("alone", "args", "attempts", "begun", "function", "kwargs", "place", "pool", "sink")

    def __init__(  # noqa: PLR0917  (one is made per task: keywords take time)
        self, pool: Pool, function: Function, sink: Sink, place: int, args: Any, kwargs: dict[str, Any]
    ) -> None:
        self.pool = pool
        self.function = function
        self.sink = sink
        self.place = place
        self.args = args
        self.kwargs = kwargs
        self.begun = False
        self.attempts = 0
        self.alone = False

    def __str__(self) -> str:
        try:
            return f"{self.function.name}({', '.join(map(reprlib.repr, self.args))})"
        except Exception:  # of the program's own __repr__
            return f"{self.function.name}(...)"
