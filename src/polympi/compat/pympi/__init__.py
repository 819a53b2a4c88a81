"""pyMPI 2.5b0 on polympi: scripts that say ``import mpi``. The import starts MPI.

``python -m polympi --as pympi script.py`` runs one unmodified. Every method of a communicator is also a function of
this module, of the communicator WORLD.
"""

# mypy: implicit-reexport
# ruff: noqa: F401  (what is imported is the interface)

from __future__ import annotations

import time as _clock

import polympi as _polympi
from polympi import ANY_SOURCE, ANY_TAG
from polympi.compat import exports as _exports
from polympi.compat.pympi.absent import RemoteObject
from polympi.compat.pympi.cartesian import CartesianCommunicator as cartesian_communicator  # noqa: N813
from polympi.compat.pympi.communicators import COMM_NULL, UNDEFINED
from polympi.compat.pympi.communicators import Communicator as communicator  # noqa: N813
from polympi.compat.pympi.errors import MPIError
from polympi.compat.pympi.output import trace, traceln
from polympi.compat.pympi.reductions import (
    BAND,
    BOR,
    BXOR,
    LAND,
    LOR,
    LXOR,
    MAX,
    MAXLOC,
    MIN,
    MINLOC,
    PROD,
    SUM,
)
from polympi.compat.pympi.requests import (
    cancel,
    test,
    test_cancelled,
    testall,
    testany,
    testsome,
    wait,
    waitall,
    waitany,
    waitsome,
)
from polympi.compat.pympi.world import COLOR, COMM_WORLD, WORLD

DIFFERENCES = {
    "ANY_SOURCE": "The number is polympi's own, and -1 isn't a wildcard: rank - 1 on rank 0 is an error.",
    "ANY_TAG": "The number is polympi's own, and -1 isn't a wildcard.",
    "COLOR": "It is the number of the program among those of the job, counted from rank 0 on.",
    "COMM_WORLD": "It is another duplicate of all ranks, whose messages meet neither those of WORLD nor of polympi.",
    "LAND": "The result is always 1 or 0, on a single rank, too; of arrays it is an array of these.",
    "LOR": "The result is always 1 or 0, on a single rank, too; of arrays it is an array of these.",
    "LXOR": "The result is always 1 or 0, whether an odd number of ranks gives something true; of arrays an array.",
    "MAX": "It works on arrays, too, element by element; NaN wins.",
    "MAXLOC": "A value that isn't a pair is put together with its rank; of equal ones the lowest rank wins.",
    "MIN": "It works on arrays, too, element by element; NaN wins.",
    "MINLOC": "A value that isn't a pair is put together with its rank; of equal ones the lowest rank wins.",
    "MPIError": "All errors of MPI are of this class, which is a RuntimeError as they were before.",
    "RemoteObject": "It raises NotImplementedError: the original served calls from a trace hook of the interpreter. "
    "Send the name of the method and its arguments, and let the rank that has the object receive and call it.",
    "abort": "The exit code is 1 instead of 0, since a job that was aborted has failed.",
    "allreduce": "If a function fails on the root, all ranks raise an error; the others got the exception's type as "
    "their value. Operators are combined along a tree and by the MPI library, so the last digits of a sum may differ.",
    "bcast": "Keywords are taken; the original ignored them, so that root=1 was root 0.",
    "bcast_input_to_slaves": "It gives all ranks the string of rank 0; there is no interactive session to feed.",
    "cancel": "Sends cannot be cancelled: they go on, and test_cancelled stays 0.",
    "comm_create": "Ranks that give different groups get an error, unless the groups have no rank in common.",
    "comm_free": "It frees the communicator for all objects that stand for it; a use of it later is an error.",
    "communicator": "Numbers, int(comm), stand for communicators in one rank; they aren't handles of the MPI library. "
    "A communicator lives until comm_free, whatever persist is.",
    "configuration": "It has what is known of this module and of the MPI library; no flags of a build.",
    "finalize": "It may be called several times, and raises an error if there are messages that no rank receives.",
    "isend": "Do not change an object before its request is complete: large data are sent from where they are.",
    "map": "It raises NotImplementedError, as in the original. Use scatter and gather. After `from mpi import *`, map "
    "is Python's own.",
    "mapserver": "It raises NotImplementedError, as in the original. Use scatter and gather.",
    "mapstats": "It raises NotImplementedError, as in the original. Use scatter and gather.",
    "name": "It is MPICH, Open MPI or mpi.",
    "recv": "From beyond the open end of a mesh, where no rank is, it gives None at once; that was undefined.",
    "reduce": "Operators are combined along a tree and by the MPI library, so the last digits of a sum may differ. "
    "Functions are called on the root in the order of ranks, as before.",
    "scan": "If a function fails on the root, all ranks raise an error.",
    "sendrecv": "From beyond the open end of a mesh, where no rank is, it gives None at once; that was undefined.",
    "synchronizeQueuedOutput": "The ranks flush their streams in turn; the launcher may still mix what they wrote. "
    "Files with the given names are made, but nothing is queued for them: output stays on the standard streams.",
    "synchronizedWrite": "Rank 0 writes what is for the standard streams, since launchers do not keep the order.",
    "synchronizedWriteln": "Rank 0 writes what is for the standard streams, since launchers do not keep the order.",
    "testall": "It gives the statuses if all requests are complete; the original always gave an empty list.",
    "time": "It is a clock of this process that never goes back: compare differences, not moments of two ranks.",
    "trace": "It writes the arguments with blanks between, and nothing else.",
    "traceln": "It writes the arguments with blanks between, and nothing else.",
    "wtime": "It is a clock of this process that never goes back: compare differences, not moments of two ranks.",
}

