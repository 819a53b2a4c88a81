"""What programs call: a pool, on the root and on its workers."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from functools import partial
from itertools import chain, islice
from typing import TypeVar, cast

from polympi.errors import StateError
from polympi.workers import opening
from polympi.workers.failures import WorkerError
from polympi.workers.packing import current
from polympi.workers.results import Results
from polympi.workers.store import shared_value
from polympi.workers.task import Task, TaskFuture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from types import TracebackType
    from typing import Any, NoReturn, ParamSpec

    from joblib.parallel import ParallelBackendBase
    from typing_extensions import Self

    from polympi.communicator import Communicator
    from polympi.workers.dispatcher import Dispatcher
    from polympi.workers.task import Function

    _P = ParamSpec("_P")

_T = TypeVar("_T")

PIECE = 256  # tasks that are submitted together,
PIECE_S = 1e-3  # or those that are there after this time: workers begin while a slow generator makes more


def pool(
    root: int = 0,
    *,
    comm: Communicator | None = None,
    root_works: bool | None = None,
    retries: int = 0,
    initializer: Callable[..., object] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Pool:
    """Let ranks run tasks that one of them submits, the root. All ranks use it in a ``with`` statement.

    The other ranks are workers: there, ``with`` runs tasks until the root leaves its own, and then the pool is false::

        with mpi.pool() as pool:
            if pool:
                print(sum(pool.map(simulate, range(1000))))

    Within the statement, another pool of the same ranks shares the workers.

    Args:
        root: the rank that submits.
        comm: the ranks; default: :data:`polympi.world`.
        root_works: whether the root runs tasks, too, in a thread; by default, if it is the only rank.
        retries: how often a task is repeated on another worker if its worker ends; otherwise it fails with a
            :class:`polympi.WorkerError`.
        initializer: called once on each worker before its first task.
        initargs: its arguments.

    Raises:
        RankError: there is no such root.
        ValueError: retries is negative.
        StateError: in ``with``: MPI allows one thread only; or a task makes a pool; or some of the ranks are workers of
            another pool.
    """
    return Pool(opening.Where(root, comm, root_works), retries, initializer, initargs)


class Pool(Executor):
    """A pool (``concurrent.futures.Executor``); :func:`polympi.pool` makes it.

    It is true on the root, and false on workers, where it has nothing to do any more.

    Attributes:
        broken: why no task can run; None as long as they can.
    """

    def __init__(
        self,
        where: opening.Where,
        retries: int = 0,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        if retries < 0:
            raise ValueError(f"pool(): retries is {retries}, but must be 0 or more")
        self.retries = retries
        self.broken: BaseException | None = None
        self._where = where
        self._initializer = initializer, initargs
        self._setup: Function | None = None
        self._prepared: set[int] = set()
        self._dispatcher: Dispatcher | None = None
        self._pending = 0
        self._over = False

    # ---- beginning and end ----

    def __enter__(self) -> Self:
        """On the root: the pool. On workers: run tasks, until the root leaves the statement."""
        self._dispatcher = opening.enter(self._where)
        if self._dispatcher and self._initializer[0]:
            self._setup = self._dispatcher.function(self._initializer[0])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for all tasks; after an exception, drop those that haven't begun, and wait for none."""
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def __bool__(self) -> bool:
        """Whether this rank is the root."""
        return self._dispatcher is not None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further tasks, and let the workers end when all are done.

        Args:
            wait: whether to wait for that.
            cancel_futures: whether to drop tasks that haven't begun.
        """
        over, self._over = self._over, True
        if (dispatcher := self._dispatcher) is None or over:
            opening.leave(self._where)
            return
        if cancel_futures:
            dispatcher.cancel(self)
        if wait and not dispatcher.is_managing():
            with dispatcher.lock:
                while self._pending:
                    dispatcher.changed.wait()
        if opening.leave(self._where):
            dispatcher.close(wait=wait, at_once=cancel_futures and not wait)

    @property
    def ended(self) -> bool:
        """Whether it refuses further tasks."""
        return self._over

    # ---- tasks ----

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Run ``fn(*args, **kwargs)`` on a worker; see ``concurrent.futures``.

        Raises:
            StateError: the pool has ended, or this rank isn't its root.
            WorkerError: no worker is left.
        """
        dispatcher, future = self._ready("submit"), TaskFuture()
        try:
            function = dispatcher.function(fn)
        except Exception as error:
            future.set_exception(error)
        else:
            self._submit([Task(self, function, future, 0, args, kwargs)])
        return cast("Future[_T]", future)

    def map(
        self,
        fn: Callable[..., _T],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[_T]:
        """Yield the results of ``fn`` for all arguments, in their order, each when it is there.

        Args:
            fn: takes as many arguments as there are iterables.
            iterables: their values; taken at once, also if the results aren't.
            timeout: seconds until the last result must be there.
            chunksize: tasks that are sent and answered as one; by default, as many as take little time.
            buffersize: how many arguments are taken before their results are.

        Raises:
            pickle.PicklingError: fn can't be pickled.
            TimeoutError: when a result isn't there in time.
        """
        return self._map(fn, zip(*iterables, strict=False), timeout, chunksize, buffersize, ordered=True)

    def starmap(
        self,
        fn: Callable[..., _T],
        iterable: Iterable[Iterable[Any]],
        *,
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[_T]:
        """As :meth:`map`, with all arguments of a call in one item."""
        return self._map(fn, map(tuple, iterable), timeout, chunksize, buffersize, ordered=True)

    def imap_unordered(
        self,
        fn: Callable[..., _T],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[_T]:
        """As :meth:`map`, but results come as they arrive."""
        return self._map(fn, zip(*iterables, strict=False), timeout, chunksize, buffersize, ordered=False)

    def shared(self, value: object) -> Any:
        """A handle of data that each worker receives once; its ``value`` are the data.

        Pass it to tasks, as an argument or in a function: there it is the value itself. No task may change that, nor
        the program. The data are dropped with the handle.
        """
        return Shared(self._ready("shared"), value)

    def joblib_backend(self) -> ParallelBackendBase:
        """What ``joblib.parallel_config(backend=...)`` takes so that joblib, and scikit-learn, run on the workers.

        Raises:
            ImportError: joblib isn't installed.
        """
        self._ready("joblib_backend")
        from polympi.workers.joblib_backend import Backend

        return Backend(self)

    # ---- what the dispatcher calls, with its lock ----

    def over(self, number: int) -> None:
        """Some tasks are done."""
        dispatcher = cast("Dispatcher", self._dispatcher)
        self._pending -= number
        if not self._pending:
            dispatcher.changed.notify_all()

    def preparation(self, rank: int) -> Task | None:
        """The task that must run on a worker before all others, if there is one."""
        if self._setup is None or rank in self._prepared:
            return None
        self._prepared.add(rank)
        self._pending += 1
        task = Task(self, self._setup, _Preparation(self), 0, self._initializer[1], {})
        task.alone = True
        return task

    # ---- inside ----

    def _ready(self, method: str) -> Dispatcher:
        if (dispatcher := self._dispatcher) is None:
            raise StateError(f"pool.{method}(): {opening.why_not(self._where, self._over)}")
        if self.broken:
            raise self.broken
        if self._over:
            raise StateError(f"pool.{method}(): the pool has ended: call it within its `with` statement")
        if error := dispatcher.why_broken():
            raise error
        return dispatcher

    def _submit(self, tasks: list[Task]) -> None:
        dispatcher = cast("Dispatcher", self._dispatcher)
        with dispatcher.lock:
            self._pending += len(tasks)
        dispatcher.submit(tasks)

    def _map(
        self,
        fn: Callable[..., _T],
        arguments: Iterator[tuple[Any, ...]],
        timeout: float | None,
        chunksize: int | None,
        buffersize: int | None,
        *,
        ordered: bool,
    ) -> Iterator[_T]:
        for name, value in ("chunksize", chunksize), ("buffersize", buffersize):
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}, but must be 1 or more")
        if chunksize is None or chunksize == 1:
            return self._run(fn, arguments, timeout, buffersize, ordered)
        chunks = ((list(islice(chain([first], arguments), chunksize)),) for first in arguments)
        pieces = None if buffersize is None else max(1, buffersize // chunksize)
        return chain.from_iterable(self._run(partial(_run_chunk, fn), chunks, timeout, pieces, ordered))

    def _run(
        self,
        fn: Callable[..., Any],
        arguments: Iterator[tuple[Any, ...]],
        timeout: float | None,
        buffersize: int | None,
        ordered: bool,
    ) -> Iterator[Any]:
        function = self._ready("map").function(fn)
        results = Results(timeout, ordered)
        self._feed(function, results, arguments if buffersize is None else islice(arguments, buffersize))
        more = None if buffersize is None else partial(self._feed, function, results)
        return results.take(lambda: more and more(islice(arguments, 1)))

    def _feed(self, function: Function, results: Results, arguments: Iterable[tuple[Any, ...]]) -> None:
        """Submit the tasks of some arguments; if making those fails, none that hasn't begun."""
        piece: list[Task] = []
        flush_at = 0.0
        try:
            for place, args in enumerate(arguments, results.submitted):
                piece.append(Task(self, function, results, place, args, {}))
                if len(piece) == PIECE or time.monotonic() > flush_at:
                    results.submitted += len(piece)
                    self._submit(piece)
                    piece, flush_at = [], time.monotonic() + PIECE_S
        except BaseException:
            results.cancel()
            raise
        results.submitted += len(piece)
        self._submit(piece)

    @property
    def size(self) -> int:
        """How many workers there were at its beginning."""
        return self._ready("size").size

    @property
    def _max_workers(self) -> int:
        """As executors of the standard library have it; dask asks for it."""
        return self.size

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: workers can't submit."""
        raise TypeError("a pool can't be sent or pickled: leave it out of what tasks get, in __getstate__ of its owner")


class Shared:
    """A handle of data that each worker receives once.

    Attributes:
        value: the data, on the root.
    """

    def __init__(self, dispatcher: Dispatcher, value: object) -> None:
        self.value = value
        self._dispatcher = dispatcher
        self._key = dispatcher.share(value)

    def __reduce__(self) -> tuple[Callable[[int], Any], tuple[int]]:
        if current.needs is None:
            raise TypeError("a handle of shared data can be pickled for tasks of its pool alone")
        current.needs.add(self._key)
        return shared_value, (self._key,)

    def __del__(self) -> None:
        if hasattr(self, "_key"):
            self._dispatcher.dropped.append(self._key)


class _Preparation:
    """The sink of an initializer."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def begin(self) -> bool:
        return True

    def succeed(self, place: int, value: Any) -> None:
        pass

    def fail(self, place: int, error: BaseException) -> None:  # noqa: ARG002
        broken = WorkerError(f"the initializer of the pool failed: {type(error).__name__}: {error}")
        broken.__cause__ = error
        self._pool.broken = broken

    def drop(self, place: int) -> None:
        pass

    def notify(self) -> None:
        pass


def _run_chunk(fn: Callable[..., Any], chunk: list[tuple[Any, ...]]) -> list[Any]:
    return [fn(*args) for args in chunk]
