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

    Found = tuple[int, int, int, np.dtype[Any] | None]


class _Last:
    """The last message that was received or found by a probe.

    Attributes:
        message: its source, its tag, and how many elements of which type it has; None as long as the type is not known.
        on: the communicator on which a probe has found it, if its type is not known.
    """

    __slots__ = ("message", "on")

    def __init__(self) -> None:
        self.message: Found = MPI_ANY_SOURCE, MPI_ANY_TAG, 0, None
        self.on: Communicator | None = None


_last = _Last()


def mpi_send(  # noqa: PLR0917  (the order of MPI's arguments)
    buf: Any, count: int, datatype: int, dest: int, tag: int, comm: int, /
) -> int:
    """Send the first elements of a number, a sequence or an array, cast to a datatype; gives 0."""
    try:
        on = by_number[comm]
    except (KeyError, TypeError):
        on = communicator(comm, "mpi_send")
    try:
        on.comm.send(datatypes.sent(buf, count, datatype, "mpi_send"), dest, tag)
    except (polympi.Error, error) as failure:
        return answer(failure, on.handler)
    here.error = 0
    return 0


def mpi_recv(count: int, datatype: int, source: int, tag: int, comm: int, /) -> Array:
    """Receive a row of count elements; where fewer came, zeros follow. From MPI_PROC_NULL all are zeros."""
    try:
        on = by_number[comm]
    except (KeyError, TypeError):
        on = communicator(comm, "mpi_recv")
    try:
        row, source, tag = _take(on, source, tag) if on.kept else _receive(on, source, tag)
        if source == MPI_PROC_NULL:
            row = datatypes.nothing(0, datatype, "mpi_recv")
        _last.message = source, tag, row.size, row.dtype
        row = datatypes.received(row, count, datatype, "mpi_recv")
    except (polympi.Error, error) as failure:
        answer(failure, on.handler)
        return datatypes.nothing(count, datatype, "mpi_recv")
    here.error = 0
    return row


def _take(on: Communicator, source: int, tag: int) -> Message:
    """A message that was kept, if one matches; otherwise one that comes."""
    place = _place_of_kept(on, source, tag)
    if place is None:
        return _receive(on, source, tag)
    return on.kept.pop(place)


def _receive(on: Communicator, source: int, tag: int) -> Message:
    """A message that comes, with its source and tag."""
    row, status = on.comm.recv(source, tag, status=True)
    return row, status.source, status.tag


def _place_of_kept(on: Communicator, source: int, tag: int) -> int | None:
    """Which of the messages that were kept matches first."""
    for place, (_, sender, its) in enumerate(on.kept):
        if source in (sender, MPI_ANY_SOURCE) and tag in (its, MPI_ANY_TAG):
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
    row, sender, its = on.kept[place]
    _last.message = sender, its, len(row), row.dtype
    return True


def _found(on: Communicator, status: polympi.Status) -> None:
    """Let a message be the last one, of which a probe gives source and tag."""
    _last.message = status.source, status.tag, 0, DTYPES[datatypes.MPI_BYTE] if status.source == MPI_PROC_NULL else None
    _last.on = on


def mpi_status() -> Array:
    """Source, tag and error of the last message that was received or found by a probe."""
    return np.array([*_last.message[:2], here.error], "i")


def mpi_get_count(*args: object) -> int:
    """How many elements of a datatype the last message has; MPI_UNDEFINED if that isn't a whole number.

    Args:
        args: the datatype; as MYMPI's documentation has it, a status may come before it.
    """
    datatype = args[-1] if args else None
    if len(args) not in (1, 2) or not isinstance(datatype, int):
        refuse("mpi_get_count", "give a datatype, as in mpi_get_count(MPI_INT)", errors.ARG)
    _, _, size, dtype = _last.message
    if dtype is None:
        size, dtype = _fetched()
    number = datatypes.count_of(size, dtype, datatype, "mpi_get_count")
    return MPI_UNDEFINED if number is None else number


def _fetched() -> tuple[int, np.dtype[Any]]:
    """Receive the message that a probe has found, since only then its size is known, and keep it for mpi_recv."""
    on = _last.on
    if on is None:
        refuse("mpi_get_count", "no message was received or found by a probe yet", errors.OTHER)
    source, tag, *_ = _last.message
    try:
        row, _, _ = message = _receive(on, source, tag)
    except polympi.Error as failure:
        raise error(str(failure)) from None
    on.kept.append(message)
    _last.message = source, tag, len(row), row.dtype
    return len(row), row.dtype
