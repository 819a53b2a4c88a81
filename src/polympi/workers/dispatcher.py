"""The workers of a pool, as their root has them: which tasks each has, and what it answers.

A worker has one batch, or two where tasks take so little time that it would wait for the next one. How many tasks an
batch has follows from the time that they took so far: slow tasks are sent one by one, so that all workers end alike.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import count
from types import BuiltinFunctionType, FunctionType

from polympi.workers.failures import WorkerError, error_of, value_of
from polympi.workers.handles import LocalWorker, RemoteWorker
from polympi.workers.manager import Manager
from polympi.workers.packing import Packed, by_reference, pack
from polympi.workers.store import Answer, Batch
from polympi.workers.task import Function, Task
from polympi.workers.worker import END_ALONE, FREE, KEEP, end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from polympi.communicator import Communicator
    from polympi.workers.handles import Worker
    from polympi.workers.pool import Pool
    from polympi.workers.worker import Process

    _Failures = list[tuple[Task, BaseException]]

BATCH_S = 1e-3  # of a batch of several tasks: a hundred times what sending it takes
MOST_TASKS = 256  # in a batch: the message then costs less per task than the task itself
MOST_BYTES = 1 << 20  # likewise
SHORT_S = 2e-3  # of tasks that are worth a second batch: compared with longer ones the wait for the next is nothing
GRACE_S = 0.5  # for workers without tasks to leave before an exception ends the job
MOST_FUNCTIONS = 64  # that are remembered, with all that they refer to


class Dispatcher:
    """The workers of one communicator.

    Args:
        comm: of the root and the workers, who free it at the end.
        processes: of all its ranks.
        root_works: whether the root is a worker, too.

    Attributes:
        lock: of all that changes, also in the pools that use this dispatcher.
        changed: to wait until it has.
        size: how many workers there were at first.
        dropped: keys of shared data that the program has no longer.
    """

    def __init__(self, comm: Communicator, processes: list[Process], root_works: bool) -> None:
        self.comm = comm
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.dropped: deque[int] = deque()
        self.outstanding = 0  # batches that aren't answered
        self._queue: deque[Task] = deque()
        self._keys = count()
        self._functions: dict[Any, Function] = {}  # by what they are, or by their pickles
        self._shared: dict[int, Packed] = {}
        self._closing = self._stopped = False
        self._ending = FREE
        self._workers: dict[int, Worker] = {
            rank: RemoteWorker(rank, comm) for rank in range(comm.size) if rank != comm.rank
        }
        if root_works:
            self._workers[comm.rank] = LocalWorker(comm.rank, self.answered)
        self._by_load: tuple[dict[int, Worker], dict[int, Worker]] = (
            dict(self._workers),
            {},
        )  # with no batch, with one
        self.size = len(self._workers)
        self._manager = Manager(self, processes) if comm.size > 1 else None  # last: its thread begins at once

    # ---- what the program gives ----

    def function(self, function: Any) -> Function:
        """A function as workers get it, pickled once.

        Raises:
            pickle.PicklingError: it can't be pickled.
        """
        with self.lock:
            constant = type(function) in (FunctionType, BuiltinFunctionType)
            if constant and (known := self._functions.get(function)):
                return known
            name = getattr(function, "__qualname__", None) or type(function).__qualname__
            packed = pack(function, f"the function {name}", apart=False)
            known = self._functions.get(packed.data)
            if known is None or packed.needs != known.packed.needs:
                known = Function(next(self._keys), function, name, packed)
            if len(self._functions) >= MOST_FUNCTIONS:
                self._functions.clear()
            self._functions[packed.data] = known
            if constant and by_reference(function):
                self._functions[function] = known
            return known

    def share(self, value: object) -> int:
        """Pickle data that workers get once; their key."""
        with self.lock:
            key = next(self._keys)
            self._shared[key] = pack(value, "shared data", apart=self._manager is not None)
            return key

    def submit(self, tasks: Iterable[Task]) -> None:
        """Queue tasks, and send what can be sent."""
        with self.lock:
            self._queue.extend(tasks)
            failures = self._dispatch()
        self._fail(failures)

    # ---- batches ----

    def _dispatch(self) -> _Failures:
        """Send batches to workers with room; the tasks that failed meanwhile. Holds the lock."""
        failures: _Failures = []
        if not self._workers or self._stopped:
            failures += [(task, self._why_not(task)) for task in self._queue]
            self._queue.clear()
        while self._queue and (worker := self._worker_with_room()):
            tasks = list[Task]()
            try:
                batch = self._batch(worker, tasks, failures)
            except BaseException:  # whoever learns of it, no task may be lost
                self._queue.extendleft([*tasks, *(task for task, _ in failures)])
                raise
            if tasks:
                try:
                    worker.send(batch)
                except Exception as error:  # without memory, or after the end of MPI
                    worker.distrust()
                    failures += [(task, error) for task in tasks]
                    continue
                worker.batches.append(tasks)
                self.outstanding += 1
                self._sort(worker)
                self.changed.notify_all()
        return failures

    def _why_not(self, task: Task) -> BaseException:
        if self._stopped:
            return CancelledError()
        return WorkerError(f"rank {self.comm.rank}: {task} can't run, because all workers of the pool have ended")

    def _worker_with_room(self) -> Worker | None:
        idle, half = self._by_load
        if idle:
            return next(iter(idle.values()))
        seconds = self._queue[0].function.seconds
        if seconds is None or seconds > SHORT_S:
            return None
        return next((worker for worker in half.values() if not worker.batches[0][0].alone), None)

    def _sort(self, worker: Worker) -> None:
        for load, workers in enumerate(self._by_load):
            workers.pop(worker.rank, None)
            if load == len(worker.batches) and worker.rank in self._workers:
                workers[worker.rank] = worker

    def _batch(self, worker: Worker, tasks: list[Task], failures: _Failures) -> Batch:
        """Take the next tasks of the queue, as many as take little time, and fewer near the end of the queue."""
        batch = Batch([], [], [], [], {}, 2 * BATCH_S)
        most = min(MOST_TASKS, -(-len(self._queue) // (2 * len(self._workers))))
        needed: dict[int, Packed] = {}
        seconds, nbytes = 0.0, 0
        while self._queue and len(tasks) < most and nbytes < MOST_BYTES:
            task = self._queue[0]
            cost = task.function.seconds
            if tasks and (cost is None or task.alone or seconds + cost > BATCH_S):
                break
            if preparation := task.pool.preparation(worker.rank):
                task = preparation
            else:
                self._queue.popleft()
            packed = self._begin(task, worker, failures)
            if packed is None:
                continue
            nbytes += len(packed.data)
            needed[task.function.key] = task.function.packed
            needed.update((key, self._shared[key]) for key in packed.needs | task.function.packed.needs)
            if packed.buffers:
                batch.apart[len(tasks)] = packed.buffers
                nbytes += sum(buffer.nbytes for buffer in packed.buffers)
            tasks.append(task)
            batch.keys.append(task.function.key)
            batch.tasks.append(packed.data)
            if cost is None or task.alone:
                break
            seconds += cost
        while self.dropped:
            self._forget(self.dropped.popleft())
        objects, forget = worker.objects(needed)
        return batch._replace(objects=objects, forget=forget)

    def _begin(self, task: Task, worker: Worker, failures: _Failures) -> Packed | None:
        """The arguments of a task that begins now; None if it is cancelled or can't be pickled."""
        if not task.begun and not task.sink.begin():
            task.pool.over(1)
            return None
        task.begun = True
        if task.pool.broken:
            failures.append((task, task.pool.broken))
            return None
        try:
            return pack((task.args, task.kwargs), f"an argument of {task.function.name}", worker.apart)
        except Exception as error:
            failures.append((task, error))
            return None

    def _forget(self, key: int) -> None:
        self._shared.pop(key, None)
        for worker in self._workers.values():
            worker.dropped.append(key)

    # ---- answers ----

    def answered(self, worker: Worker, content: Iterable[Any]) -> None:
        """Take a worker's results, and send it more."""
        answer = Answer(*content)
        number = len(answer.results)
        with self.lock:  # another thread may still be in the call that has sent the batch
            tasks = worker.batches[0]
        first = tasks[0].alone  # as an initializer, on which it depends whether others may follow
        if first:
            self._deliver(worker.rank, tasks, answer)
        failures: _Failures = []
        try:
            with self.lock:
                self._answered(worker)
                for function in {task.function for task in tasks[:number]}:
                    function.measured(answer.seconds / number)
                self._queue.extendleft(reversed(tasks[number:]))
                failures = self._dispatch()
                self._stop_if_over()
        finally:  # these tasks are no longer the worker's, and would be lost
            if not first:
                self._deliver(worker.rank, tasks[:number], answer)
            self._fail(failures)

    def _answered(self, worker: Worker) -> list[Task]:
        """The tasks of a worker's oldest batch, which is over."""
        tasks = worker.batches.popleft()
        self.outstanding -= 1
        self._sort(worker)
        return tasks

    def _deliver(self, rank: int, tasks: list[Task], answer: Answer) -> None:
        apart = answer.apart
        for place, (task, succeeded, data) in enumerate(zip(tasks, answer.succeeded, answer.results, strict=True)):
            if succeeded:
                try:
                    value = value_of(rank, data, apart.get(place, ()))
                except Exception as error:
                    task.sink.fail(task.place, error)
                else:
                    task.sink.succeed(task.place, value)
            else:
                task.sink.fail(task.place, error_of(rank, data))
        self._over(tasks)

    def _fail(self, failures: _Failures) -> None:
        for task, error in failures:
            if isinstance(error, CancelledError):
                task.sink.drop(task.place)
            elif task.begun or task.sink.begin():
                task.sink.fail(task.place, error)
        self._over([task for task, _ in failures])

    def _over(self, tasks: list[Task]) -> None:
        for sink in {id(task.sink): task.sink for task in tasks}.values():
            sink.notify()
        with self.lock:
            for task in tasks:
                task.pool.over(1)
            self._stop_if_over()

    def failed(self, worker: Worker, error: BaseException) -> None:
        """A worker's oldest batch, or its answer, is lost for want of memory."""
        with self.lock:
            lost = self._answered(worker)
            worker.distrust()
            failures = self._dispatch()
            self._stop_if_over()
        self._fail([(task, error) for task in lost] + failures)

    # ---- the end ----

    def worker(self, rank: int) -> Worker | None:
        """A worker that lives."""
        return self._workers.get(rank)

    def lose(self, rank: int, how: str, killed: bool) -> None:
        """A worker has ended: the tasks that it may have begun are repeated or fail, the others go to the next one."""
        with self.lock:
            worker = self._workers.pop(rank, None)
            if worker is None:
                return
            self._ending = END_ALONE if killed else max(KEEP, self._ending)
            self.outstanding -= len(worker.batches)
            self._sort(worker)
            begun = worker.batches.popleft() if worker.batches else []
            failures: _Failures = []
            again: list[Task] = []
            for task in begun:
                task.attempts += 1
                task.alone = True
                if task.attempts <= task.pool.retries:
                    again.append(task)
                else:
                    failures.append((task, self._lost(rank, how, task, len(begun))))
            for tasks in reversed(worker.batches):
                self._queue.extendleft(reversed(tasks))
            self._queue.extendleft(reversed(again))
            failures += self._dispatch()
            self.changed.notify_all()
        self._fail(failures)

    def give_up(self, how: str) -> None:
        """No worker can be reached."""
        with self.lock:
            self._closing, self._ending = True, END_ALONE
            with suppress(BaseException):  # the tasks fail all the same
                self._stop()
            ranks = [rank for rank in self._workers if rank != self.comm.rank]
        for rank in ranks:
            self.lose(rank, how, killed=True)

    def _lost(self, rank: int, how: str, task: Task, number: int) -> WorkerError:
        others = f" or another one of the {number} tasks sent with it" if number > 1 else ""
        again = f", attempt {task.attempts} of {task.pool.retries + 1}" if task.pool.retries else ""
        return WorkerError(
            f"rank {rank} {how} while it ran {task}{others}{again}: give retries= to repeat such tasks elsewhere",
            rank=self.comm.rank,
            peer=rank,
        )

    def wait_for_work(self, seconds: float) -> bool:
        """Wait until workers have something to answer; False if the time was over before."""
        with self.lock:
            if not self.outstanding and not self._stopped:
                self.changed.wait(seconds)
            return self.outstanding > 0 or self._stopped

    def end(self) -> None:
        """All workers have ended."""
        end(self.comm, self._ending)

    def close(self, wait: bool, at_once: bool = False) -> None:
        """Let the workers end.

        Args:
            wait: whether to wait for their end.
            at_once: after the batches that they have, not after all tasks.
        """
        with self.lock:
            self._closing = True
            if at_once:
                self._stop()
            self._stop_if_over()
            failures = self._dispatch()
        self._fail(failures)
        if wait:
            self._join()
        elif at_once and self._manager:
            self._manager.join(GRACE_S)

    def cancel(self, pool: Pool) -> None:
        """Drop the tasks of a pool that haven't begun."""
        with self.lock:
            dropped = [task for task in self._queue if task.pool is pool]
            self._queue = deque(task for task in self._queue if task.pool is not pool)
        self._fail([(task, CancelledError()) for task in dropped])

    def is_managing(self) -> bool:
        """Whether this thread is the one that others wait for: it can't wait itself."""
        return self._manager is not None and self._manager.is_current()

    def why_broken(self) -> WorkerError | None:
        """Why no task can run any more."""
        return None if self._workers else WorkerError("all workers of the pool have ended")

    def _stop_if_over(self) -> None:
        if self._closing and not self._queue and not self.outstanding:
            self._stop()

    def _stop(self) -> None:
        if self._stopped:
            return
        self._stopped = True
        for worker in self._workers.values():
            worker.stop(self._ending)
        if self._manager is None:
            self.end()
        self.changed.notify_all()

    def _join(self) -> None:
        for worker in self._workers.values():
            worker.join()
        if self._manager:
            self._manager.join()
