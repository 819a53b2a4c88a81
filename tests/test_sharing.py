"""Memory of killed ranks is removed, and nothing else."""

from __future__ import annotations

import mmap
import os
import time
import uuid
from pathlib import Path

import pytest
from sharing import ATTACHED_S, remove_memory_of_killed_ranks

SHARED = Path("/dev/shm")

pytestmark = pytest.mark.skipif(not os.access(SHARED, os.W_OK), reason="no /dev/shm")


def test_only_memory_that_nobody_has_is_removed() -> None:
    mark = uuid.uuid4().hex
    old, left, used = (SHARED / f"mpich_shm_{mark}_{number}" for number in range(3))
    other = SHARED / f"another_{mark}"
    try:
        old.write_bytes(bytes(mmap.PAGESIZE))
        time.sleep(0.05)  # clocks of files tick more rarely
        began = time.time()
        time.sleep(0.05)
        for file in (left, used, other):
            file.write_bytes(bytes(mmap.PAGESIZE))
        with used.open("r+b") as opened, mmap.mmap(opened.fileno(), 0):
            remove_memory_of_killed_ranks(began)
            assert left.exists()  # a rank may be about to take it
            time.sleep(ATTACHED_S + 0.1)
            remove_memory_of_killed_ranks(began)
            assert [file.exists() for file in (old, left, used, other)] == [True, False, True, True]
    finally:
        for file in (old, left, used, other):
            file.unlink(missing_ok=True)
