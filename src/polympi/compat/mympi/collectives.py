"""Calls that all ranks of a communicator make together."""

# ruff: noqa: PLR0917  (the order of MPI's arguments)

from __future__ import annotations

import polympi
from polympi.compat.mympi import datatypes
from polympi.compat.mympi.communicators import by_number, communicator
from polympi.compat.mympi.errors import answer, error, here
from polympi.compat.mympi.operations import operation
from polympi.compat.mympi.pieces import Pieces, equal_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
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


# ---- calls ----


def mpi_barrier(comm: int, /) -> int:
    """Wait for all ranks; gives 0."""
    on = communicator(comm, "mpi_barrier")
    try:
        on.comm.barrier()
    except polympi.Error as failure:
        return answer(failure, on.handler)
    here.error = 0
    return 0


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


def mpi_reduce(sendbuf: object, count: int, datatype: int, op: int, root: int, comm: int, /) -> Array:
    """The combination of what all ranks give, element by element, on the root; an empty row elsewhere."""
    on = communicator(comm, "mpi_reduce")
    try:
        mine = datatypes.sent(sendbuf, count, datatype, "mpi_reduce")
        came = on.comm.reduce(mine, operation(op, mine, "mpi_reduce"), root)
    except (polympi.Error, error) as failure:
        return _nothing(failure, count if on.rank == root else 0, datatype, comm, "mpi_reduce")
    here.error = 0
    return datatypes.nothing(0, datatype, "mpi_reduce") if came is None else came


def mpi_scatter(
    sendbuf: object, sendcount: int, sendtype: int, recvcount: int, recvtype: int, root: int, comm: int, /
) -> Array:
    """A piece of what the root gives, to each rank: sendcount elements, in the order of ranks."""
    return _scatter("mpi_scatter", sendbuf, equal_pieces(sendcount, sendtype), recvcount, recvtype, root, comm)


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


def mpi_gather(
    sendbuf: object, sendcount: int, sendtype: int, recvcount: int, recvtype: int, root: int, comm: int, /
) -> Array:
    """What all ranks give, one after another in the order of ranks, on the root; an empty row elsewhere."""
    return _gather("mpi_gather", sendbuf, sendcount, sendtype, equal_pieces(recvcount, recvtype), root, comm)


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


def mpi_alltoall(sendbuf: object, sendcount: int, sendtype: int, recvcount: int, recvtype: int, comm: int, /) -> Array:
    """The pieces of all ranks for this one, in the order of ranks: each rank gives sendcount elements to each."""
    given, taken = equal_pieces(sendcount, sendtype), equal_pieces(recvcount, recvtype)
    return _alltoall("mpi_alltoall", sendbuf, given, taken, comm)


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
