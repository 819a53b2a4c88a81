"""A worker's end of a pool: it waits for batches of tasks from the root, runs them and answers."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from polympi.errors import EndedError, Timeout
from polympi.native import core
from polympi.workers.store import Answer, Batch, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from polympi.communicator import Communicator

TAG = 0
WAIT_S = 3600.0  # of one receive: POLYMPI_TIMEOUT isn't for a worker without tasks

# What messages are: their first item.
BATCH, STOP, NOTHING = 0, 1, 2  # to a worker; NOTHING: none came
ANSWER, LOST, GONE, BYE = 0, 1, 2, 3  # to the root; LOST: a batch that didn't fit into memory
# What STOP says of the communicator: all free it, or no longer can; or MPI itself can't end, as a rank was killed.
FREE, KEEP, END_ALONE = 0, 1, 2


class Process(NamedTuple):
    """A worker as its host knows it.

    Attributes:
        pid: its number.
        space: what it is unique in: the host, and the name space of processes there.
    """

    pid: int
    space: tuple[int, int]


def own_process() -> Process:
    """This process."""
    try:
        space = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        space = 0
    return Process(os.getpid(), (core.machine(), space))


def serve(comm: Communicator, root: int, before: Callable[[], object] | None = None) -> None:
    """Run what the root sends until it says stop, or ends without that; then free the communicator."""
    store = Store(apart=True, before=before)
    try:
        with _exit_reported(comm, root):
            while (message := _receive(comm, root))[0] != STOP:
                if message[0] == BATCH:
                    _answer(comm, root, store.run(Batch(*message[1])))
            _send(comm, root, (BYE, None))
    except EndedError:  # the root hasn't left the pool, and there is nobody to serve
        return
    end(comm, message[1])


def end(comm: Communicator, ending: int) -> None:
    """What the root and the workers do when all have said goodbye."""
    if ending == FREE:
        comm.free()
    elif ending == END_ALONE:
        core.end_alone()


def _receive(comm: Communicator, root: int) -> tuple[int, Any]:
    """The next message."""
    try:
        message: tuple[int, Any] = comm.recv(root, TAG, timeout=WAIT_S)
    except Timeout:
        return NOTHING, None
    except MemoryError as error:
        _send(comm, root, (LOST, str(error)))
        return NOTHING, None
    return message


def _answer(comm: Communicator, root: int, answer: Answer) -> None:
    try:
        _send(comm, root, (ANSWER, tuple(answer)))
    except MemoryError as error:
        _send(comm, root, (LOST, str(error)))


def _send(comm: Communicator, root: int, message: tuple[int, Any]) -> None:
    with suppress(Timeout):  # the message is sent all the same, and the root may be busy for long
        comm.send(message, root, TAG)


@contextmanager
def _exit_reported(comm: Communicator, root: int) -> Iterator[None]:
    """Let a task that calls ``os._exit`` tell the root, and end this rank without ending the job."""
    leave = os._exit

    def report(status: int) -> NoReturn:
        os._exit = leave
        _send(comm, root, (GONE, status))
        leave(0)

    os._exit = report
    try:
        yield
    finally:
        os._exit = leave
