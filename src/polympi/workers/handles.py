"""One worker, as the root has it: another rank, or a thread of the root itself."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from queue import SimpleQueue

from polympi.workers.store import Store
from polympi.workers.worker import BATCH, STOP, TAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from polympi.communicator import Communicator
    from polympi.native.core import Request
    from polympi.workers.packing import Packed
    from polympi.workers.store import Batch
    from polympi.workers.task import Task

MOST_KNOWN = 256  # functions that a worker keeps: a program may make new ones again and again


class Worker:
    """A worker.

    Attributes:
        rank: its rank.
        batches: the tasks of the batches that it hasn't answered, oldest first.
        dropped: keys that it needs no longer.
    """

    apart = True  # whether large buffers stay where they are until they are sent

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.batches: deque[list[Task]] = deque()
        self.dropped: list[int] = []
        self._known: OrderedDict[int, None] = OrderedDict()

    def objects(self, needed: dict[int, Packed]) -> tuple[list[tuple[int, bytes, list[memoryview]]], list[int]]:
        """What it must be sent of what a batch needs, and what it may forget."""
        new = [key for key in needed if key not in self._known]
        for key in needed:
            self._known[key] = None
            self._known.move_to_end(key)
        forget, self.dropped = self.dropped, []
        for key in forget:
            self._known.pop(key, None)
        while len(self._known) > max(MOST_KNOWN, len(needed)):
            forget.append(self._known.popitem(last=False)[0])
        return [(key, needed[key].data, needed[key].buffers) for key in new], forget

    def distrust(self) -> None:
        """Send all objects again: a batch is lost."""
        self._known.clear()

    def send(self, batch: Batch) -> None:
        """Send a batch."""
        raise NotImplementedError

    def stop(self, ending: int) -> None:
        """Let it end its part, after its batches."""
        raise NotImplementedError

    def join(self) -> None:
        """Wait for the end of what this process has of it."""


class RemoteWorker(Worker):
    """Another rank."""

    def __init__(self, rank: int, comm: Communicator) -> None:
        super().__init__(rank)
        self._comm = comm
        self._requests: list[Request[None]] = []

    def send(self, batch: Batch) -> None:
        """See Worker."""
        self._send((BATCH, tuple(batch)))

    def stop(self, ending: int) -> None:
        """See Worker."""
        self._send((STOP, ending))

    def _send(self, message: tuple[int, Any]) -> None:
        self._requests = [request for request in self._requests if not request.test()]
        self._requests.append(self._comm.isend(message, self.rank, TAG))


class LocalWorker(Worker):
    """A thread of this process.

    Args:
        rank: of this process.
        answered: is called with each answer, in this thread.
    """

    apart = False  # a task must not change what the program has

    def __init__(self, rank: int, answered: Callable[[Worker, Iterable[Any]], object]) -> None:
        super().__init__(rank)
        self._answered = answered
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="polympi worker", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        store = Store(apart=False)
        while (batch := self._batches.get()) is not None:
            self._answered(self, store.run(batch))

    def send(self, batch: Batch) -> None:
        """See Worker."""
        self._batches.put(batch)

    def stop(self, ending: int) -> None:  # noqa: ARG002
        """See Worker."""
        self._batches.put(None)

    def join(self) -> None:
        """Wait for its end."""
        if threading.current_thread() is not self._thread:
            self._thread.join()
