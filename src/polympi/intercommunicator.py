"""Intercommunicators: two groups of ranks, each of which sends to the other (MPI 5.0, sections 6.2 and 7.6).

The core has the messages between two ranks. Collective calls use communicators that are the intercommunicator's own:
of this group, and of the ranks of both, over which the first ranks of the groups exchange what their groups have.
"""

from __future__ import annotations

import random
from operator import index

from polympi import PROC_NULL, ROOT
from polympi.communicator import Communicator
from polympi.deadline import Deadline
from polympi.errors import MismatchError, RankError, StateError
from polympi.freed import Freed
from polympi.messages import Messages
from polympi.mpi4py_words import COMMUNICATOR, Absent, Listed
from polympi.native import core
from polympi.native.core import SUM
from polympi.topology import agreed, cast, exchanged, mismatch, wait_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn


class Intercommunicator(Freed, Messages, metaclass=Listed):
    """Two groups of ranks: :meth:`Communicator.create_intercomm` and :func:`spawn` make it; freed after ``with``.

    ``send``, ``recv`` and all other calls with a ``dest`` or a ``source`` mean ranks of the remote group.

    Attributes:
        rank: this process's rank in its own group, from 0.
        size: how many ranks its own group has; 0 once freed.
        remote_size: how many the other group has.
    """

    _group: Communicator  # of this group
    _whole: Communicator  # of both
    _first: int  # the rank in the whole of the remote group's rank 0

    @property
    def rank(self) -> int:
        """This process's rank in its own group, from 0."""
        return self._group.rank

    @property
    def size(self) -> int:
        """How many ranks its own group has; 0 once freed."""
        return self._group.size if super().size else 0

    @property
    def remote_size(self) -> int:
        """How many ranks the other group has; 0 once freed."""
        return super().size

    def merge(self, high: bool = False) -> Communicator:
        """A communicator of the ranks of both groups. All ranks of both call it.

        Args:
            high: this group's ranks follow those of the other group; the same on all ranks of a group. If both groups
                give the same, the group with the lowest rank of the world is first; of a spawn, those that called it.

        Raises:
            MismatchError: ranks of a group give different arguments.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 7.6.3 (MPI_Intercomm_merge).
        """
        self._require_open()
        answers = exchanged(self._whole, "merge", lambda: bool(high))
        start = self._whole.rank - self.rank
        for rank in range(self.size):
            if answers[start + rank] != bool(high):
                raise mismatch(self._whole, "merge", f"ranks {rank} and {self.rank} of a group give different 'high'")
        theirs = answers[self._first]
        follows = bool(high) if theirs != bool(high) else start > self._first
        return self._whole.split(0, self.rank + (self.remote_size if follows else 0))

    # ---- collectives ----

    def barrier(self, *, timeout: float | None = None) -> None:
        """Wait until all ranks of both groups have called it.

        Args:
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit. Likewise in the calls below.

        MPI 5.0, section 6.3.
        """
        self._require_open()
        self._whole.barrier(timeout=timeout)

    def bcast(self, obj: Any = None, root: int = 0, *, into: Any = None, timeout: float | None = None) -> Any:
        """Send an object from one rank to all ranks of the other group. All ranks of both call it.

        Args:
            obj: any object, on the root.
            root: ``mpi.ROOT`` on the root itself, PROC_NULL on the other ranks of its group; the rank of the root on
                all ranks of the other group. Likewise in the other calls with a root.
            into: memory for an array, on the ranks that receive it.
            timeout: as above.

        Returns:
            The object; None on the ranks with PROC_NULL.

        MPI 5.0, section 6.4.
        """
        role, deadline = self._role("bcast", root), Deadline("bcast", timeout)
        if role == PROC_NULL:
            return None
        if role == ROOT:
            given = into if obj is None else obj
            self._whole.send(given, self._first, timeout=deadline.left())
            return given
        if self.rank == 0:
            obj = self._whole.recv(self._first + role, into=into, timeout=deadline.left())
        if into is not None:
            return self._group.bcast(into=into, timeout=deadline.left())
        return self._group.bcast(obj, timeout=deadline.left())

    def gather(self, x: Any, root: int = 0, *, timeout: float | None = None) -> list[Any] | None:  # type: ignore[override]
        """Send an object from each rank of a group to one rank of the other one. All ranks of both call it.

        Args:
            x: any object; ignored in the root's group.
            root: as in :meth:`bcast`.
            timeout: as in :meth:`barrier`.

        Returns:
            On the root, the objects in the order of their ranks; None elsewhere.

        MPI 5.0, section 6.5.
        """
        role, deadline = self._role("gather", root), Deadline("gather", timeout)
        gathered: list[Any] | None = self._to_root(
            role, lambda: self._group.gather(x, timeout=deadline.left()), deadline
        )
        return gathered

    def reduce(self, x: Any, op: core.Op | None = SUM, root: int = 0, *, timeout: float | None = None) -> Any:  # type: ignore[override]
        """As :meth:`gather`, and the root gets what the operation makes of the objects.

        Args:
            x: a number, an array, or what the operation takes; ignored in the root's group.
            op: an operation, such as ``mpi.MAX``.
            root: as in :meth:`bcast`.
            timeout: as in :meth:`barrier`.

        MPI 5.0, section 6.9.1.
        """
        role, deadline = self._role("reduce", root), Deadline("reduce", timeout)
        return self._to_root(role, lambda: self._group.reduce(x, op, timeout=deadline.left()), deadline)

    def scatter(self, pieces: Iterable[Any] | None = None, root: int = 0, *, timeout: float | None = None) -> Any:  # type: ignore[override]
        """Send each rank of a group its object from one rank of the other group. All ranks of both call it.

        Args:
            pieces: on the root, one object for each rank of the other group.
            root: as in :meth:`bcast`.
            timeout: as in :meth:`barrier`.

        Returns:
            This rank's object; None in the root's group.

        Raises:
            MismatchError: there are not as many pieces as ranks in the other group.

        MPI 5.0, section 6.6.
        """
        role, deadline = self._role("scatter", root), Deadline("scatter", timeout)
        if role == PROC_NULL:
            return None
        if role == ROOT:
            self._whole.send(self._pieces("scatter", pieces), self._first, timeout=deadline.left())
            return None
        mine = self._whole.recv(self._first + role, timeout=deadline.left()) if self.rank == 0 else None
        return self._group.scatter(mine, timeout=deadline.left())

    def allgather(self, x: Any, *, timeout: float | None = None) -> list[Any]:  # type: ignore[override]
        """Send an object from each rank to all ranks of the other group. All ranks of both call it.

        Args:
            x: any object.
            timeout: as in :meth:`barrier`.

        Returns:
            The objects of the remote group, in the order of its ranks.

        MPI 5.0, section 6.7.
        """
        self._require_open()
        deadline = Deadline("allgather", timeout)
        theirs: list[Any] = self._swap(self._group.gather(x, timeout=deadline.left()), deadline)
        return theirs

    def allreduce(self, x: Any, op: core.Op | None = SUM, *, timeout: float | None = None) -> Any:  # type: ignore[override]
        """As :meth:`allgather`, and each rank gets what the operation makes of the remote group's objects.

        Args:
            x: a number, an array, or what the operation takes.
            op: an operation, such as ``mpi.MAX``.
            timeout: as in :meth:`barrier`.

        MPI 5.0, section 6.9.6.
        """
        self._require_open()
        deadline = Deadline("allreduce", timeout)
        return self._swap(self._group.reduce(x, op, timeout=deadline.left()), deadline)

    def alltoall(self, pieces: Iterable[Any], *, timeout: float | None = None) -> list[Any]:  # type: ignore[override]
        """Send each rank of the other group its object, and receive one from each. All ranks of both call it.

        Args:
            pieces: one object for each rank of the other group.
            timeout: as in :meth:`barrier`.

        Returns:
            The objects for this rank, in the order of the remote group's ranks.

        Raises:
            MismatchError: there are not as many pieces as ranks in the other group.

        MPI 5.0, section 6.8.
        """
        self._require_open()
        deadline = Deadline("alltoall", timeout)
        sends = [
            self._whole.isend(piece, self._first + rank) for rank, piece in enumerate(self._pieces("alltoall", pieces))
        ]
        received = [self._whole.recv(self._first + rank, timeout=deadline.left()) for rank in range(self.remote_size)]
        wait_each(sends, deadline)
        return received

    def _role(self, operation: str, root: int) -> int:
        """The argument `root`: ROOT, PROC_NULL, or a rank of the remote group."""
        self._require_open()
        number = index(root)
        if number not in (ROOT, PROC_NULL) and not 0 <= number < self.remote_size:
            raise RankError(
                f"rank {self.rank}, {operation}(): root is {number}, but the remote group has the ranks 0 to "
                f"{self.remote_size - 1}; the root itself gives polympi.ROOT, and the other ranks of its group "
                "polympi.PROC_NULL",
                operation=operation,
                rank=self.rank,
            )
        return number

    def _to_root(self, role: int, combine: Any, deadline: Deadline) -> Any:
        """Send what a call in one group yields on its rank 0 to the root in the other one."""
        if role == PROC_NULL:
            return None
        if role == ROOT:
            return self._whole.recv(self._first, timeout=deadline.left())
        combined = combine()
        if self.rank == 0:
            self._whole.send(combined, self._first + role, timeout=deadline.left())
        return None

    def _swap(self, mine: Any, deadline: Deadline) -> Any:
        """Exchange what the ranks 0 have, and give it to all ranks of the other group."""
        theirs = None
        if self.rank == 0:
            theirs = self._whole.sendrecv(mine, self._first, source=self._first, timeout=deadline.left())
        return self._group.bcast(theirs, timeout=deadline.left())

    def _pieces(self, operation: str, given: Iterable[Any] | None) -> list[Any]:
        """One piece for each remote rank."""
        pieces = list(given or ())
        if len(pieces) != self.remote_size:
            raise MismatchError(
                f"rank {self.rank}, {operation}(): there are {len(pieces)} pieces for the {self.remote_size} ranks of "
                "the remote group",
                operation=operation,
                rank=self.rank,
            )
        return pieces

    # ---- the object ----

    def free(self) -> None:
        """Free it, and disconnect a program from the one that has spawned it. All ranks of both groups call it.

        Raises:
            StateError: a receive on it is pending.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, sections 7.4.3 and 11.10.4.
        """
        super().free()
        self._whole.free()
        self._group.free()

    def disconnect(self) -> None:
        """The same as :meth:`free`: programs that spawn one another can then end at different times.

        First free what :meth:`merge` has made.
        """
        self.free()

    def _require_open(self) -> None:
        if not super().size:
            raise StateError("this intercommunicator was freed: make another one")

    def __repr__(self) -> str:
        if not self.size:
            return "<polympi.Intercommunicator, freed>"
        return f"<polympi.Intercommunicator, rank {self.rank} of {self.size}, with {self.remote_size} remote ranks>"

    def __dir__(self) -> list[str]:
        """The names that it has, unlike some that its class inherits."""
        return sorted({*dir(type(self)), *vars(self)})

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: it has no meaning in another process."""
        raise TypeError("an intercommunicator cannot be sent or pickled")


class _OfMerged(Absent):
    """In the class: a name that only communicators of one group have."""

    def __get__(self, instance: object, owner: type | None = None) -> object:
        """Raise an error that says how to get one."""
        raise AttributeError(
            f"an intercommunicator has no {self.name}: call merge(), which makes a communicator of both groups"
        )


for _name, _word in {**COMMUNICATOR, "Get_remote_size": "comm.remote_size", "Merge": "comm.merge(high)"}.items():
    setattr(Intercommunicator, _name, Absent(_name, _word))
_OWN = {
    *(
        [
            "send",
            "ssend",
            "rsend",
            "bsend",
            "isend",
            "issend",
            "irsend",
            "ibsend",
            "recv",
            "irecv",
            "sendrecv",
            "probe",
            "iprobe",
        ]
    ),
    *(["handle", "handle_size", "fortran_handle", "rank", "size", "free"]),
}
for _name in {*vars(core.Communicator), *vars(Communicator)} - {*vars(Intercommunicator), *_OWN}:
    if not _name.startswith("_"):
        setattr(Intercommunicator, _name, _OfMerged(_name, "merge()"))


def open_between(made: Intercommunicator, whole: Communicator, group: Communicator, first: int) -> Intercommunicator:
    """Set up what the core has made."""
    made._whole, made._group, made._first = whole, group, first
    return made


def make(
    comm: Communicator, local_leader: int, peer_comm: Communicator | None, remote_leader: int, tag: int
) -> Intercommunicator:
    """The intercommunicator that :meth:`Communicator.create_intercomm` makes."""
    from polympi.startup import init

    operation = "create_intercomm"
    leader = agreed(comm, operation, lambda: _rank_of(comm, "local_leader", local_leader))
    ours = comm._world_ranks()
    theirs, their_leader, label = exchanged(
        comm, operation, lambda: _exchange(comm, ours, peer_comm, remote_leader, tag) if comm.rank == leader else None
    )[leader] or ((), 0, 0)
    first = len(ours) if min(ours) < min(theirs) else 0
    whole = init()._subset(Communicator, ours + theirs if first else theirs + ours, label)
    group = cast(core.Communicator.dup(comm), Communicator)
    made = core.make_between(Intercommunicator, whole, group, leader, first + theirs.index(their_leader))
    return open_between(made, whole, group, first)


def _rank_of(comm: core.Communicator, name: str, given: int) -> int:
    """A rank of a communicator."""
    rank = index(given)
    if not 0 <= rank < comm.size:
        raise RankError(
            f"rank {comm.rank}, create_intercomm(): {name} is {rank}, but the ranks of that communicator are 0 to "
            f"{comm.size - 1}",
            operation="create_intercomm",
            rank=comm.rank,
        )
    return rank


def _exchange(
    comm: Communicator, ours: tuple[int, ...], peer_comm: Communicator | None, remote_leader: int, tag: int
) -> tuple[tuple[int, ...], int, int]:
    """On the leader: the other group and its leader, as ranks of the world, and a label for this call."""
    if not isinstance(peer_comm, Communicator):
        raise TypeError(
            f"create_intercomm(): peer_comm is {type(peer_comm).__name__}, but must be a communicator on the leaders"
        )
    operation = "create_intercomm"
    other = peer_comm._world_ranks()[_rank_of(peer_comm, "remote_leader", remote_leader)]
    if other in ours:
        raise mismatch(
            comm, operation, f"remote_leader is {remote_leader}, a rank of this group: give the other group's"
        )
    if min(*ours, other) < 0:
        raise mismatch(comm, operation, "some of the ranks belong to a program that was spawned: use those of one")
    mine = random.SystemRandom().getrandbits(32)
    theirs, number = peer_comm.sendrecv((ours, mine), remote_leader, tag, remote_leader, tag)
    if common := sorted({*ours} & {*theirs}):
        raise mismatch(comm, operation, f"rank {common[0]} of the world is in both groups, which must not overlap")
    return theirs, other, mine ^ number
