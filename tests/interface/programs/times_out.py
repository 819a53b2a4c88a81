"""Calls that wait in vain."""

from typing import Any

import numpy as np
from prelude import raises, rank

import polympi as mpi

big = np.arange(10**6)


def times_out(call: Any, *words: str, seconds: float = 0.05, **fields: object) -> None:
    """The call, written on a separate line, waits as long as it may and names that line."""
    place = f"{call.__code__.co_filename}:{call.__code__.co_firstlineno}: "
    with raises(mpi.Timeout, f"rank {rank} waited {seconds!r} s", place, *words, rank=rank, code=None, **fields):
        call()
