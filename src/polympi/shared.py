"""One array for the ranks of a host: POSIX shared memory that every rank has mapped.

The memory has a name only while it is made, so nothing is left if a rank dies later, and nobody frees it: the system
does when the last view of the last rank is gone.
"""

from __future__ import annotations

import errno
import math
import mmap
import operator
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from polympi.errors import Error, MismatchError
from polympi.native import core
from polympi.topology import agreed, exchanged, mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import DTypeLike, NDArray

FOLDER = "/dev/shm"  # where the C library has what shm_open makes


def make(comm: core.Communicator, shape: int | Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
    """The array of :meth:`polympi.Communicator.shared`."""

    def request() -> tuple[tuple[int, ...], np.dtype[Any]]:
        given = shape if isinstance(shape, Iterable) else (shape,)
        sizes = tuple(map(operator.index, given))
        if any(size < 0 for size in sizes):
            raise ValueError(f"shared(): the shape {sizes} has a negative size")
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise MismatchError(
                f"{core.rank_and_host(comm, comm.rank)}, shared(): {kind} has Python objects, which other "
                "processes can't use: use numbers, or a structure of them",
                operation="shared",
                rank=comm.rank,
            )
        return sizes, kind

    sizes, kind = agreed(comm, "shared", request)
    if len(set(exchanged(comm, "shared", core.machine))) > 1:
        raise mismatch(
            comm,
            "shared",
            "the ranks of this communicator are on several hosts: call it on the communicator of those on one, which "
            "split_by_host() makes",
        )
    memory = _map(comm, math.prod(sizes) * kind.itemsize)
    return np.ndarray(sizes, kind, memory)


def _map(comm: core.Communicator, nbytes: int) -> mmap.mmap | bytearray:
    """New memory, filled with zeros, that all ranks have mapped: writable, and kept by the arrays in it."""
    if not nbytes:
        return bytearray()
    if comm.size == 1:
        return _mapped(comm, "", nbytes)
    name = f"{FOLDER}/polympi-{os.getpid()}-{secrets.token_hex(8)}"  # that of rank 0 counts
    try:
        names = exchanged(comm, "shared", lambda: _create(name, nbytes) if comm.rank == 0 else "")
        return _everywhere(comm, names[0], nbytes)
    finally:  # all have mapped it, or the call has failed
        if comm.rank == 0:
            Path(name).unlink(missing_ok=True)


def _everywhere(comm: core.Communicator, name: str, nbytes: int) -> mmap.mmap:
    """This rank's mapping, when all ranks have theirs."""
    mapped: list[mmap.mmap] = []
    exchanged(comm, "shared", lambda: mapped.append(_mapped(comm, name, nbytes)))
    return mapped[0]


def _create(name: str, nbytes: int) -> str:
    """A new file of zeros, with all its pages: failing now is better than SIGBUS later."""
    try:
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Error(f"this host gives no shared memory ({error}): is {FOLDER} mounted, and writable?") from None
    try:
        os.posix_fallocate(file, 0, nbytes)
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.ENOMEM, errno.EFBIG}:
            raise
        raise Error(_no_room(nbytes, os.fstatvfs(file))) from None
    finally:
        os.close(file)
    return name


def _no_room(nbytes: int, room: os.statvfs_result) -> str:
    free = room.f_bavail * room.f_frsize
    return (
        f"{nbytes} bytes of shared memory don't fit into the {free} that are free in {FOLDER}: use less, or enlarge it "
        f"(mount -o remount,size=..., or --shm-size of a container)"
    )


def _mapped(comm: core.Communicator, name: str, nbytes: int) -> mmap.mmap:
    """A mapping of the file of this name; without a name, of new memory."""
    file = os.open(name, os.O_RDWR | os.O_CLOEXEC) if name else -1
    try:
        return mmap.mmap(file, nbytes)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError(
            f"{core.rank_and_host(comm, comm.rank)}, shared(): {nbytes} bytes don't fit into this process's address "
            "space: use less, or raise its limit (ulimit -v)"
        ) from None
    finally:
        if file >= 0:
            os.close(file)
