"""Progress on pending calls while the program computes."""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager

from polympi.errors import StateError
from polympi.native import core
from polympi.startup import init, thread_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def progress_thread(seconds: float = 1e-4) -> Iterator[None]:
    """In a ``with`` statement: a thread that calls :func:`progress` again and again.

    So requests that were begun go on while this rank computes: in NumPy and other code that releases the GIL, at once;
    in Python code, when Python next switches threads (``sys.getswitchinterval()``). It needs some of the processor.

    Args:
        seconds: between two calls.

    Raises:
        ValueError: seconds isn't a positive number.
        StateError: MPI runs at a thread level that allows one thread only.
    """
    if not (seconds > 0 and math.isfinite(seconds)):
        raise ValueError(f"progress_thread(): seconds is {seconds!r}, but must be a positive number")
    init()
    if (level := thread_level()) in {"single", "funneled"}:
        raise StateError(f"progress_thread() needs a second thread in MPI, but its thread level is {level}")
    over = threading.Event()

    def run() -> None:
        while not over.wait(seconds):
            core.progress()

    thread = threading.Thread(target=run, name="polympi progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
