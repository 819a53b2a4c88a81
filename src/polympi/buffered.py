"""Room for buffered sends (MPI 5.0, section 3.6): ``bsend`` copies into it and returns at once."""

from __future__ import annotations

import operator
import os
import sys
import time

from polympi.errors import NoBufferError, Timeout
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class _Attached:
    """What :func:`buffer_attach` returns: in a ``with`` statement the buffer is detached at the end."""

    def __enter__(self) -> None:
        """Do nothing: the buffer is already attached."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Detach; after an exception without waiting, since the messages may never be received."""
        if kind is None:
            buffer_detach()
        else:
            core.set_buffer(-1)


def buffer_attach(nbytes: int) -> _Attached:
    """Attach room for messages sent with ``bsend`` and ``ibsend``.

    A message takes the bytes of its data until it has been received; a small message of an array takes at most the
    array's ``nbytes``.

    Args:
        nbytes: of all messages in flight at one time.

    Returns:
        A context manager that detaches the buffer.

    Raises:
        TypeError: nbytes isn't an integer.
        ValueError: nbytes is negative, or more than memory can hold.
        NoBufferError: a buffer is attached already.
        StateError: MPI is finalised, or this is a forked child.
    """
    try:
        count = operator.index(nbytes)
    except TypeError:
        raise TypeError(f"buffer_attach(): nbytes must be an integer, not {type(nbytes).__name__}") from None
    if not 0 <= count <= sys.maxsize:
        raise ValueError(f"buffer_attach(): a buffer of {count} bytes cannot be attached")
    before = core.set_buffer(count)
    if before >= 0:
        core.set_buffer(before)
        raise NoBufferError(f"a buffer of {before} bytes is attached already: call polympi.buffer_detach() first")
    return _Attached()


def buffer_detach(*, timeout: float | None = None) -> int:
    """Wait until all buffered messages have been received, and detach the buffer.

    Args:
        timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

    Returns:
        The bytes that were attached.

    Raises:
        TypeError, ValueError: timeout isn't a positive number of seconds.
        NoBufferError: no buffer is attached.
        Timeout: messages were not received in time; the buffer stays attached.
    """
    limit = core.limit_of("buffer_detach", timeout)
    nbytes = core.set_buffer(-1)
    if nbytes < 0:
        raise NoBufferError("no buffer is attached: call polympi.buffer_attach(nbytes) first")
    try:
        _wait(limit)
    except BaseException:  # Ctrl-C, too
        core.set_buffer(nbytes)
        raise
    return nbytes


def _wait(limit: float) -> None:
    """Wait until no buffered message is in flight; a `limit` of 0 is none."""
    end = time.monotonic() + limit
    while in_use := core.buffer_in_use():
        if limit and time.monotonic() > end:
            raise Timeout(f"buffer_detach waited {limit} s, but {in_use} bytes sent with bsend were not received")
        os.sched_yield()
