"""Which pools are open on this rank: where they meet, and who serves whom."""

from __future__ import annotations

import signal
import threading
from operator import index
from typing import NamedTuple

from polympi.errors import RankError, StateError
from polympi.startup import init, thread_level
from polympi.workers.dispatcher import Dispatcher
from polympi.workers.store import task
from polympi.workers.worker import own_process, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from polympi.communicator import Communicator


class Where:
    """What a pool is given.

    Attributes:
        root: the rank that submits.
        comm: the ranks, None for the world.
        root_works: whether the root is a worker, too; None: if there is no other rank.
        before: is called on each worker before its first task.
        place: once the pool is entered.
    """

    def __init__(
        self,
        root: int = 0,
        comm: Communicator | None = None,
        root_works: bool | None = None,
        before: Callable[[], object] | None = None,
    ) -> None:
        self.root = index(root)
        self.comm = comm
        self.root_works = root_works
        self.before = before
        self.place: Place | None = None


class Place(NamedTuple):
    """An open pool.

    Attributes:
        ranks: of the world, in order.
        root: that of them that submits.
        dispatcher: its workers, on the root.
        owned: whether they end with it.
    """

    ranks: tuple[int, ...]
    root: int
    dispatcher: Dispatcher | None
    owned: bool


_open: list[Place] = []


def enter(where: Where) -> Dispatcher | None:
    """Open a pool: its workers, on the root; on the others serve until it ends."""
    if task.runs:
        raise StateError(
            "a task of a pool can't make a pool: submit further tasks on the root, and put code of a script that makes "
            "a pool under `if __name__ == '__main__':`"
        )
    comm = where.comm or init()
    if not 0 <= where.root < comm.size:
        raise RankError(
            f"rank {comm.rank}, pool(): the root is {where.root}, but the ranks of this communicator are 0 to "
            f"{comm.size - 1}"
        )
    ranks = comm._world_ranks()
    where.place = _shared(comm, ranks, ranks[where.root]) or _opened(comm, where, ranks)
    _open.append(where.place)
    return where.place.dispatcher


def _shared(comm: Communicator, ranks: tuple[int, ...], root: int) -> Place | None:
    """The place of a pool whose workers an open one has already; None if they have none."""
    for place in reversed(_open):
        if len(ranks) > 1 and len(place.ranks) > 1 and not set(ranks).isdisjoint(place.ranks):
            if sorted(ranks) != sorted(place.ranks) or root != place.root:
                raise StateError(
                    f"rank {comm.rank}, pool(): another pool of other ranks, or with another root, is open here: its "
                    "workers can't serve this one before it ends"
                )
            return place._replace(owned=False)
    return None


def _survive() -> None:
    """Ignore the signal that MPICH's launcher, told to let the others live, sends them when a rank has ended."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)


def _opened(comm: Communicator, where: Where, ranks: tuple[int, ...]) -> Place:
    """Meet the other ranks; on workers, serve."""
    if comm.size > 1 and (level := thread_level()) in {"single", "funneled"}:
        raise StateError(f"a pool needs a second thread in MPI, but its thread level is {level}")
    _survive()
    own = comm.dup()
    processes = own.gather(own_process(), where.root)
    root_works = comm.size == 1 if where.root_works is None else where.root_works
    if comm.size == 1 and not root_works:
        raise ValueError("pool(): there is one rank, so root_works can't be False")
    dispatcher = Dispatcher(own, processes, root_works) if processes is not None else None
    if dispatcher is None:
        serve(own, where.root, where.before)
    return Place(ranks, ranks[where.root], dispatcher, owned=True)


def leave(where: Where) -> bool:
    """Close a pool; whether its workers end with it."""
    place, where.place = where.place, None
    if place is None:
        return False
    _open.remove(place)
    return place.owned and place.dispatcher is not None


def why_not(where: Where, over: bool) -> str:
    """Why this rank has no workers."""
    if where.place is not None or over:
        return "this rank is a worker, and the pool has ended: put what the root does after `if pool:`"
    return "the pool hasn't begun: use it in a `with` statement, on all ranks"


def _end() -> None:
    """The program ends within ``with``: its workers end, too."""
    for place in _open:
        if place.dispatcher and place.owned:
            place.dispatcher.close(wait=False, at_once=True)


threading._register_atexit(_end)  # type: ignore[attr-defined]  # before Python waits for threads, as concurrent.futures
