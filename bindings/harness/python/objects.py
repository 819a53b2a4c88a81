"""Objects as payload: making them, and comparing what arrived with what was sent."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from arena import STRIDE, Arena
from pattern import byte_pattern, double_pattern, first_difference
from plan import REDUCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from pieces import Piece
    from plan import Case


# More than 32 bits, so that the integer is one of the eight bytes that C sends, and none that CPython keeps ready.
LARGE = 1 << 40


# How many parts the larger objects have (``polympi_harness.h``).
STRING_LENGTH, LIST_LENGTH, MAP_LENGTH, NESTED_ROWS = 32, 100, 20, 4


@dataclass
class Instance:
    """An object of a class that a program defines, with the fields of the payload ``dict``."""

    rank: int
    value: float
    label: str


def make_object(case: Case, piece: Piece) -> Any:
    """The object that rank ``piece.origin`` sends; another one for every case, origin and slot."""
    return MAKERS[case.payload](case, piece)


def first(case: Case, piece: Piece) -> int:
    """The number from which the parts of an object count."""
    return case.number + 11 * piece.origin + 5 * piece.slot


def integer(case: Case, piece: Piece) -> int:
    """An integer."""
    return LARGE + 37 * case.number + 11 * piece.origin + 5 * piece.slot


def real(case: Case, piece: Piece) -> float:
    """A float."""
    return first(case, piece) + 0.5


def nested(case: Case, piece: Piece) -> dict[str, Any]:
    """A map with a list of lists."""
    begin, rows = float(first(case, piece)), range(NESTED_ROWS)
    return {
        "name": label(piece),
        "integer": LARGE + first(case, piece),
        "rows": [[begin + 0.5 * (NESTED_ROWS * i + k) for k in rows] for i in rows],
    }


def label(piece: Piece) -> str:
    """A text of eight digits."""
    return f"{piece.origin % 10000:04d}{piece.slot % 10000:04d}"


def in_arena(array: NDArray[Any]) -> NDArray[Any]:
    """The same array in memory as the protocol has it (``docs/protocol.md``, Buffers), if it fills a page at least.

    Libraries that take large messages straight from the sender's memory are several times faster out of huge pages.
    """
    if array.nbytes < STRIDE:
        return array
    placed = Arena(array.nbytes).carve([array.nbytes])[0].view(array.dtype)
    placed[:] = array
    return placed


MAKERS: dict[str, Callable[[Case, Piece], Any]] = {
    "bytes": lambda case, piece: byte_pattern(case.size, case.number, piece).tobytes(),
    "int": integer,
    "float": real,
    "dict": lambda case, piece: {"rank": piece.origin, "value": real(case, piece), "label": label(piece)},
    "array": lambda case, piece: in_arena(double_pattern(case.size // 8, case.number, piece)),
    "string": lambda case, piece: "".join(chr(ord("a") + (i + first(case, piece)) % 26) for i in range(STRING_LENGTH)),
    "list": lambda case, piece: [integer(case, piece) + i for i in range(LIST_LENGTH)],
    "map": lambda case, piece: {f"key{i:05d}": real(case, piece) + i for i in range(MAP_LENGTH)},
    "nested": nested,
    "instance": lambda case, piece: Instance(piece.origin, real(case, piece), label(piece)),
}


PAYLOADS = (*MAKERS, "none")


def expected_objects(case: Case, incoming: list[Piece]) -> list[Any]:
    """What a rank must receive in one iteration, in order; the sum in a reduction."""
    objects = [make_object(case, piece) for piece in incoming]
    return [reduce(operator.add, objects)] if case.benchmark in REDUCTIONS and objects else objects


def check_objects(received: Any, expected: list[Any]) -> str:
    """Compare what arrived with what was sent by value and type; the first difference in words, empty if none.

    Args:
        received: an object, or a list of them where one iteration brings several (then none of them is a list).
        expected: the objects that must have arrived; empty where nothing arrives.
    """
    if not expected:
        return ""
    objects = received if isinstance(received, list) and not isinstance(expected[0], list) else [received]
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
    if isinstance(expected, (list, dict, Instance)):
        return _difference_of_parts(*(vars(one) if isinstance(one, Instance) else one for one in (received, expected)))
    return "" if received == expected else f"{received!r} arrived instead of {expected!r}"


def _difference_of_parts(received: Any, expected: Any) -> str:
    """The first difference of two lists or dicts."""
    keys, others = ([*range(len(one))] if isinstance(one, list) else [*one] for one in (received, expected))
    if keys != others:
        return f"{keys!r} arrived instead of {others!r}"
    found = ((key, _difference(received[key], expected[key])) for key in keys)
    return next((f"key {key}: {difference}" for key, difference in found if difference), "")


def _array_difference(received: NDArray[Any], expected: NDArray[Any]) -> str:
    if received.dtype != expected.dtype or received.shape != expected.shape:
        return f"{received.dtype}{received.shape} arrived instead of {expected.dtype}{expected.shape}"
    return first_difference(received, expected)
