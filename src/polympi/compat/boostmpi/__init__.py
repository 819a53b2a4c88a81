"""boostmpi 1.38, and boost.mpi of Boost 1.74, on polympi: the import starts MPI, and any object can be sent.

``python -m polympi --as boostmpi script.py`` runs a script unmodified that says ``import boostmpi``, ``import
boost.mpi`` or ``import mpi``. :data:`DIFFERENCES` has all that is not as it was.
"""

# mypy: implicit-reexport
# ruff: noqa: F401  (what is imported is the interface)

from __future__ import annotations

import os as _os

import polympi as _polympi
from polympi import ANY_SOURCE as any_source  # noqa: N811  (its name, as all names here)
from polympi import ANY_TAG as any_tag  # noqa: N811
from polympi.compat import exports as _exports
from polympi.compat.boostmpi.collectives import (
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    gather,
    reduce,
    scan,
    scatter,
)
from polympi.compat.boostmpi.communicator import Communicator, world
from polympi.compat.boostmpi.errors import Error, ObjectWithoutSkeletonError
from polympi.compat.boostmpi.errors import translated as _translated
from polympi.compat.boostmpi.lists import RequestList, test_all, test_any, test_some, wait_all, wait_any, wait_some
from polympi.compat.boostmpi.requests import Request, RequestWithValue
from polympi.compat.boostmpi.skeletons import Content, SkeletonProxy, get_content, skeleton
from polympi.compat.boostmpi.status import Status
from polympi.compat.boostmpi.timer import Timer
from polympi.compat.tags import highest_tag as _highest_tag

DIFFERENCES = {
    "Communicator": "isend does not copy large data: do not change an object before its request is complete. split "
    "also takes the color None, for ranks in no group: they get a communicator that is false. A communicator that is "
    "dropped is not given back to MPI, which needs all ranks for that. abort(0) ends the job with 1. There is no "
    "PROC_NULL, as before; that of polympi works: nothing is sent, and None received.",
    "Content": "It is of a NumPy array; recv, irecv and broadcast fill the array, also a strided one.",
    "Error": "All errors of MPI are of this class, under both of its names. what and routine are a sentence that names "
    "the rank and the call.",
    "Exception": "It is Error. After a star import, Exception is Python's own, which catches this one, too.",
    "ObjectWithoutSkeleton": "It is ObjectWithoutSkeletonError: objects other than NumPy arrays have no skeleton.",
    "ObjectWithoutSkeletonError": "Objects other than NumPy arrays have no skeleton.",
    "Request": "Waiting again gives the same result again. Sends cannot be cancelled: they go on.",
    "RequestList": "It is a list, in which `in` works; calls take other lists, too.",
    "RequestWithValue": "Waiting again gives the same result again.",
    "SkeletonProxy": "It is of a NumPy array; the types of C++ that had skeletons are not here.",
    "Status": "error is always 0, since errors are exceptions.",
    "Timer": "elapsed_max has no limit, and time_is_global is False.",
    "abort": "abort(0) ends the job with 1, since a job that was aborted has failed.",
    "all_reduce": "The communicator may be left out, as the documentation of Boost does it. Functions are called along "
    "a tree; operator.add, mul, and_, or_ and xor are computed by polympi or the MPI library, where the last digits of "
    "a sum may differ.",
    "all_gather": "The communicator may be left out.",
    "all_to_all": "The communicator may be left out.",
    "any_source": "The number is polympi's own, and -1 isn't a wildcard: rank - 1 on rank 0 is an error.",
    "any_tag": "The number is polympi's own, and -1 isn't a wildcard.",
    "broadcast": "The communicator may be left out. Skeletons and contents are those of NumPy arrays.",
    "collectives_tag": "It is the highest tag that the MPI library has. A message may have it, too.",
    "finalize": "It may be called several times, and raises an error if there are messages that no rank receives.",
    "gather": "The communicator may be left out.",
    "get_content": "It takes NumPy arrays; the types of C++ that had contents are not here.",
    "host_rank": "It is None: MPI libraries of today have no host.",
    "init": "It gives False, since the import has started MPI, and no argument is needed. An exception that is not "
    "caught ends the whole job, whatever abort_on_exception is.",
    "io_rank": "It is any_source: all ranks can read and write.",
    "reduce": "The communicator may be left out. Functions are called along a tree; operator.add and the like are "
    "computed by polympi or the MPI library, where the last digits of a sum may differ.",
    "scan": "The communicator may be left out.",
    "scatter": "The communicator may be left out.",
    "skeleton": "It takes NumPy arrays; the types of C++ that had skeletons are not here.",
    "test_all": "Other lists than a RequestList are taken, too.",
    "test_any": "It passes over requests that are known to be complete; if all are, it is a ValueError.",
    "test_some": "Other lists than a RequestList are taken, too.",
    "wait_all": "Other lists than a RequestList are taken, too.",
    "wait_any": "It passes over requests that are known to be complete; if all are, it is a ValueError.",
    "wait_some": "Other lists than a RequestList are taken, too.",
    "world": "An ordinary Python runs scripts; without a launcher world is one rank, which may send to itself. "
    "Arrays are not pickled, also strided ones. isend does not copy large data: do not change an object before its "
    "request is complete. Messages are polympi's own, so all ranks must run it.",
}

Exception = Error  # noqa: A001
ObjectWithoutSkeleton = ObjectWithoutSkeletonError

rank, size = world.rank, world.size
collectives_tag = _highest_tag(world._comm)  # Boost kept it for itself
max_tag = collectives_tag - 1
processor_name = _os.uname().nodename
host_rank: int | None = None
io_rank: int | None = any_source

_ended = False


def init(argv: list[str] | None = None, abort_on_exception: bool = True) -> bool:  # noqa: ARG001  (those of scripts)
    """Whether this call has started MPI: False, since the import has done so."""
    return False


def initialized() -> bool:
    """Whether MPI was started: True, since the import has done so."""
    return True


def finalize() -> None:
    """End MPI; happens at the end of the script by itself.

    Raises:
        Error: there are messages that no rank receives.
    """
    global _ended  # noqa: PLW0603  (MPI ends once)
    if not _ended:
        _ended = True
        try:
            _polympi.finalize()
        except _polympi.Error as error:
            raise _translated(error) from None


def finalized() -> bool:
    """Whether MPI has ended."""
    return _ended


def abort(errcode: int) -> None:
    """End all ranks at once."""
    _polympi.abort(errcode)


__all__ = list(_exports.public(globals(), "Exception"))  # which Python's own catches, too
