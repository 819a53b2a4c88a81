"""Communicators: the numbers that stand for them, and the calls that make them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import polympi
from polympi.compat.mympi import errors, groups
from polympi.compat.mympi.constants import MPI_COMM_NULL, MPI_UNDEFINED
from polympi.compat.mympi.errors import answer, error, here, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from polympi.compat.mympi.datatypes import Array

    Message = tuple[Array, int, int]  # its elements, its source and its tag

MPI_COMM_WORLD = 3001
_numbers = itertools.count(MPI_COMM_WORLD + 1)


@dataclass
class Communicator:
    """What stands behind a number.

    Attributes:
        comm: the communicator of polympi.
        rank: of this process.
        size: how many ranks there are.
        members: its ranks, by their numbers in MPI_COMM_WORLD.
        handler: the number of its error handler.
        kept: messages that have come and are not received yet, in order.
    """

    comm: polympi.Communicator
    rank: int
    size: int
    members: tuple[int, ...]
    handler: int
    kept: list[Message] = field(default_factory=list)


by_number: dict[int, Communicator] = {}


def start() -> Communicator:
    """Start MPI; gives MPI_COMM_WORLD. Its messages never meet those of polympi in the same program."""
    if MPI_COMM_WORLD not in by_number:
        comm = polympi.world.dup()
        ranks = tuple(range(comm.size))
        here.rank = comm.rank
        by_number[MPI_COMM_WORLD] = Communicator(comm, comm.rank, comm.size, ranks, errors.FATAL)
    return by_number[MPI_COMM_WORLD]


def communicator(number: int, call: str) -> Communicator:
    """The communicator that a number stands for.

    Raises:
        error: there is none.
    """
    try:
        return by_number[number]
    except (KeyError, TypeError):
        _missing(number, call)


def _missing(number: object, call: str) -> NoReturn:
    if MPI_COMM_WORLD not in by_number:
        refuse(call, "MPI does not run yet: call mpi_init(len(sys.argv), sys.argv) first", errors.OTHER)
    if number == MPI_COMM_NULL:
        what = "the communicator is MPI_COMM_NULL: this rank is in none, and must not make the call"
    else:
        what = f"there is no communicator {number!r}, or it was freed: give MPI_COMM_WORLD or one that a call has made"
    refuse(call, what, errors.COMM)


def _made(comm: polympi.Communicator | None, parent: Communicator) -> int:
    """The number of a new communicator, of which all members call this; MPI_COMM_NULL for none."""
    if comm is None:
        return MPI_COMM_NULL
    members = tuple(comm.allgather(parent.members[parent.rank]))
    number = next(_numbers)
    by_number[number] = Communicator(comm, comm.rank, comm.size, members, parent.handler)
    return number


def mpi_comm_rank(comm: int, /) -> int:
    """The rank of this process; also after the end of MPI."""
    return communicator(comm, "mpi_comm_rank").rank


def mpi_comm_size(comm: int, /) -> int:
    """How many ranks there are; also after the end of MPI."""
    return communicator(comm, "mpi_comm_size").size


def mpi_comm_dup(comm: int, /) -> int:
    """A communicator of the same ranks, with separate messages; all ranks call it."""
    parent = communicator(comm, "mpi_comm_dup")
    try:
        return _made(parent.comm.dup(), parent)
    except polympi.Error as failure:
        answer(failure, parent.handler)
        return MPI_COMM_NULL


def mpi_comm_split(comm: int, color: int, key: int, /) -> int:
    """A communicator of the ranks with the same color, ordered by key; MPI_COMM_NULL for the color MPI_UNDEFINED."""
    parent = communicator(comm, "mpi_comm_split")
    try:
        return _made(parent.comm.split(None if color == MPI_UNDEFINED else color, key), parent)
    except polympi.Error as failure:
        answer(failure, parent.handler)
        return MPI_COMM_NULL


def mpi_comm_create(comm: int, group: int, /) -> int:
    """A communicator of the ranks of a group, in its order; MPI_COMM_NULL on ranks that are not in it."""
    parent = communicator(comm, "mpi_comm_create")
    try:
        members = groups.members(group, "mpi_comm_create")
        _must_agree(members, parent)
        place = members.index(parent.members[parent.rank]) if parent.members[parent.rank] in members else None
        color = None if place is None else parent.members.index(members[0])
        return _made(parent.comm.split(color, place or 0), parent)
    except (polympi.Error, error) as failure:
        answer(failure, parent.handler)
        return MPI_COMM_NULL


def _must_agree(members: tuple[int, ...], parent: Communicator) -> None:
    """Raise an error on all ranks unless the members of each group give the same group."""
    given = dict(zip(parent.members, parent.comm.allgather(members), strict=True))
    for rank, group in given.items():
        for member in group:
            if given.get(member) != group:
                conflict = "is not in the communicator" if member not in given else f"gives {list(given[member])}"
                refuse(
                    "mpi_comm_create",
                    f"rank {rank} of MPI_COMM_WORLD gives the group {list(group)}, but its rank {member} {conflict}: "
                    "give the same group on all of its ranks",
                    errors.GROUP,
                )


def mpi_comm_free(comm: int, /) -> int:
    """Give a communicator back; all ranks call it."""
    found = communicator(comm, "mpi_comm_free")
    try:
        if comm == MPI_COMM_WORLD:
            refuse("mpi_comm_free", "MPI_COMM_WORLD cannot be freed", errors.COMM)
        found.comm.free()
    except (polympi.Error, error) as failure:
        return answer(failure, found.handler)
    del by_number[comm]
    here.error = 0
    return 0


def mpi_comm_group(comm: int, /) -> int:
    """The group of the ranks of a communicator."""
    return groups.made(communicator(comm, "mpi_comm_group").members)


def mpi_group_rank(group: int, /) -> int:
    """The place of this process in a group; MPI_UNDEFINED if it is not in it."""
    members = groups.members(group, "mpi_group_rank")
    me = communicator(MPI_COMM_WORLD, "mpi_group_rank").rank
    return members.index(me) if me in members else MPI_UNDEFINED


def mpi_comm_set_errhandler(comm: int, errhandler: int, /) -> int:
    """What an error does: 0 raises it, 1 lets :func:`mpi_error` tell it, 2 also prints it."""
    found = communicator(comm, "mpi_comm_set_errhandler")
    if errhandler not in (errors.FATAL, errors.RETURN, errors.PRINT):
        refuse(
            "mpi_comm_set_errhandler",
            f"there is no error handler {errhandler!r}: give 0 (errors end the job), 1 (mpi_error() tells them) or 2 "
            "(they are printed, too)",
            errors.ARG,
        )
    found.handler = errhandler
    return 0


def mpi_comm_get_parent() -> int:
    """MPI_COMM_NULL: no program here was started by mpi_comm_spawn."""
    return MPI_COMM_NULL
