"""The communicator of Scientific.MPI: messages and collectives of arrays, and messages of strings."""

from __future__ import annotations

import operator

import numpy as np

import polympi
from polympi import ANY_SOURCE, ANY_TAG, Error
from polympi.compat.scientific.MPI.elements import ELEMENTS, direct, put, receivable, sendable, string_of, typed
from polympi.compat.scientific.MPI.errors import ArgumentError, MPIError, own_errors, translated
from polympi.compat.scientific.MPI.operations import PLAIN, Operation, maxloc, minloc
from polympi.compat.scientific.MPI.requests import ReceiveRequest, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

    from polympi.compat.scientific.MPI.elements import Array, Received

_ndarray = np.ndarray


class Communicator:
    """A group of ranks that send each other arrays and strings.

    Calls raise MPIError for a rank or tag that does not exist, data that cannot be sent or received, arrays that do not
    fit together (on any rank), and time-outs.
    """

    def __init__(self, comm: polympi.Communicator) -> None:
        self._comm = comm
        self._rank, self._size = comm.rank, comm.size
        self._send, self._recv = comm.send, comm.recv  # looked up once
        self._bcast, self._allgather = comm.bcast, comm.allgather
        self._reduce, self._allreduce = comm.reduce, comm.allreduce

    @property
    def rank(self) -> int:
        """The rank of this process, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._size

    # ---- messages ----

    def send(self, data: Array | str | bytes, destination: int, tag: int) -> None:
        """Send an array or a string."""
        if type(data) is not _ndarray or data.dtype.hasobject:
            data = sendable(data, "send", self._rank)
        if not 0 <= destination < self._size:
            self._refuse_rank("send", "destination", destination)
        try:
            self._send(data, destination, tag)
        except Error as error:
            raise translated(error) from None

    @own_errors
    def nonblockingSend(self, data: Array | str | bytes, destination: int, tag: int) -> Request:  # noqa: N802
        """Begin to send an array, which must not be changed until the request is complete, or a string."""
        data = sendable(data, "nonblockingSend", self._rank)
        if isinstance(data, np.ndarray):
            data = np.ascontiguousarray(data).reshape(data.shape)  # a strided array was always copied
        self._check_rank("nonblockingSend", "destination", destination)
        return Request(self._comm.isend(data, destination, tag))

    def receive(self, data: Array | str, source: int | None = None, tag: int | None = None) -> Received:
        """Receive an array.

        Args:
            data: an array for it, which may be larger than the message; or a type code like "d", for a new array.
            source: the rank that sends it; None: any.
            tag: None: any.

        Returns:
            The array, the source, the tag, and how many elements came; a complex number counts as two.
        """
        if source is None:
            source = ANY_SOURCE
        elif not 0 <= source < self._size:
            self._refuse_rank("receive", "source", source)
        if tag is None:
            tag = ANY_TAG
        if type(data) is _ndarray and data.ndim == 1 and (each := ELEMENTS.get(data.dtype.char)):
            memory = data
        else:
            found = direct(data) if type(data) is _ndarray else None
            if found is None:
                return self._receive_other(data, source, tag)
            memory, each = found
        try:
            status = self._recv(source, tag, into=memory, status=True)[1]
        except Error as error:
            raise translated(error) from None
        return data, status[0], status[1], status[2] * each  # type: ignore[return-value, operator]

    def _receive_other(self, data: Array | str, source: int, tag: int) -> Received:
        """Receive a message, and then put it into memory that it could not be received into, or into a new array."""
        rank = self._rank
        target = typed(data, "receive", rank) if isinstance(data, str) else receivable(data, "receive", rank)
        try:
            got, status = self._recv(source, tag, status=True)
        except Error as error:
            raise translated(error) from None
        array, count = put(target, got, "receive", rank)
        return array, status.source, status.tag, count

    def receiveString(self, source: int | None = None, tag: int | None = None) -> tuple[str | bytes, int, int]:  # noqa: N802
        """Receive a string: it, its source and its tag."""
        where = self._where("receiveString", source, tag)
        try:
            got, status = self._recv(*where, status=True)
        except Error as error:
            raise translated(error) from None
        return string_of(got, self._rank), status.source, status.tag

    @own_errors
    def nonblockingReceive(self, data: Array, source: int | None = None, tag: int | None = None) -> ReceiveRequest:  # noqa: N802
        """Begin to receive into an array; the request gives what :meth:`receive` returns."""
        rank = self._rank
        array = receivable(data, "nonblockingReceive", rank)
        where = self._where("nonblockingReceive", source, tag)
        found = direct(array)
        request = self._comm.irecv(*where, into=None if found is None else found[0])

        def result(got: object, status: polympi.Status) -> Received:
            if found is None:
                _, count = put(array, got, "nonblockingReceive", rank)
            else:
                count = (status.elements or 0) * found[1]
            return array, status.source, status.tag, count

        return ReceiveRequest(request, result)

    @own_errors
    def nonblockingProbe(self, source: int | None = None, tag: int | None = None) -> tuple[int, int] | None:  # noqa: N802
        """The source and the tag of a message that can be received; None if there is none."""
        where = self._where("nonblockingProbe", source, tag)
        status = self._comm.iprobe(*where)
        return None if status is None else (status.source, status.tag)

    nonblocking_send = nonblockingSend
    nonblocking_receive = nonblockingReceive
    nonblocking_probe = nonblockingProbe

    # ---- collectives ----

    def broadcast(self, array: Array, root: int) -> None:
        """Fill the arrays of all ranks with that of the root."""
        if self._rank != root:
            array = receivable(array, "broadcast", self._rank)
        elif (type(array) is not _ndarray or array.dtype.hasobject) and isinstance(
            sendable(array, "broadcast", self._rank), (str, bytes)
        ):
            raise MPIError(f"rank {self._rank}, broadcast(): only arrays can be broadcast, not a string")
        if not 0 <= root < self._size:
            self._refuse_rank("broadcast", "root", root)
        try:
            if self._rank == root:
                self._bcast(array, root)
            else:
                self._bcast(None, root, into=array)
        except Error as error:
            raise translated(error) from None

    def share(self, send: Array, receive: Array) -> None:
        """Give all ranks the arrays of all: that of rank i becomes ``receive[i]``."""
        shape = send.shape if type(send) is _ndarray else np.shape(send)
        self._check_pair("share", send, receive, (self._size, *shape))
        try:
            self._allgather(send, into=receive)
        except Error as error:
            raise translated(error) from None

    def reduce(self, sendbuf: Array, recvbuf: Array, op: Operation, root: int) -> None:
        """Give the root the combination of the arrays of all ranks, element by element."""
        combine = self._combining("reduce", sendbuf, recvbuf, op)
        if not 0 <= root < self._size:
            self._refuse_rank("reduce", "root", root)
        try:
            self._reduce(sendbuf, combine, root, into=recvbuf)
        except Error as error:
            raise translated(error) from None

    def allreduce(self, sendbuf: Array, recvbuf: Array, op: Operation) -> None:
        """Like :meth:`reduce`, with the combination on all ranks."""
        combine = self._combining("allreduce", sendbuf, recvbuf, op)
        try:
            self._allreduce(sendbuf, combine, into=recvbuf)
        except Error as error:
            raise translated(error) from None

    @own_errors
    def barrier(self) -> None:
        """Wait for all ranks."""
        self._comm.barrier()

    # ---- communicators, and the end ----

    @own_errors
    def duplicate(self) -> Communicator:
        """A communicator of the same ranks, with separate messages; all ranks call it."""
        return Communicator(self._comm.dup())

    @own_errors
    def subset(self, ranks: Iterable[int]) -> Communicator | None:
        """A communicator of some of the ranks, in this order; all ranks call it. None on the others."""
        members = [operator.index(rank) for rank in ranks]
        if len(set(members)) < len(members) or any(not 0 <= rank < self._size for rank in members):
            raise ArgumentError(
                f"rank {self._rank}, subset(): {members} must be different ranks of 0 to {self._size - 1}"
            )
        place = members.index(self._rank) if self._rank in members else None
        comm = self._comm.split(None if place is None else 0, place or 0)
        return None if comm is None else Communicator(comm)

    def abort(self, error_code: int) -> NoReturn:
        """End all ranks at once."""
        polympi.abort(error_code)
        raise AssertionError("the job goes on after abort")

    def __repr__(self) -> str:
        return f"<PyMPICommunicator at {id(self):#x}: rank = {self._rank}, size = {self._size}>"

    # ---- what is given ----

    def _where(self, call: str, source: int | None, tag: int | None) -> tuple[int, int]:
        """The source and the tag for polympi."""
        if source is not None:
            self._check_rank(call, "source", source)
        return ANY_SOURCE if source is None else source, ANY_TAG if tag is None else tag

    def _check_rank(self, call: str, what: str, rank: int) -> None:
        if not 0 <= rank < self._size:
            self._refuse_rank(call, what, rank)

    def _refuse_rank(self, call: str, what: str, rank: int) -> NoReturn:
        raise ArgumentError(
            f"rank {self._rank}, {call}(): invalid MPI {what} {rank}: ranks are 0 to {self._size - 1}"
            + ("; None is any" if what == "source" else "")
        )

    def _check_pair(self, call: str, send: Array, receive: Array, shape: tuple[int, ...]) -> None:
        """Refuse arrays of which the second cannot hold what is made of the first."""
        if (  # as below, where nothing is to be refused
            type(send) is _ndarray is type(receive)
            and receive.dtype is send.dtype
            and receive.shape == shape
            and not send.dtype.hasobject
            and receive.flags.writeable
        ):
            return
        if isinstance(sendable(send, call, self._rank), (str, bytes)):
            raise MPIError(f"rank {self._rank}, {call}(): arrays are needed, not a string")
        receivable(receive, call, self._rank)
        if receive.shape != shape or receive.dtype != send.dtype:
            raise ArgumentError(
                f"rank {self._rank}, {call}(): the second array must have the shape {shape} and the type {send.dtype}, "
                f"but has {receive.shape} and {receive.dtype}"
            )

    def _combining(self, call: str, sendbuf: Array, recvbuf: Array, op: Operation) -> Any:
        """The operation of polympi, for arrays that fit it."""
        if (
            type(op) is Operation and op in PLAIN and type(sendbuf) is _ndarray
        ):  # nothing else is to be refused than below
            self._check_pair(call, sendbuf, recvbuf, sendbuf.shape)
            return op.op
        if not isinstance(op, Operation):
            raise ArgumentError(f"rank {self._rank}, {call}(): {op!r} isn't an operation: give MPI.sum or the like")
        self._check_pair(call, sendbuf, recvbuf, np.shape(sendbuf))
        if op.op is None:
            raise MPIError(f"rank {self._rank}, {call}(): arrays cannot be reduced by {op.name}: choose another one")
        if op in (maxloc, minloc) and len(sendbuf.dtype.names or ()) != 2:
            raise MPIError(
                f"rank {self._rank}, {call}(): {op.name} needs pairs of a value and a place: give structured arrays of "
                "two fields"
            )
        return op.op


world = Communicator(polympi.world.dup())  # its messages never meet those of polympi in the same program
