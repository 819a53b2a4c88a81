"""Values of many kinds for messages, and what arrives of them."""

from typing import Any

import numpy as np

VALUES = [
    *(7, -1, 10**30, 2.5, 1j, True, "text", "ä", b"bytes", None, np.float32(2), "x" * 100_000),
    *([1, (2, {"a": 3})], {1, 2}, np.arange(10), np.array(5), np.zeros((0, 3)), np.full(100_000, 1.5)),
    *(np.arange(30.0).reshape(5, 6)[:, 2], np.arange(30.0).reshape(5, 6)[::2, ::3]),
]


def arrived(value: Any) -> Any:
    """What comes of a value: arrays are in one piece."""
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) and value.ndim else value
