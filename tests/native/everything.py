"""Values of every kind, what a receiver observes of them, and random ones."""

import collections
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import mmap
import random
import tempfile
import uuid
import warnings
from array import array
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from array_samples import DESCRIBED, INNER, NUMBERS, content, dtype_key, filled
from numpy.typing import NDArray
from tensors import OldTensor, PickledTensor, Tensor

warnings.filterwarnings("ignore", "the matrix subclass", PendingDeprecationWarning)


class Holder:
    """An object that is pickled."""

    def __init__(self, value: object) -> None:
        self.value = value


class Refusing:
    def __reduce__(self) -> str:
        raise ZeroDivisionError("not me")


class Unloadable:
    def __reduce__(self) -> tuple[Any, ...]:
        return (int, ("no number",))


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Colour(enum.Enum):
    RED = 1


class Pair(NamedTuple):
    one: object
    two: object


@dataclasses.dataclass
class Cell:
    name: str
    value: object


class Items(list[Any]):
    pass


class Names(dict[str, Any]):
    pass


class Text(str):
    def __init__(self, text: str) -> None:
        self.about = [text]


class Plain(np.ndarray[Any, Any]):
    pass


class Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_double), ("n", ctypes.c_int))


class HaloError(Exception):
    pass


def observed(value: Any) -> Any:  # noqa: PLR0911  (one kind of value each)
    """All that a receiver observes of a value, recursively; equal if nothing differs."""
    kind = type(value)
    if isinstance(value, np.ndarray):
        flags = tuple(value.flags[name] for name in ("C", "F", "W", "O", "A"))
        elements = observed(value.tolist()) if value.dtype.hasobject else content(value)
        masked = repr(value) if isinstance(value, np.ma.MaskedArray) else None
        return (kind, dtype_key(value.dtype), value.shape, flags, elements, masked)
    if isinstance(value, np.generic):  # of which long doubles have gaps
        data = repr(value) if value.dtype.char in "gG" else value.tobytes()
        return (kind, dtype_key(value.dtype), data)
    if isinstance(value, memoryview):
        return (kind, value.format, value.shape, value.strides, value.readonly, value.tobytes())
    if isinstance(value, Tensor):
        return (kind, observed(value.array))
    if isinstance(value, array):
        return (kind, value.typecode, value.tobytes())
    if isinstance(value, (ctypes.Array, ctypes.Structure)):
        return (kind, bytes(value))
    if isinstance(value, Mapping):
        return (kind, [(observed(key), observed(item)) for key, item in value.items()], vars_of(value))
    if isinstance(value, (list, tuple, collections.deque)):
        return (kind, [observed(item) for item in value], vars_of(value))
    if isinstance(value, (set, frozenset)):
        return (kind, sorted(repr(observed(item)) for item in value))
    if isinstance(value, (Holder, Slotted, Cell, Text)):
        return (kind, str(value) if kind is Text else None, vars_of(value))
    if isinstance(value, BaseException):
        return (kind, observed(value.args), vars_of(value))
    return (kind, hex(value) if isinstance(value, int) else repr(value))  # of which there is no limit


def vars_of(value: Any) -> Any:
    slots = {name: observed(getattr(value, name)) for name in getattr(type(value), "__slots__", ()) if name == "value"}
    return {**slots, **{name: observed(item) for name, item in getattr(value, "__dict__", {}).items()}}


def objects_of(*items: Any) -> NDArray[Any]:
    made = np.empty(len(items), "O")
    for number, item in enumerate(items):
        made[number] = item
    return made


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    values = values.copy("A")
    values.flags.writeable = False
    return values


def mapped_file() -> NDArray[Any]:
    with tempfile.TemporaryFile() as file:
        file.write(bytes(10**4))
        file.flush()
        return np.memmap(file, "f8", "r+")


def mapped_memory() -> mmap.mmap:
    mapped = mmap.mmap(-1, 5000)
    mapped[:3] = b"abc"
    return mapped


def itself() -> list[Any]:
    items: list[Any] = [np.arange(3)]
    items.append(items[0])
    return items


