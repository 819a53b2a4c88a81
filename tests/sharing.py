"""What tests that run beside each other share on disk is made by one of them, while the others wait."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator

from polympi.lab.home import home


@contextlib.contextmanager
def only_one_makes() -> Iterator[None]:
    """Held by one process of tests at a time; who comes later finds what was made."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
