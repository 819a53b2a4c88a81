"""Starting further programs, whose ranks the running ones send to (MPI 5.0, section 11.8)."""

from __future__ import annotations

import os
import random
import shutil
import sys
from operator import index

from polympi import launcher, library
from polympi.communicator import Communicator
from polympi.errors import Error, LauncherError, Timeout
from polympi.intercommunicator import Intercommunicator, open_between
from polympi.native import core
from polympi.topology import exchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SPAWNED_VARIABLE = "POLYMPI_SPAWNED"  # in the new ranks: a number that tells their world from others
START_S = 60.0  # for programs to start: MPICH waits forever for one that ends without MPI


def spawn(
    command: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    n: int,
    *,
    comm: Communicator | None = None,
    timeout: float | None = None,
) -> Intercommunicator:
    """Start a program of polympi on ``n`` new ranks, which have their own world. All ranks of ``comm`` call it.

    It returns when the new ranks have used :data:`polympi.world`; they find the others in :data:`polympi.parent`. The
    launcher that started this program starts them, where it has room.

    Args:
        command: a Python script, which runs with the Python of this program; or a list, of a program and its arguments.
            What rank 0 gives counts.
        n: how many ranks; likewise.
        comm: the ranks that the new ones can send to; default: :data:`polympi.world`.
        timeout: seconds in which the program has to start; None stands for POLYMPI_TIMEOUT, or a minute.

    Raises:
        FileNotFoundError: there is no such script or program on rank 0.
        LauncherError: this program was started without a launcher, or runs on the serial backend.
        Error: the MPI library can't start the program; its own text follows.
        Timeout: it didn't start in time. MPI can't take the call back: end the job.
        MismatchError: another rank gives something wrong.

    MPI 5.0, section 11.8.2 (MPI_Comm_spawn).
    """
    from polympi.startup import init

    above = init() if comm is None else comm
    words, count = exchanged(above, "spawn", lambda: _checked(above, command, n))[0]
    limit = core.limit_of("spawn", timeout) or START_S
    group = above.dup()
    try:
        whole, made = core.spawn(Communicator, Intercommunicator, group, words, count, limit)
    except Timeout:
        raise Timeout(
            f"rank {above.rank}, spawn(): not all {count} ranks of {os.fsdecode(words[2])} have used polympi.world "
            f"within {limit:g} s: see whether the program fails, or does something else first; MPI cannot "
            "take the call back, so end the job",
            operation="spawn",
            rank=above.rank,
        ) from None
    except Error as error:
        if error.code is not None:
            error.args = (f"{error}; the launcher may have no free place for them: give it more hosts, or allow it to "
                          "oversubscribe (mpiexec --oversubscribe of Open MPI)",)  # fmt: skip
        raise
    return open_between(made, whole, group, group.size)


def meet_parent(world: Communicator) -> Intercommunicator | None:
    """The intercommunicator with the ranks that have spawned this world; None if polympi didn't spawn it."""
    if SPAWNED_VARIABLE not in os.environ:
        return None
    pair = core.meet_parent(Communicator, Intercommunicator)
    return pair and open_between(pair[1], pair[0], world.dup(), 0)


def _checked(
    comm: Communicator, command: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], n: int
) -> tuple[tuple[bytes, ...], int]:
    """The words of the command, and how many ranks; of rank 0 these count."""
    if library.is_serial() or not launcher.has_started():
        backend = "runs on the serial backend" if library.is_serial() else "was started without a launcher"
        raise LauncherError(
            f"spawn(): the launcher of MPI starts processes, but this program {backend}: start it with mpiexec -n 1"
        )
    count = index(n)
    if count < 1:
        raise ValueError(f"spawn(): n is {count}, but at least one rank must be started")
    if comm.rank != 0:
        return (), count
    words = _script(command) if isinstance(command, (str, os.PathLike)) else _program(command)
    number = random.SystemRandom().randrange(1, 1 << 31)
    return (b"env", f"{SPAWNED_VARIABLE}={number}".encode(), *map(os.fsencode, words)), count


def _script(path: str | os.PathLike[str]) -> list[str]:
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"rank 0, spawn(): {os.fspath(path)} isn't a file: give the path of a Python script, or a list of a "
            "program and its arguments"
        )
    return [sys.executable, os.path.abspath(path)]


def _program(command: Sequence[str | os.PathLike[str]]) -> list[str]:
    words = [os.fspath(word) for word in command]
    found = shutil.which(words[0]) if words else None
    if found is None:
        raise FileNotFoundError(
            f"rank 0, spawn(): the program {words[0] if words else ''!r} was not found: give a list of a program and "
            "its arguments, or the path of a Python script"
        )
    return [os.path.abspath(found), *words[1:]]