# Names are those of pyMPI, also where Python has others of the same name or writes them in another way.
rank, size = WORLD.rank, WORLD.size
procs, persistent = WORLD.procs, WORLD.persistent

send, recv, sendrecv = WORLD.send, WORLD.recv, WORLD.sendrecv
isend, irecv = WORLD.isend, WORLD.irecv
barrier, bcast, scatter = WORLD.barrier, WORLD.bcast, WORLD.scatter
gather, allgather = WORLD.gather, WORLD.allgather
reduce, allreduce, scan = WORLD.reduce, WORLD.allreduce, WORLD.scan
comm_create, comm_dup, comm_free = WORLD.comm_create, WORLD.comm_dup, WORLD.comm_free
comm_rank, comm_size, cart_create = WORLD.comm_rank, WORLD.comm_size, WORLD.cart_create
abort, stopwatch, tick = WORLD.abort, WORLD.stopwatch, WORLD.tick
synchronizedWrite, synchronizedWriteln = WORLD.synchronizedWrite, WORLD.synchronizedWriteln  # noqa: N816
synchronizeQueuedOutput = WORLD.synchronizeQueuedOutput  # noqa: N816
map, mapserver, mapstats = WORLD.map, WORLD.mapserver, WORLD.mapstats  # noqa: A001

time = wtime = _clock.perf_counter
wtick = tick

configuration = {"module": "pyMPI 2.5b0 on polympi", "library": _polympi.library_version()}
name = next((known for known in ("MPICH", "Open MPI") if known in configuration["library"]), "mpi")

_ended = False


def finalize() -> None:
    """End MPI; happens at the end of the script by itself."""
    global _ended  # noqa: PLW0603 (MPI ends once)
    if not _ended:
        _ended = True
        try:
            _polympi.finalize()
        except _polympi.Error as error:
            raise MPIError(str(error)) from None


def finalized() -> int:
    """Whether :func:`finalize` was called, as 1 or 0."""
    return int(_ended)


def initialized() -> int:
    """Whether MPI was started: 1, since the import does that."""
    return 1


def bcast_input_to_slaves(text: str | None = None) -> str | None:
    """The string of rank 0, on all ranks."""
    received: str | None = WORLD.bcast(text)
    return received


__all__ = list(_exports.public(globals(), "map"))  # map would hide Python's own after `from mpi import *`
