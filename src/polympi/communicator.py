"""The communicator as programs see it: the class of the core, and the methods that need not be fast."""

from __future__ import annotations

from operator import index

from polympi.errors import MismatchError, RankError, StateError
from polympi.freed import Freed
from polympi.messages import Messages
from polympi.mpi4py_words import COMMUNICATOR, Absent, Listed
from polympi.native import core

# False, but not literally: Jedi would skip the excluded imports and complete nothing from annotations.
TYPE_CHECKING = bool()  # noqa: UP018
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Literal, NoReturn, overload

    from numpy.typing import DTypeLike, NDArray

    from polympi.cartesian import Cartesian
    from polympi.file import File
    from polympi.graph import Graph
    from polympi.intercommunicator import Intercommunicator
    from polympi.window import Window

    _Free = Literal[0] | None
    _Size = int | None
    # Sizes of which at least one is free, so that all ranks are used.
    _FreeDims = (
        Sequence[_Free]
        | tuple[_Free, _Size]
        | tuple[_Size, _Free]
        | tuple[_Free, _Size, _Size]
        | tuple[_Size, _Free, _Size]
        | tuple[_Size, _Size, _Free]
    )


class Communicator(Freed, Messages, metaclass=Listed):
    """A group of ranks that send each other any object (MPI 5.0, chapters 3, 6 and 7).

    :data:`polympi.world` holds all ranks; :meth:`split` and :meth:`dup` make others. In a ``with`` statement it is
    freed at the end.

    Attributes:
        rank: this process's rank, from 0.
        size: how many ranks there are.
    """

    if TYPE_CHECKING:

        @overload
        def cart(
            self,
            dims: _FreeDims | None = None,
            periods: bool | Sequence[bool] = False,
            *,
            ndim: int | None = None,
            reorder: bool = False,
        ) -> Cartesian: ...
        @overload
        def cart(
            self,
            dims: Sequence[int | None],
            periods: bool | Sequence[bool] = False,
            *,
            ndim: int | None = None,
            reorder: bool = False,
        ) -> Cartesian | None: ...

    def cart(
        self,
        dims: Sequence[int | None] | None = None,
        periods: bool | Sequence[bool] = False,
        *,
        ndim: int | None = None,
        reorder: bool = False,
    ) -> Cartesian | None:
        """A communicator of the same ranks as cells of a mesh. All ranks call it, with the same arguments.

        Ranks of the mesh are counted along its last axis first. They are those of this communicator in order, unless
        they may be reordered.

        Args:
            dims: how many ranks along each axis, ``(2, 3)``. 0 or None: chosen so that all ranks are used and the sizes
                are balanced and do not increase. Without dims, all are chosen.
            periods: whether an axis is periodic: a bool for each, or one for all.
            ndim: how many axes, if dims is left out.
            reorder: renumber ranks on several machines if then more neighbours share a machine.

        Returns:
            The mesh. If all sizes are given, surplus ranks, the last ones, get None.

        Raises:
            TypeError, ValueError: the arguments are invalid, or need more ranks than there are.
            MismatchError: ranks give different arguments, or another rank's are invalid.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, sections 8.5.1 and 8.5.2.
        """
        from polympi.cartesian import make

        return make(self, dims, periods, ndim, reorder)

    def graph(self, sources: Iterable[int], destinations: Iterable[int]) -> Graph:
        """A communicator of the same ranks, in which each has the neighbours that it names. All ranks call it.

        Args:
            sources: the ranks that this rank receives from. A rank may occur several times, and may be this rank.
            destinations: the ranks that it sends to. Each must name this rank as a source as often.

        Raises:
            TypeError, RankError: this rank names something that isn't a rank.
            MismatchError: only one end names an edge, or another rank's argument is wrong; on all ranks.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 8.5.4 (MPI_Dist_graph_create_adjacent).
        """
        from polympi.graph import make

        return make(self, sources, destinations)

    def subset(self, ranks: Iterable[int]) -> Communicator:
        """A communicator of some ranks of this one. Only these call it, all with the same ranks in the same order.

        Args:
            ranks: in the order of their ranks in the new communicator, each once, with this rank among them.

        Raises:
            RankError: ranks has a number that isn't a rank, or has one twice, or lacks this rank.
            MismatchError: another member calls it with other ranks, and both wait for each other.
            EndedError: another member has ended without it.
            Error: another member has left the call by an exception.
            Timeout: not all members called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 7.4.2 (MPI_Comm_create_group).
        """
        return self._subset(Communicator, ranks)

    def create_intercomm(
        self, local_leader: int, peer_comm: Communicator | None, remote_leader: int, tag: int = 0
    ) -> Intercommunicator:
        """Connect this group of ranks with another one. All ranks of both call it, each group on its communicator.

        Args:
            local_leader: the rank of this communicator that speaks with the other group; the same on all ranks.
            peer_comm: a communicator of both leaders; needed on the leader alone.
            remote_leader: the rank there of the other group's leader; likewise.
            tag: of the messages of the leaders, the same on both.

        Raises:
            RankError: a leader isn't a rank of its communicator.
            MismatchError: the groups have ranks in common, the ranks of a group name different leaders, or another
                rank's arguments are wrong.
            EndedError: a rank has ended without it.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 7.6.2 (MPI_Intercomm_create).
        """
        from polympi.intercommunicator import make

        return make(self, local_leader, peer_comm, remote_leader, tag)

    def open(self, path: str | os.PathLike[str], mode: str = "r", *, hints: Mapping[str, object] | None = None) -> File:
        """Open a file that all ranks read or write. All ranks call it, with the same arguments.

        Use it in a ``with`` statement, which closes the file on all ranks.

        Args:
            path: of a file that all ranks reach.
            mode: as Python's ``open`` has it: ``r`` reads, ``w`` writes from scratch, ``x`` writes a file that must not
                exist yet, ``a`` keeps what is there; with a ``+`` each reads and writes. All of them in bytes, and all
                at any offset, ``a`` too.
            hints: for the MPI library, such as ``{"cb_nodes": 4}`` (MPI 5.0, section 14.2.8); it ignores those that it
                doesn't know.

        Raises:
            TypeError, ValueError: path, mode or hints are wrong.
            FileError: this rank can't open it, or another one can't, which is named.
            MismatchError: ranks give different paths, modes or hints.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 14.2.1.
        """
        from polympi.file import open_file  # imports NumPy

        return open_file(self, path, mode, hints)

    def split_by_host(self) -> Communicator:
        """A communicator of the ranks on this rank's host, which share its memory, in their order. All ranks call it.

        Raises:
            MismatchError: some ranks belong to another program, which was spawned.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 7.4.2 (MPI_Comm_split_type).
        """
        if min(self._world_ranks()) < 0:
            raise MismatchError(
                f"rank {self.rank}, split_by_host(): some ranks belong to another program: call it on ranks of "
                "polympi.world",
                operation="split_by_host",
                rank=self.rank,
            )
        return self.split(core.machine())

    def shared(self, shape: int | Sequence[int], dtype: DTypeLike = float) -> NDArray[Any]:
        """One array of zeros that all ranks have, in shared memory. All ranks call it, on one host.

        What a rank writes is there for the others after a :meth:`barrier`. Nobody frees the array: its memory goes with
        the last view of the last rank.

        Args:
            shape: of the array, the same on all ranks.
            dtype: of its elements, which aren't Python objects.

        Raises:
            TypeError, ValueError: shape or dtype isn't one.
            MismatchError: the ranks are on several hosts, or give different arguments, or another rank's are wrong.
            Error: the host has too little shared memory.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 12.2.3 (MPI_Win_allocate_shared).
        """
        from polympi.shared import make

        return make(self, shape, dtype)

    def in_turn(self) -> AbstractContextManager[None]:
        """In a ``with`` statement: one rank after another runs its body. All ranks call it; see :func:`in_turn`.

        Raises:
            MismatchError: another rank makes another call.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.
        """
        from polympi.turns import in_turn

        return in_turn(self)

    def window(self, array: NDArray[Any] | None) -> Window:
        """Let all ranks access an array of each rank, without its help. All ranks call it.

        In a ``with`` statement the window is freed at the end. It stays usable if the communicator is freed.

        Args:
            array: memory of this rank, contiguous and writable, of any size; None, if it has none.

        Raises:
            MismatchError: the array isn't one, or has Python objects; or the ranks give different dtypes, or another
                rank's array is wrong.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 12.2.1 (MPI_Win_create).
        """
        from polympi.window import make

        return make(self, array)

    def translate(self, ranks: Iterable[int], other: core.Communicator) -> list[int | None]:
        """The ranks that some ranks of this communicator have in another one; None where they aren't in it.

        The call is local, and knows the ranks of this world alone.

        Args:
            ranks: of this communicator, in any order.
            other: the other communicator.

        Raises:
            RankError: ranks has a number that isn't a rank of this communicator.

        MPI 5.0, section 7.3.1 (MPI_Group_translate_ranks).
        """
        in_world = self._world_ranks()
        there = {of_world: rank for rank, of_world in enumerate(other._world_ranks()) if of_world >= 0}
        return [there.get(in_world[self._checked(rank)]) for rank in ranks]

    def _checked(self, rank: int) -> int:
        """A rank of this communicator."""
        number = index(rank)
        if not 0 <= number < self.size:
            raise RankError(
                f"rank {self.rank}, translate(): ranks has {number}, but the ranks of this communicator are 0 to "
                f"{self.size - 1}"
            )
        return number

    def compare(self, other: core.Communicator) -> Literal["identical", "congruent", "similar", "unequal"]:
        """How the ranks of another communicator differ from those of this one.

        The call is local. ``==`` is True only if they are identical.

        Returns:
            ``identical``: it is this communicator; ``congruent``: the same ranks in the same order; ``similar``: the
            same in another order; ``unequal``: different ones.

        MPI 5.0, section 7.4.1 (MPI_Comm_compare).
        """
        mine, theirs = self._world_ranks(), other._world_ranks()
        if self is other:
            return "identical"
        if mine == theirs:
            return "congruent"
        return "similar" if sorted(mine) == sorted(theirs) else "unequal"

    @property
    def name(self) -> str:
        """A name for people: empty unless it is set. MPI's tools show it, too.

        It is this rank's alone, and a duplicate has none. The MPI library keeps its first 63 bytes or more.
        """
        name: str = self.__dict__.get("_name", "")
        return name

    @name.setter
    def name(self, name: str) -> None:
        self._set_name(name)
        self.__dict__["_name"] = name

    @property
    def attributes(self) -> dict[Any, Any]:
        """A dict for what libraries and programs keep with this communicator, on this rank.

        It is empty at first, also that of a duplicate, and dies with the communicator.

        Raises:
            StateError: the communicator was freed.
        """
        if not self.size:
            self.__dict__.pop("_attributes", None)
            raise StateError("this communicator was freed, and its attributes with it: use another one")
        attributes: dict[Any, Any] = self.__dict__.setdefault("_attributes", {})
        return attributes

    def free(self) -> None:
        """Free the communicator, and forget its attributes. All ranks call it.

        Calls on it afterwards raise StateError. Messages that were never received are reported on standard error.

        Raises:
            StateError: a receive or a plan on it is pending.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI libraries have room for one or two thousand communicators (MPI 5.0, section 7.4.3).
        """
        super().free()
        self.__dict__.pop("_attributes", None)

    def to_mpi4py(self) -> Any:
        """An mpi4py communicator of the same ranks, a duplicate. All ranks call it.

        The caller owns it and frees it with its ``Free``; its messages never match polympi's.

        Raises:
            LibraryError: mpi4py is missing, or runs on another MPI library than polympi.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 7.4.2 (MPI_Comm_dup).
        """
        from polympi.handles import to_mpi4py

        return to_mpi4py(self)

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a communicator has no meaning in another process."""
        raise TypeError("a communicator cannot be sent or pickled: split or dup it on all ranks instead")

    def __dir__(self) -> list[str]:
        """All names but those of mpi4py."""
        return [name for name in super().__dir__() if name not in COMMUNICATOR]


for _name, _word in COMMUNICATOR.items():
    setattr(Communicator, _name, Absent(_name, _word))