LARGE = np.arange(10**4)
MEMORY: dict[str, Any] = {
    "memoryview": memoryview(b"abc"),
    "memoryview, large": memoryview(bytearray(10**4)),
    "memoryview of doubles, backwards": memoryview(np.arange(6.0).reshape(2, 3)[:, ::-1]),
    "memoryview of no axis": memoryview(np.array(1.5)),
    "memoryview of a structure": memoryview(np.zeros(3, INNER)),
    "memoryview of 64 axes": memoryview(np.zeros((1,) * 63 + (2,))),
    "bytearray": bytearray(b"abc"),
    "bytearray, large": bytearray(10**5),
    "array.array": array("q", [1, 2]),
    "array.array, large": array("f", [1.5] * 5000),
    "array.array of characters": array("u", "aé"),
    "mmap": mapped_memory(),
    "ctypes array of an unnamed type": (ctypes.c_double * 3)(1, 2, 3),
    "ctypes structure": Point(1.5, 2),
    "tensor": Tensor(np.arange(3.0)),
    "tensor, large": Tensor(LARGE),
    "tensor, old": OldTensor(np.arange(6).reshape(2, 3)[:, ::2]),
    "tensor that is pickled": PickledTensor(np.arange(3)),
    **{f"scalar {code}": np.ones(1, code)[0] for code in [*NUMBERS, "U3", "S3", "M8[s]", "m8[3D]"]},
    "scalar with fields": np.zeros(1, INNER)[0],
}
ARRAYS: dict[str, Any] = {
    "read-only": read_only(np.arange(6.0)),
    "read-only, large": read_only(LARGE),
    "backwards": np.arange(6)[::-1],
    "columns, large": LARGE.reshape(100, 100)[:, ::3],
    "Fortran": read_only(np.asfortranarray(np.arange(6).reshape(2, 3))),
    "transposed": np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "no axis": np.array(1.5),
    "no elements": np.zeros((3, 0, 2)),
    "no elements, odd strides": np.lib.stride_tricks.as_strided(np.zeros(9), (0, 3), (5, -8)),
    "stride 0": np.broadcast_to(np.arange(3), (4, 3)),
    "64 axes": np.zeros((1,) * 62 + (2, 3)),
    "unaligned": np.frombuffer(b"x" + bytes(24), "f8", offset=1),
    "matrix": np.matrix([[1, 2], [3, 4]]),
    "matrix, read-only": read_only(np.matrix([[1, 2], [3, 4]])),
    "memmap": mapped_file(),
    "recarray": np.rec.fromarrays([[1, 2], [3.0, 4.0]], names="a,b"),
    "class without pickling of its own": read_only(np.arange(6.0)[::2].view(Plain)),
    "class, other byte order": np.zeros(3, ">m8[s]").view(Plain),
    "masked": np.ma.masked_array([1, 2], [True, False]),
    "no bytes": np.zeros(3, []),
    "no bytes, void": np.zeros((2, 3), "V0"),
    "text of no characters": np.zeros(3, "i4,S0")["f1"],
    "objects": objects_of(np.arange(3), memoryview(b"abc"), {"x": read_only(LARGE)}),
    "StringDType": np.array(["a", "long " * 50], "T"),
    **{f"{short}": filled(np.dtype(dtype), (2, 3)) for short, dtype in ((str(d)[:60], d) for d in DESCRIBED)},
    **{f"{code}, large, read-only": read_only(filled(np.dtype(code), (2, 3000))) for code in [*NUMBERS, ">M8[s]"]},
}
OBJECTS: dict[str, Any] = {
    "int": 2**5000,
    "float": -0.0,
    "complex": complex(-0.0, float("nan")),
    "surrogate": "a\ud800",
    "text": Text("x"),
    "bytes": b"x" * 10**5,
    "tuple": ((1, [2]), frozenset({3})),
    "dict": {"b": 1, "a": [2]},
    "keys that are NaN": {float("nan"): 1, float("nan"): 2},
    "Enum": Colour.RED,
    "dataclass": Cell("x", [np.arange(3)]),
    "named tuple": Pair(memoryview(b"x"), np.longlong(3)),
    "Fraction": fractions.Fraction(1, 3),
    "Decimal": decimal.Decimal("-0.10"),
    "datetime": datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc),
    "UUID": uuid.UUID(int=1),
    "deque": collections.deque([np.longlong(1)], 3),
    "OrderedDict": collections.OrderedDict(b=1, a=read_only(np.arange(3))),
    "exception": HaloError("lost", np.arange(3)),
    "range": range(3),
    "list of ints": [1, -(2**63), 2**63 - 1],
    "list of floats": [1.5, -0.0, float("inf")],
    "list that holds an array twice": itself(),
}
EVERYTHING = {**MEMORY, **ARRAYS, **OBJECTS}
# A few of each kind, whose streams are short.
SAMPLES: list[Any] = [
    *(None, 5, 2**99, 1.5, 1j, "short", "x" * 300, "é", b"bytes", (1, "a"), [1, [2, []]], {"a": {"b": 1}}, {1, 2}),
    *(frozenset([1]), bytearray(b"abc"), memoryview(b"abc"), array("d", [1, 2]), np.float64(1), np.arange(6)),
    *(np.arange(6).reshape(2, 3), np.zeros(1000), b"x" * 5000, ["x" * 5000, bytearray(5000)], memoryview(bytes(5000))),
    *(np.zeros(3, "M8[s]"), [1, 2], [1.5, -0.0]),
]

NAMES = sorted(EVERYTHING)


def made_up(chance: random.Random, known: list[Any], depth: int) -> Any:
    """A value of containers and objects, with some things in it several times."""
    if known and chance.random() < 0.2:
        return chance.choice(known)
    if depth == 0 or chance.random() < 0.4:
        return EVERYTHING[chance.choice(NAMES)]
    items = [made_up(chance, known, depth - 1) for _ in range(chance.randrange(4))]
    kinds: list[Callable[[], Any]] = [
        *(lambda: items, lambda: tuple(items), lambda: dict(enumerate(items)), lambda: Items(items)),
        *(lambda: Holder(items), lambda: Pair(items, depth), lambda: Cell("c", items)),
    ]
    made = chance.choice(kinds)()
    known.append(made)
    return made
