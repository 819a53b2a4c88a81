"""A rank that is stopped at times, for a millisecond, wherever it is: as if it had lost its processor there."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator


@contextlib.contextmanager
def stopped_at_times() -> Iterator[None]:
    """While the block runs, another process stops this one."""
    with subprocess.Popen([sys.executable, "-S", __file__]) as stopping:
        try:
            yield
        finally:
            stopping.terminate()


def _stop_the_parent() -> None:
    process = os.getppid()
    while os.getppid() == process:
        time.sleep(random.uniform(0, 0.002))
        os.kill(process, signal.SIGSTOP)
        try:
            time.sleep(0.001)
        finally:
            os.kill(process, signal.SIGCONT)


if __name__ == "__main__":
    with contextlib.suppress(ProcessLookupError):
        _stop_the_parent()
