"""What a worker has: the functions and data that it received once; and running tasks with them."""

from __future__ import annotations

import pickle
import threading
import time
import traceback
from typing import NamedTuple

from polympi.errors import StateError
from polympi.workers.packing import current, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Batch(NamedTuple):
    """Tasks for a worker.

    Attributes:
        objects: functions and data that it doesn't have yet: key, pickle and large buffers.
        forget: keys that it needs no longer.
        keys: of the functions of the tasks.
        tasks: the pickled arguments of each.
        apart: by their places, the large buffers of those that have some.
        seconds: after which it returns tasks that it hasn't begun.
    """

    objects: list[tuple[int, bytes, list[memoryview]]]
    forget: list[int]
    keys: list[int]
    tasks: list[bytes]
    apart: dict[int, list[memoryview]]
    seconds: float


class Answer(NamedTuple):
    """The results of a batch, those of its first tasks; the worker hasn't begun the others.

    Attributes:
        succeeded: whether each has returned; others have raised.
        results: the pickled value of each, or the exception with its traceback as text.
        apart: as in a batch.
        seconds: that the tasks have taken.
    """

    succeeded: list[bool]
    results: list[bytes]
    apart: dict[int, list[memoryview]]
    seconds: float


class Task(threading.local):
    """Whether this thread runs a task."""

    runs: bool = False


task = Task()


class Store:
    """Functions and data by their keys.

    Args:
        apart: whether results may leave large buffers where they are, until they are sent.
        before: is called before the first task, to make the program's own module known.
    """

    def __init__(self, apart: bool, before: Callable[[], object] | None = None) -> None:
        self._apart = apart
        self._before = before
        self._pickles: dict[int, tuple[bytes, list[memoryview]]] = {}
        self._values: dict[int, Any] = {}

    def run(self, batch: Batch) -> Answer:
        """Run tasks, for as long as the batch allows; at least one."""
        for key in batch.forget:
            self._pickles.pop(key, None)
            self._values.pop(key, None)
        self._pickles.update((key, (data, buffers)) for key, data, buffers in batch.objects)
        answer = Answer([], [], {}, 0.0)
        current.store, task.runs = self, True
        began = time.perf_counter()
        try:
            for place, (key, data) in enumerate(zip(batch.keys, batch.tasks, strict=True)):
                self._run(answer, place, key, data, batch.apart.get(place, ()))
                if time.perf_counter() - began > batch.seconds:
                    break
        finally:
            current.store, task.runs = None, False
        return answer._replace(seconds=time.perf_counter() - began)

    def _run(self, answer: Answer, place: int, key: int, data: bytes, buffers: Any) -> None:
        """Run one task, and add its result."""
        try:
            if self._before:
                before, self._before = self._before, None
                before()
            function = self._values[key] if key in self._values else self.value(key)
            args, kwargs = pickle.loads(data, buffers=buffers)
            packed = pack(function(*args, **kwargs), "the result", self._apart)
        except BaseException as error:  # SystemExit and KeyboardInterrupt, too: they are the task's
            answer.succeeded.append(False)
            answer.results.append(_pack_error(error))
            return
        answer.succeeded.append(True)
        answer.results.append(packed.data)
        if packed.buffers:
            answer.apart[place] = packed.buffers

    def value(self, key: int) -> Any:
        """A function, or shared data; unpickled once."""
        if key not in self._values:
            data, buffers = self._pickles[key]
            self._values[key] = pickle.loads(data, buffers=buffers)
            del self._pickles[key]
        return self._values[key]


def _pack_error(error: BaseException) -> bytes:
    """An exception and its traceback; without the exception if it can't be unpickled."""
    if error.__traceback__:
        error.__traceback__ = error.__traceback__.tb_next  # without the frame that called the task
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        data = pickle.dumps((error, text, ""))
        pickle.loads(data)
    except Exception as reason:
        data = pickle.dumps((None, text, f"{type(reason).__name__}: {reason}"))
    return data


def shared_value(key: int) -> Any:
    """What a handle of shared data arrives as."""
    if current.store is None:
        raise StateError("shared data of a pool arrive in tasks alone: pass the handle as an argument of a task")
    return current.store.value(key)
