"""A rank that is stopped at times, for a millisecond, wherever it is: as if it had lost its processor there."""

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator


@contextlib.contextmanager
def stopped_at_times() -> Iterator[None]:
    """While the block runs, another process stops this one.

    The end is told by closing a pipe: a signal could end that process when it has stopped this one, and not yet let it
    go on.
    """
    with subprocess.Popen([sys.executable, "-S", __file__, str(os.getpid())], stdin=subprocess.PIPE):
        yield


def _stop(process: int) -> None:
    while not select.select([sys.stdin], [], [], random.uniform(0, 0.002))[0]:
        os.kill(process, signal.SIGSTOP)
        time.sleep(0.001)
        os.kill(process, signal.SIGCONT)


if __name__ == "__main__":
    with contextlib.suppress(ProcessLookupError):
        _stop(int(sys.argv[1]))
