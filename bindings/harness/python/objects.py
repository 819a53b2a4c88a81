"""Objects as payload: making them, and comparing what arrived with what was sent."""

from __future__ import annotations

import operator
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from arena import STRIDE, Arena
from pattern import byte_pattern, double_pattern, first_difference
from plan import REDUCTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pieces import Piece
    from plan import Case

PAYLOADS = ("bytes", "int", "float", "dict", "array", "none")

# More than 32 bits, so that the integer is one of the eight bytes that C sends, and none that CPython keeps ready.
LARGE = 1 << 40


def make_object(case: Case, piece: Piece) -> Any:
    """The object that rank ``piece.origin`` sends; another one for every case, origin and slot."""
    value = float(case.number + 11 * piece.origin + 5 * piece.slot) + 0.5
    if case.payload == "bytes":
        return byte_pattern(case.size, case.number, piece).tobytes()
    if case.payload == "int":
        return LARGE + 37 * case.number + 11 * piece.origin + 5 * piece.slot
    if case.payload == "float":
        return value
    if case.payload == "dict":
        return {"rank": piece.origin, "value": value, "label": f"{piece.origin % 10000:04d}{piece.slot % 10000:04d}"}
    return in_arena(double_pattern(case.size // 8, case.number, piece))


def in_arena(array: NDArray[Any]) -> NDArray[Any]:
    """The same array in memory as the protocol has it (``docs/protocol.md``, Buffers), if it fills a page at least.

    Libraries that take large messages straight from the sender's memory are several times faster out of huge pages.
    """
    if array.nbytes < STRIDE:
        return array
    placed = Arena(array.nbytes).carve([array.nbytes])[0].view(array.dtype)
    placed[:] = array
    return placed


def expected_objects(case: Case, incoming: list[Piece]) -> list[Any]:
    """What a rank must receive in one iteration, in order; the sum in a reduction."""
    objects = [make_object(case, piece) for piece in incoming]
    return [reduce(operator.add, objects)] if case.benchmark in REDUCTIONS and objects else objects


def check_objects(received: Any, expected: list[Any]) -> str:
    """Compare what arrived with what was sent by value and type; the first difference in words, empty if none.

    Args:
        received: an object, or a list of them where one iteration brings several.
        expected: the objects that must have arrived; empty where nothing arrives.
    """
    if not expected:
        return ""
    objects = received if isinstance(received, list) else [received]
    if len(objects) != len(expected):
        return f"{len(objects)} objects arrived instead of {len(expected)}"
    for place, (one, other) in enumerate(zip(objects, expected, strict=True)):
        difference = _difference(one, other)
        if difference:
            return f"object {place}: {difference}"
    return ""


def _difference(received: Any, expected: Any) -> str:
    if type(received) is not type(expected):
        return f"a {type(received).__name__} arrived instead of a {type(expected).__name__}"
    if isinstance(expected, np.ndarray):
        return _array_difference(received, expected)
    if isinstance(expected, bytes):
        return _array_difference(np.frombuffer(received, np.uint8), np.frombuffer(expected, np.uint8))
    if isinstance(expected, dict) and list(received) == list(expected):
        found = ((key, _difference(received[key], expected[key])) for key in expected)
        return next((f"key {key}: {difference}" for key, difference in found if difference), "")
    return "" if received == expected else f"{received!r} arrived instead of {expected!r}"


def _array_difference(received: NDArray[Any], expected: NDArray[Any]) -> str:
    if received.dtype != expected.dtype or received.shape != expected.shape:
        return f"{received.dtype}{received.shape} arrived instead of {expected.dtype}{expected.shape}"
    return first_difference(received, expected)
