"""Objects that are encoded, and whether what arrives is the same."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

SAMPLES: list[Any] = [
    *(None, 5, 2**99, 1.5, 1j, "short", "x" * 300, "é", b"bytes", (1, "a"), [1, [2, []]], {"a": {"b": 1}}, {1, 2}),
    *(
        frozenset([1]),
        bytearray(b"abc"),
        memoryview(b"abc"),
        array("d", [1, 2]),
        np.float64(1),
        np.arange(6).reshape(2, 3),
        np.arange(6),
    ),
    *(np.zeros(1000), b"x" * 5000, ["x" * 5000, bytearray(5000)], memoryview(bytes(5000)), np.zeros(3, "M8[s]")),
]


def same(one: object, other: object) -> bool:
    """Equal in value and in type, all the way down; NaN equals itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, (float, complex)):
        return repr(one) == repr(other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return one == other


class Holder:
    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Holder) and same(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]


class Refusing:
    def __reduce__(self) -> str:
        raise ZeroDivisionError("not me")


class Unloadable:
    def __reduce__(self) -> tuple[Any, ...]:
        return (int, ("no number",))
