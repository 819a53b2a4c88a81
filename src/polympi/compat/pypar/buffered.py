"""Room for buffered sends: it is counted, reserved, attached, detached and given back."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

import polympi as mpi
from polympi.compat.pypar.buffers import TEXT, array_of, as_bytes
from polympi.compat.pypar.start import comm

OVERHEAD = 512  # bytes that any message may need in addition to its data, as MPI_BSEND_OVERHEAD
ENCODED = 10  # times as many bytes as in a pickle an object may take in a message: small ints take 1 and 9


class _Room:
    """What a program has asked for."""

    def __init__(self) -> None:
        self.nbytes = 0  # that were counted, or given
        self.reserved = 0
        self.attached = False

    def push(self, nbytes: int) -> int:
        self.nbytes += nbytes + OVERHEAD
        return self.nbytes


_room = _Room()


def push_for_alloc(
    x: Any,
    vanilla: bool = False,
    use_buffer: bool = False,  # noqa: ARG001  (there is no second message that would need room)
    bypass: bool = False,
) -> int:
    """Count the bytes that a buffered send of an object needs.

    Returns:
        All that were counted so far.
    """
    if bypass:
        return _room.push(array_of(x, "push_for_alloc").nbytes)
    if isinstance(x, np.ndarray) and not vanilla:
        return _room.push(x.nbytes)
    if isinstance(x, TEXT) and not vanilla:
        return _room.push(len(as_bytes(x)))
    return _room.push(len(pickle.dumps(x, 2)))


def alloc(nbytes: int = -1) -> int:
    """Reserve the bytes that were counted, or a given number of them.

    Returns:
        How many.

    Raises:
        RuntimeError: none were counted, or room is reserved already.
    """
    if nbytes > 0:
        _room.nbytes = nbytes
    if _room.nbytes <= 0:
        raise RuntimeError(f"alloc() on rank {comm.rank}: nothing was counted: call push_for_alloc, or give nbytes")
    if _room.reserved:
        raise RuntimeError(f"alloc() on rank {comm.rank}: a buffer is reserved already: call dealloc first")
    _room.reserved = _room.nbytes
    return _room.reserved


def attach() -> None:
    """Let buffered sends use what was reserved.

    Raises:
        RuntimeError: nothing is reserved, or it is attached already.
    """
    if not _room.reserved or _room.attached:
        what = "it is attached already" if _room.attached else "nothing is reserved: call alloc first"
        raise RuntimeError(f"attach() on rank {comm.rank}: {what}")
    mpi.buffer_attach(ENCODED * _room.reserved)
    _room.attached = True


def detach() -> None:
    """Wait until all buffered messages were received; what is reserved may be attached again.

    Raises:
        RuntimeError: nothing is attached.
    """
    if not _room.attached:
        raise RuntimeError(f"detach() on rank {comm.rank}: no buffer is attached: call attach first")
    mpi.buffer_detach()
    _room.attached = False


def dealloc() -> None:
    """Give back what was reserved, and start counting again.

    Raises:
        RuntimeError: it is attached.
    """
    if _room.attached:
        raise RuntimeError(f"dealloc() on rank {comm.rank}: the buffer is attached: call detach first")
    _room.nbytes = _room.reserved = 0


def alloc_and_attach() -> None:
    """:func:`alloc`, and :func:`attach`."""
    alloc()
    attach()


def detach_and_dealloc() -> None:
    """:func:`detach`, and :func:`dealloc`."""
    detach()
    dealloc()


def string_push_for_alloc_and_attach(s: str | bytes | bytearray) -> int:
    """:func:`push_for_alloc` of a text."""
    return push_for_alloc(s)


def array_push_for_alloc_and_attach(a: object) -> int:
    """:func:`push_for_alloc` of an array."""
    return push_for_alloc(a, bypass=True)


mpi_alloc, mpi_dealloc, mpi_attach, mpi_detach = alloc, dealloc, attach, detach
mpi_alloc_and_attach, mpi_detach_and_dealloc = alloc_and_attach, detach_and_dealloc
