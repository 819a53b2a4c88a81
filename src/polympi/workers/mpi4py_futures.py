"""The interface of mpi4py.futures (mpi4py 4.1), for scripts that are run by ``python -m polympi.pool``."""

from __future__ import annotations

import concurrent.futures
import sys
from contextlib import suppress
from importlib.util import find_spec
from types import ModuleType

from polympi.errors import LibraryError
from polympi.startup import init
from polympi.workers.opening import Where
from polympi.workers.pool import Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from typing_extensions import Self

_STANDARD = (
    *("ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION", "BrokenExecutor", "CancelledError", "Executor", "Future"),
    *("InvalidStateError", "TimeoutError", "as_completed", "wait"),
)


class MPIPoolExecutor(Pool):
    """A pool on all workers of the job, whose number no argument changes.

    Other arguments than these, which are for processes that mpi4py starts, are ignored.
    """

    def __init__(
        self,
        max_workers: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        **options: object,  # noqa: ARG002
    ) -> None:
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        super().__init__(Where(), 0, initializer, tuple(initargs))
        super().__enter__()

    def __enter__(self) -> Self:
        """The pool itself, which has begun already."""
        return self

    @property
    def num_workers(self) -> int:
        """How many there are; 0 after the end."""
        return 0 if self.ended else self.size

    def bootup(self, wait: bool = True) -> Self:  # noqa: ARG002
        """Do nothing: the workers are there."""
        return self

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], unordered: bool = False, **options: Any) -> Any:
        """As the pool's, also without an order."""
        return (self.imap_unordered if unordered else super().map)(fn, *iterables, **options)

    def starmap(
        self, fn: Callable[..., Any], iterable: Iterable[Any], *, unordered: bool = False, **options: Any
    ) -> Iterator[Any]:
        """As the pool's, also without an order."""
        if unordered:
            return self.imap_unordered(_Star(fn), iterable, **options)
        return super().starmap(fn, iterable, **options)


class _Star:
    """A function of one tuple of arguments."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def __call__(self, args: Iterable[Any]) -> Any:
        return self.fn(*args)


class MPICommExecutor:
    """A pool in a ``with`` statement: None on workers."""

    def __init__(self, comm: object = None, root: int = 0, **options: Any) -> None:  # noqa: ARG002
        self._options = options
        self._pool: MPIPoolExecutor | None = None

    def __enter__(self) -> MPIPoolExecutor | None:
        self._pool = MPIPoolExecutor(**self._options)
        return self._pool

    def __exit__(self, *raised: Any) -> None:
        if self._pool:
            self._pool.__exit__(*raised)


class _World:
    """What a script asks of ``MPI.COMM_WORLD`` to make a pool, where mpi4py isn't installed."""

    def __init__(self) -> None:
        self.rank, self.size = init().rank, init().size

    def Get_rank(self) -> int:  # noqa: N802
        """The rank."""
        return self.rank

    def Get_size(self) -> int:  # noqa: N802
        """How many there are."""
        return self.size


def _function_of_workers(installed: bool) -> Callable[[], Any]:
    """What scripts call as ``get_comm_workers`` in tasks; all ranks call this, since it makes a communicator."""
    world = init()
    workers = world if world.size == 1 else world.split(None if world.rank == 0 else 0)
    comm: Any = workers
    if workers and installed:
        with suppress(LibraryError):  # mpi4py runs on another MPI library
            comm = workers.to_mpi4py()

    def get_comm_workers() -> Any:
        """The communicator of all workers, mpi4py's if it is installed: in tasks that all of them run."""
        if comm is None:
            raise RuntimeError("get_comm_workers(): rank 0 isn't a worker: call it in tasks")
        return comm

    return get_comm_workers


def install() -> None:
    """Let scripts import this module as mpi4py.futures; without it, also as much of mpi4py itself as they need.

    All ranks call it.
    """
    installed = find_spec("mpi4py") is not None
    futures = ModuleType("mpi4py.futures", __doc__)
    vars(futures).update({name: getattr(concurrent.futures, name) for name in _STANDARD})
    vars(futures).update(MPIPoolExecutor=MPIPoolExecutor, MPICommExecutor=MPICommExecutor)
    futures.get_comm_workers = _function_of_workers(installed)  # type: ignore[attr-defined]
    if not installed:
        package, mpi = ModuleType("mpi4py"), ModuleType("mpi4py.MPI")
        package.__path__ = []
        mpi.COMM_WORLD = _World()  # type: ignore[attr-defined]
        package.MPI = mpi  # type: ignore[attr-defined]
        sys.modules.update({"mpi4py": package, "mpi4py.MPI": mpi})
    sys.modules["mpi4py.futures"] = futures
