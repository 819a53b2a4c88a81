"""Calls that all ranks of a communicator make together."""

# ruff: noqa: PLR0917  (the order of MPI's arguments)

from __future__ import annotations

import polympi
from polympi.compat.adapted import adapted
from polympi.compat.mympi import datatypes
from polympi.compat.mympi.communicators import by_number, communicator, entered
from polympi.compat.mympi.datatypes import DTYPES
from polympi.compat.mympi.errors import answer, error, here
from polympi.compat.mympi.operations import NUMBERS, OF_NUMBERS, operation
from polympi.compat.mympi.pieces import Pieces, equal_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from polympi.compat.mympi.datatypes import Array
    from polympi.compat.mympi.pieces import EqualPieces, Numbers


# ---- what calls give ----


def _nothing(failure: polympi.Error | error, count: int, datatype: int, comm: int, call: str) -> Array:
    """What a call gives after an error."""
    answer(failure, by_number[comm].handler)
    return datatypes.nothing(count, datatype, call)


def _received(came: Array, count: int, datatype: int, comm: int, call: str) -> Array:
    """What a call gives that receives a row."""
    try:
        row = datatypes.received(came, count, datatype, call)
    except error as failure:
        return _nothing(failure, count, datatype, comm, call)
    here.error = 0
    return row


def _put(came: list[Array] | None, pieces: Pieces | EqualPieces, comm: int, call: str) -> Array:
    """What a call gives that puts pieces into a row; None stands for none."""
    try:
        row = datatypes.nothing(0, pieces.datatype, call) if came is None else pieces.put(came, call)
    except error as failure:
        return _nothing(failure, 0, pieces.datatype, comm, call)
    here.error = 0
    return row


def _reduced(came: Array | None, datatype: int) -> Array:
    """What a reduction gives; None stands for nothing."""
    here.error = 0
    return datatypes.nothing(0, datatype, "mpi_reduce") if came is None else came


# ---- what the core is told of calls with pieces, whose last arguments say what comes ----


def _of_one_piece(call: str) -> dict[str, Any]:
    """A call whose arguments end with the number and type of what comes, the root and the communicator."""

    def failed(failure: polympi.Error | error, *given: Any) -> Array:
        count, datatype, _, comm = given[-4:]
        return _nothing(failure, count, datatype, comm, call)

    def mismatched(came: Array, *given: Any) -> Array:
        count, datatype, _, comm = given[-4:]
        return _received(came, count, datatype, comm, call)

    return {"failed": failed, "mismatched": mismatched}


def _of_all_pieces(call: str, *, root: bool = False, places: bool = False) -> dict[str, Any]:
    """Its arguments end with numbers, their places if it has any, the type, the root if it has one, and comm."""
    end = -2 if root else -1

    def failed(failure: polympi.Error | error, *given: Any) -> Array:
        return _nothing(failure, 0, given[end - 1], given[-1], call)

    def mismatched(came: list[Array] | None, *given: Any) -> Array:
        pieces = Pieces(*given[end - 3 : end]) if places else equal_pieces(*given[end - 2 : end])
        return _put(came, pieces, given[-1], call)

    return {"failed": failed, "mismatched": mismatched}


# ---- calls ----


@adapted(
    entered,
    "comm",
    collective="barrier",
    answers=True,
    answer=0,
    failed=lambda failure, comm: answer(failure, by_number[comm].handler),
)
def mpi_barrier(comm: int, /) -> int:
    """Wait for all ranks; gives 0."""
    on = communicator(comm, "mpi_barrier")
    try:
        on.comm.barrier()
    except polympi.Error as failure:
        return answer(failure, on.handler)
    here.error = 0
    return 0


@adapted(
    entered,
    "object count datatype root comm",
    collective="bcast",
    form="rows",
    dtypes=DTYPES,
    failed=lambda failure, _, count, datatype, _root, comm: _nothing(failure, count, datatype, comm, "mpi_bcast"),
    mismatched=lambda came, _, count, datatype, _root, comm: _received(came, count, datatype, comm, "mpi_bcast"),
)
def mpi_bcast(buf: object, count: int, datatype: int, root: int, comm: int, /) -> Array:
    """The first elements of what the root gives, as a new row on all ranks; what others give does not count."""
    on = communicator(comm, "mpi_bcast")
    try:
        if on.rank == root:
            mine = datatypes.sent(buf, count, datatype, "mpi_bcast")
            on.comm.bcast(mine, root)
            came = mine.copy()
        else:
            came = on.comm.bcast(None, root)
    except (polympi.Error, error) as failure:
        return _nothing(failure, count, datatype, comm, "mpi_bcast")
    return _received(came, count, datatype, comm, "mpi_bcast")


def _reduce_failed(  # what it is called with
    failure: polympi.Error | error, _sendbuf: object, count: int, datatype: int, _op: int, root: int, comm: int
) -> Array:
    """What a reduction gives after an error."""
    return _nothing(failure, count if by_number[comm].rank == root else 0, datatype, comm, "mpi_reduce")


@adapted(
    entered,
    "object count datatype op root comm",
    collective="reduce",
    form="rows",
    dtypes=NUMBERS,
    ops=OF_NUMBERS,
    failed=_reduce_failed,
    mismatched=lambda came, _, _count, datatype, *_given: _reduced(came, datatype),
)
def mpi_reduce(sendbuf: object, count: int, datatype: int, op: int, root: int, comm: int, /) -> Array:
    """The combination of what all ranks give, element by element, on the root; an empty row elsewhere."""
    on = communicator(comm, "mpi_reduce")
    try:
        mine = datatypes.sent(sendbuf, count, datatype, "mpi_reduce")
        came = on.comm.reduce(mine, operation(op, mine, "mpi_reduce"), root)
    except (polympi.Error, error) as failure:
        return _reduce_failed(failure, sendbuf, count, datatype, op, root, comm)
    return _reduced(came, datatype)


