"""What a rank says before it ends the job: the launcher must have read it, or it is lost.

Hydra, of MPICH, ends at once when a rank aborts, and drops what it has not read by then, or not passed on: on a busy
machine the whole traceback.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import sys
import termios
import time
import traceback
from collections.abc import Callable

MOST_S = 2.0  # a launcher that does not read at all must not keep the job alive
TURN_S = 0.001
PASS_ON_S = 0.1  # for the launcher to pass on what it has read


def tell(text: str) -> None:
    """Write a line to standard error, and wait until the launcher has read it; the job ends also where nobody can."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no standard error, a broken pipe, closed
        print(text, file=sys.stderr, flush=True)
        deadline = time.monotonic() + MOST_S
        while time.monotonic() < deadline and _unread(sys.stderr.fileno()):
            time.sleep(TURN_S)
        time.sleep(PASS_ON_S)


def tell_exception() -> None:
    """Write the exception that is being handled, with its traceback; see `tell`."""
    tell(traceback.format_exc().rstrip())


def or_abort(run: Callable[[], int], abort: Callable[[int], object]) -> int:
    """What a program returns; an exception ends all ranks, which would wait for this one forever."""
    try:
        return run()
    except BaseException:
        try:
            tell_exception()
        finally:  # whatever keeps this rank from speaking, such as a lack of memory
            abort(1)
        raise


def _unread(file: int) -> bool:
    """Whether a pipe holds something that nobody has read yet; of other files that is not known."""
    if not stat.S_ISFIFO(os.fstat(file).st_mode):
        return False
    held = bytearray(4)
    fcntl.ioctl(file, termios.FIONREAD, held)
    return any(held)
