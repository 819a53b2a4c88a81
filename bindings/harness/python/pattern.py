"""What messages contain, so that a receiver can check every byte (``docs/protocol.md``, Validation)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pieces import Piece

PERIOD = 65536  # of 131 i + 17 (i / 256) mod 256: both 131 * 65536 and 17 * 256 are multiples of 256


def byte_pattern(count: int, number: int, piece: Piece) -> NDArray[np.uint8]:
    """The first ``count`` bytes of a piece in case ``number``."""
    shift = np.uint8((37 * number + 11 * piece.origin + 5 * piece.slot) % 256)
    return np.resize(_period() + shift, count)  # unsigned bytes wrap, which is the pattern's mod 256


def double_pattern(count: int, number: int, piece: Piece) -> NDArray[np.float64]:
    """The first ``count`` doubles of a piece in case ``number``; multiples of 0.5, so that sums of them are exact."""
    return 0.5 * np.arange(count, dtype=np.float64) + float(number + 11 * piece.origin + 5 * piece.slot)


def integer_pattern(count: int, number: int, piece: Piece) -> NDArray[np.int32]:
    """The first ``count`` 32-bit integers of a piece in case ``number``."""
    return (3 * np.arange(count) + number + 11 * piece.origin + 5 * piece.slot).astype(np.int32)


def first_difference(received: NDArray[Any], expected: NDArray[Any]) -> str:
    """Where two equally long arrays first differ, in words; empty if they are equal."""
    if np.array_equal(received, expected):
        return ""
    place = int(np.argmax(received != expected))
    unit = "byte" if expected.dtype == np.uint8 else "element"
    return f"{unit} {place} is {received[place]} instead of {expected[place]}"


@lru_cache(maxsize=1)
def _period() -> NDArray[np.uint8]:
    place = np.arange(PERIOD)
    return ((131 * place + 17 * (place // 256)) % 256).astype(np.uint8)
