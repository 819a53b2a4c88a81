"""What tests of `launch` run on ranks, which import it by name."""

import collections
import contextlib
import ctypes
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import polympi as mpi

state: list[object] = []


class TwoWordsError(Exception):
    """It can be pickled, but not unpickled."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first)
        self.second = second


def place(offset: int = 0) -> tuple[int, int]:
    return mpi.world.rank + offset, mpi.world.size


def total(value: int) -> int:
    return mpi.world.allreduce(value + mpi.world.rank)


def kept(value: object) -> list[object]:
    state.append(value)
    return state


def processes() -> tuple[int, int]:
    """This rank and its monitor."""
    return os.getpid(), os.getppid()


def files_in_shared_memory() -> set[str]:
    """Those that this rank has in its memory."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = {"/" + line.partition("/")[2] for line in lines}
    return {path for path in paths if path.startswith(("/dev/shm/mpich_shm_", "/dev/shm/sm_segment."))}


def writes() -> None:
    print("out of", mpi.world.rank)
    print("no end of line", mpi.world.rank, end="", file=sys.stderr)
    ctypes.CDLL(None).printf(b"C of %d\n", mpi.world.rank)


def writes_much(lines: int) -> None:
    for _ in range(lines):
        print("x" * 99)


def returns_after(seconds: float, file: str) -> int:
    """Rank 0 returns late, and then makes a file; the others raise at once."""
    if mpi.world.rank:
        raise KeyError("early")
    time.sleep(seconds)
    Path(file).touch()
    return 0


def is_killed_between_its_answer_and_the_result() -> None:
    """The result is what is sent as bytes."""
    Connection.send_bytes = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment, method-assign]


def same(value: object) -> object:
    return value


def raises_on(rank: int) -> None:
    if mpi.world.rank == rank:
        raise KeyError("halo")
    mpi.world.barrier()


def raises_its_rank() -> None:
    raise ValueError(f"of {mpi.world.rank}")


def raises_what_cannot_be_unpickled() -> None:
    raise TwoWordsError("one", "two")


def ends(how: Callable[[], object], rank: int = 1) -> None:
    if mpi.world.rank == rank:
        how()
    mpi.world.barrier()


def exits() -> None:
    os._exit(3)


def leaves() -> None:
    sys.exit(3)


def aborts() -> None:
    mpi.abort(4)


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crashes() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def waits_for(other: int) -> None:
    if mpi.world.rank != other:
        mpi.world.recv(other)
    else:
        while True:
            pass


def stays_in_c() -> None:
    """Without an end, and without a step of the interpreter, which handles signals."""
    collections.deque(itertools.repeat(None), maxlen=0)


def waits_after_telling(file: str) -> None:
    if mpi.world.allreduce(1) and mpi.world.rank == 0:
        Path(file).touch()
    mpi.world.recv(1 - mpi.world.rank)


def launches() -> None:
    mpi.launch(2)


def forks() -> int:
    child = os.fork()
    if child == 0:
        return -1  # it leaves the function as its parent does
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def generator() -> object:
    return (number for number in range(3))


def sleeps_anywhere() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        time.sleep(600)
    time.sleep(600)
