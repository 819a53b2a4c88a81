"""What the launched processes run: MPI, and the calls that arrive."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pickle
import select
import signal
import sys
import time
from typing import TYPE_CHECKING

from polympi.launching import answers
from polympi.launching.command import LAUNCH_VARIABLE
from polympi.launching.links import connect, end_mark
from polympi.launching.monitor import fork_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from types import FrameType

# Between two looks for a call, MPI makes progress, since other ranks may still need this one.
SHORT_S, LONG_S = 0.001, 0.05
LIVELY_S = 1.0  # after a call, for looks at short intervals

_calling = False  # whether a function of the program runs, which alone is interrupted


def main() -> None:
    """Serve calls until the other end closes."""
    words = os.environ[LAUNCH_VARIABLE]
    os.environ[LAUNCH_VARIABLE] = "yes"  # a rank launches no ranks
    name = fork_rank(words)
    link = _connected(words, "calls", name)
    marks = [_redirected(words, stream, name, number) for number, stream in ((1, "out"), (2, "err"))]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    signal.signal(signal.SIGINT, _interrupt)
    faulthandler.register(signal.SIGUSR2, file=marks[1], all_threads=False)
    sys.path[:] = link.recv()
    _start(link)
    flush_c: Callable[[None], int] = ctypes.CDLL(None).fflush
    for message in _messages(link):
        answer, payload = _call(message)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        flush_c(None)
        for number in marks:
            _write(number, end_mark(words))
        link.send(answer)
        link.send_bytes(payload)


def _connected(words: str, purpose: str, name: str) -> Connection:
    link = connect(words)
    link.send((purpose, name))
    return link


def _redirected(words: str, purpose: str, name: str, number: int) -> int:
    """Let a stream of this process, and of C, arrive at the other end; another descriptor of it."""
    link = _connected(words, purpose, name)
    os.dup2(link.fileno(), number)
    kept = os.dup(number)  # the program may close its own
    link.close()
    return kept


def _start(link: Connection) -> None:
    """Start MPI, and say which rank this is, or why it is none."""
    try:
        import polympi
        from polympi import startup

        world = polympi.world
        startup.before_end.append(lambda how: link.send(answers.Aborted(how)))
    except BaseException as error:
        link.send(f"{type(error).__name__}: {error}")
        raise
    link.send((world.rank, world.size))


def _messages(link: Connection) -> Iterator[bytes]:
    """Calls, until the last one; meanwhile MPI makes progress."""
    from polympi.native import core

    while True:
        quiet = time.monotonic() + LIVELY_S
        while not select.select([link], [], [], SHORT_S if time.monotonic() < quiet else LONG_S)[0]:
            core.progress()
        try:
            message = link.recv_bytes()
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGKILL)  # nobody is there to wait for the end of MPI
        if not message:
            return
        yield message


def _call(message: bytes) -> tuple[answers.Answer, bytes]:
    global _calling  # noqa: PLW0603  (one call at a time)
    process = os.getpid()
    try:
        function, args, kwargs = pickle.loads(message)
        try:
            _calling = True
            value = function(*args, **kwargs)
        finally:
            _calling = False
        answer = answers.returned(value)
    except BaseException as error:
        answer = answers.raised(error)
    if os.getpid() != process:  # a forked child has left the function
        os._exit(0)
    return answer


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    if _calling:
        raise KeyboardInterrupt


def _write(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]