@adapted(
    entered,
    "object count datatype into_count into_datatype root comm",
    collective="scatter",
    form="rows",
    dtypes=DTYPES,
    **_of_one_piece("mpi_scatter"),
)
def mpi_scatter(
    sendbuf: object, sendcount: int, sendtype: int, recvcount: int, recvtype: int, root: int, comm: int, /
) -> Array:
    """A piece of what the root gives, to each rank: sendcount elements, in the order of ranks."""
    return _scatter("mpi_scatter", sendbuf, equal_pieces(sendcount, sendtype), recvcount, recvtype, root, comm)


@adapted(
    entered,
    "object count places datatype into_count into_datatype root comm",
    collective="scatter",
    form="rows",
    dtypes=DTYPES,
    **_of_one_piece("mpi_scatterv"),
)
def mpi_scatterv(
    sendbuf: object,
    sendcounts: Numbers,
    displs: Numbers,
    sendtype: int,
    recvcount: int,
    recvtype: int,
    root: int,
    comm: int,
    /,
) -> Array:
    """A piece of what the root gives, to each rank: as many elements as its count, from its displacement on."""
    return _scatter("mpi_scatterv", sendbuf, Pieces(sendcounts, displs, sendtype), recvcount, recvtype, root, comm)


def _scatter(
    call: str, sendbuf: object, pieces: Pieces | EqualPieces, recvcount: int, recvtype: int, root: int, comm: int
) -> Array:
    on = communicator(comm, call)
    try:
        came = on.comm.scatter(pieces.cut(sendbuf, on.size, call) if on.rank == root else None, root)
    except (polympi.Error, error) as failure:
        return _nothing(failure, recvcount, recvtype, comm, call)
    return _received(came, recvcount, recvtype, comm, call)


@adapted(
    entered,
    "object count datatype into_count into_datatype root comm",
    collective="gather",
    form="rows",
    dtypes=DTYPES,
    **_of_all_pieces("mpi_gather", root=True),
)
def mpi_gather(
    sendbuf: object, sendcount: int, sendtype: int, recvcount: int, recvtype: int, root: int, comm: int, /
) -> Array:
    """What all ranks give, one after another in the order of ranks, on the root; an empty row elsewhere."""
    return _gather("mpi_gather", sendbuf, sendcount, sendtype, equal_pieces(recvcount, recvtype), root, comm)


@adapted(
    entered,
    "object count datatype into_count into_places into_datatype root comm",
    collective="gather",
    form="rows",
    dtypes=DTYPES,
    **_of_all_pieces("mpi_gatherv", root=True, places=True),
)
def mpi_gatherv(
    sendbuf: object,
    sendcount: int,
    sendtype: int,
    recvcounts: Numbers,
    displs: Numbers,
    recvtype: int,
    root: int,
    comm: int,
    /,
) -> Array:
    """What all ranks give, each from its displacement on, on the root; an empty row elsewhere."""
    return _gather("mpi_gatherv", sendbuf, sendcount, sendtype, Pieces(recvcounts, displs, recvtype), root, comm)


def _gather(
    call: str, sendbuf: object, sendcount: int, sendtype: int, pieces: Pieces | EqualPieces, root: int, comm: int
) -> Array:
    on = communicator(comm, call)
    try:
        came = on.comm.gather(datatypes.sent(sendbuf, sendcount, sendtype, call), root)
    except (polympi.Error, error) as failure:
        return _nothing(failure, 0, pieces.datatype, comm, call)
    return _put(came, pieces, comm, call)


@adapted(
    entered,
    "object count datatype into_count into_datatype comm",
    collective="alltoall",
    form="rows",
    dtypes=DTYPES,
    **_of_all_pieces("mpi_alltoall"),
)
def mpi_alltoall(sendbuf: object, sendcount: int, sendtype: int, recvcount: int, recvtype: int, comm: int, /) -> Array:
    """The pieces of all ranks for this one, in the order of ranks: each rank gives sendcount elements to each."""
    given, taken = equal_pieces(sendcount, sendtype), equal_pieces(recvcount, recvtype)
    return _alltoall("mpi_alltoall", sendbuf, given, taken, comm)


@adapted(
    entered,
    "object count places datatype into_count into_places into_datatype comm",
    collective="alltoall",
    form="rows",
    dtypes=DTYPES,
    **_of_all_pieces("mpi_alltoallv", places=True),
)
def mpi_alltoallv(
    sendbuf: object,
    sendcounts: Numbers,
    senddispls: Numbers,
    sendtype: int,
    recvcounts: Numbers,
    recvdispls: Numbers,
    recvtype: int,
    comm: int,
    /,
) -> Array:
    """The pieces of all ranks for this one: cut and put together by counts and displacements."""
    given, taken = Pieces(sendcounts, senddispls, sendtype), Pieces(recvcounts, recvdispls, recvtype)
    return _alltoall("mpi_alltoallv", sendbuf, given, taken, comm)


def _alltoall(call: str, sendbuf: object, given: Pieces | EqualPieces, taken: Pieces | EqualPieces, comm: int) -> Array:
    on = communicator(comm, call)
    try:
        came = on.comm.alltoall(given.cut(sendbuf, on.size, call))
    except (polympi.Error, error) as failure:
        return _nothing(failure, 0, taken.datatype, comm, call)
    return _put(came, taken, comm, call)


here.look_at(
    mpi_barrier,
    mpi_bcast,
    mpi_reduce,
    mpi_scatter,
    mpi_scatterv,
    mpi_gather,
    mpi_gatherv,
    mpi_alltoall,
    mpi_alltoallv,
)
