"""Messages from one rank to another, and what is known of the last one."""

from __future__ import annotations

import numpy as np

import polympi
from polympi.compat.mympi import datatypes, errors
from polympi.compat.mympi.communicators import by_number, communicator
from polympi.compat.mympi.constants import MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_UNDEFINED
from polympi.compat.mympi.datatypes import DTYPES
from polympi.compat.mympi.errors import answer, error, here, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from polympi.compat.mympi.communicators import Communicator, Message
    from polympi.compat.mympi.datatypes import Array


class _Last:
    """The last message that was received or found by a probe.

    Attributes:
        status: its source and tag, and how many elements it has; None before the first one.
        dtype: of its elements; None as long as they are not known.
        on: the communicator on which a probe has found it, if they are not.
    """

    __slots__ = ("dtype", "on", "status")

    def __init__(self) -> None:
        self.status: polympi.Status | None = None
        self.dtype: np.dtype[Any] | None = None
        self.on: Communicator | None = None


_last = _Last()
_ndarray = np.ndarray


def mpi_send(  # noqa: PLR0917  (the order of MPI's arguments)
    buf: Any, count: int, datatype: int, dest: int, tag: int, comm: int, /
) -> int:
    """Send the first elements of a number, a sequence or an array, cast to a datatype; gives 0."""
    on = by_number.get(comm) or communicator(comm, "mpi_send")
    try:
        # As datatypes.sent, which it calls unless there is nothing to do.
        if type(buf) is not _ndarray or buf.dtype is not DTYPES.get(datatype) or buf.shape != (count,):
            buf = datatypes.sent(buf, count, datatype, "mpi_send")
        on.comm.send(buf, dest, tag)
    except (polympi.Error, error) as failure:
        return answer(failure, on.handler)
    here.error = 0
    return 0


def mpi_recv(count: int, datatype: int, source: int, tag: int, comm: int, /) -> Array:
    """Receive a row of count elements; where fewer came, zeros follow. From MPI_PROC_NULL all are zeros."""
    on = by_number.get(comm) or communicator(comm, "mpi_recv")
    row: Array
    try:
        row, status = _take(on, source, tag) if on.kept else on.comm.recv(source, tag, status=True)
        _last.status = status
        if row is None:
            _last.dtype = DTYPES[datatypes.MPI_BYTE]
            row = datatypes.nothing(count, datatype, "mpi_recv")
        else:
            _last.dtype = row.dtype
            if row.dtype is not DTYPES.get(datatype) or row.size != count:
                row = datatypes.received(row, count, datatype, "mpi_recv")
    except (polympi.Error, error) as failure:
        answer(failure, on.handler)
        return datatypes.nothing(count, datatype, "mpi_recv")
    here.error = 0
    return row


def _take(on: Communicator, source: int, tag: int) -> Message:
    """A message that was kept, if one matches; otherwise one that comes."""
    place = _place_of_kept(on, source, tag)
    if place is not None:
        return on.kept.pop(place)
    got, status = on.comm.recv(source, tag, status=True)
    return got, status


def _place_of_kept(on: Communicator, source: int, tag: int) -> int | None:
    """Which of the messages that were kept matches first."""
    for place, (_, status) in enumerate(on.kept):
        if source in (status.source, MPI_ANY_SOURCE) and tag in (status.tag, MPI_ANY_TAG):
            return place
    return None


def mpi_probe(source: int, tag: int, comm: int, /) -> int:
    """Wait for a message that matches, and let :func:`mpi_status` and :func:`mpi_get_count` describe it; gives 0."""
    on = communicator(comm, "mpi_probe")
    try:
        if not _found_kept(on, source, tag):
            _found(on, on.comm.probe(source, tag))
    except polympi.Error as failure:
        return answer(failure, on.handler)
    here.error = 0
    return 0


def mpi_iprobe(source: int, tag: int, comm: int, /) -> int:
    """Whether there is a message that matches: 1 or 0. If so, it is described as by :func:`mpi_probe`."""
    on = communicator(comm, "mpi_iprobe")
    try:
        flag = _found_kept(on, source, tag)
        if not flag and (status := on.comm.iprobe(source, tag)) is not None:
            _found(on, status)
            flag = True
    except polympi.Error as failure:
        answer(failure, on.handler)
        return 0
    here.error = 0
    return int(flag)


def _found_kept(on: Communicator, source: int, tag: int) -> bool:
    """Whether a message that was kept matches; if so, it is the last one."""
    place = _place_of_kept(on, source, tag)
    if place is None:
        return False
    row, _last.status = on.kept[place]
    _last.dtype = row.dtype
    return True


def _found(on: Communicator, status: polympi.Status) -> None:
    """Let a message be the last one, of which a probe tells source and tag."""
    _last.status, _last.on = status, on
    _last.dtype = DTYPES[datatypes.MPI_BYTE] if status.source == MPI_PROC_NULL else None


def mpi_status() -> Array:
    """Source, tag and error of the last message that was received or found by a probe."""
    status = _last.status
    source, tag = (MPI_ANY_SOURCE, MPI_ANY_TAG) if status is None else (status.source, status.tag)
    return np.array([source, tag, here.error], "i")


def mpi_get_count(*args: object) -> int:
    """How many elements of a datatype the last message has; MPI_UNDEFINED if that is no whole number.

    Args:
        args: the datatype; as MYMPI's documentation has it, a status may come before it.
    """
    datatype = args[-1] if args else None
    if len(args) not in (1, 2) or not isinstance(datatype, int):
        refuse("mpi_get_count", "give a datatype, as in mpi_get_count(MPI_INT)", errors.ARG)
    if _last.status is None:
        refuse("mpi_get_count", "no message was received or found by a probe yet", errors.OTHER)
    if _last.dtype is None:
        _fetch(_last.status)
    assert _last.dtype is not None
    number = datatypes.count_of(_last.status.elements or 0, _last.dtype, datatype, "mpi_get_count")
    return MPI_UNDEFINED if number is None else number


def _fetch(found: polympi.Status) -> None:
    """Receive the message that a probe has found, since only then its size is known, and keep it for mpi_recv."""
    on = _last.on
    assert on is not None
    try:
        row, status = on.comm.recv(found.source, found.tag, status=True)
    except polympi.Error as failure:
        raise error(str(failure)) from None
    on.kept.append((row, status))
    _last.status, _last.dtype = status, row.dtype
