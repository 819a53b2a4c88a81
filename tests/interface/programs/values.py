"""Values of every kind that a program may send: how two of them are compared, and random ones."""

import array
import collections
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import math
import random
import struct
import uuid
from typing import Any, NamedTuple

import numpy as np


class Colour(enum.Enum):
    RED = "red"
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: object
    y: object = None


Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Cell:
    name: str
    content: object


@dataclasses.dataclass(frozen=True)
class Key:
    number: int


class Slotted:
    __slots__ = ("content", "missing")

    def __init__(self, content: object) -> None:
        self.content = content


class HaloError(Exception):
    def __init__(self, sentence: str, rank: int) -> None:
        super().__init__(sentence, rank)
        self.rank = rank


class Text(str):
    __slots__ = ()


class Items(list[Any]):
    pass


class Triple(ctypes.c_int * 3):
    pass


class Grid(np.ndarray[Any, Any]):
    """An array of another class, with an attribute."""

    spacing: float = 0.0

    def __reduce__(self) -> Any:
        function, arguments, state = super().__reduce__()
        return function, arguments, (state, self.spacing)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        self.spacing = state[1]


def same(one: Any, two: Any) -> bool:  # noqa: PLR0911  (one kind of value each)
    """Equal in value and type, all the way down; NaN equals itself, and 0.0 is not -0.0."""
    if type(one) is not type(two):
        return False
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", two)
    if isinstance(one, complex):
        return same((one.real, one.imag), (two.real, two.imag))
    if isinstance(one, np.generic):
        return one.dtype == two.dtype and same_elements(np.asarray(one), np.asarray(two))
    if isinstance(one, np.ndarray):
        about = [(a.dtype, a.dtype.metadata or {}, a.dtype.fields, a.shape, a.flags.fnc) for a in (one, two)]
        return about[0] == about[1] and same_elements(one, two) and same(vars_of(one), vars_of(two))
    if isinstance(one, memoryview):
        return (one.format, one.shape, one.tobytes()) == (two.format, two.shape, two.tobytes())
    if isinstance(one, ctypes.Array):
        return bytes(one) == bytes(two)
    if isinstance(one, (list, tuple, collections.deque)):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return same(list(one.items()), list(two.items()))
    if isinstance(one, BaseException):
        return same(one.args, two.args) and same(vars_of(one), vars_of(two))
    if isinstance(one, (Cell, Slotted)):
        return same(vars_of(one), vars_of(two))
    return bool(one == two)


def vars_of(value: object) -> dict[str, Any]:
    """The attributes of an instance, slots too."""
    slots = {name: getattr(value, name) for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)}
    return {**slots, **getattr(value, "__dict__", {})}


def same_elements(one: Any, two: Any) -> bool:
    """The elements of two arrays of one dtype, bit by bit; of structures without what lies between the fields."""
    if one.dtype.names:
        return all(same_elements(one[name], two[name]) for name in one.dtype.names)
    if one.dtype.hasobject:
        return same(one.tolist(), two.tolist())
    if one.dtype.char in "gG":  # longdouble, with 6 bytes in every 16 that mean nothing
        return all(
            np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
            for a, b in ((one.real, two.real), (one.imag, two.imag))
        )
    return bool(one.tobytes() == two.tobytes())


DTYPES = [
    *("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "c8", "c16", "G"),
    *(">i2", ">i8", ">f4", ">c16", "M8[ns]", "m8[D]", ">M8[s]", "S7", "U3", ">U3", "V5", "i4,f8"),
    *([("inner", "i4,S3", 2), ("x", "f8")], [(("title", "y"), ">f4")], np.dtype("f8", metadata={"unit": "m"}), "O"),
]
INTEGERS = [0, 1, -1, 255, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**63, 2**64, -(2**100), 2**2000]
FLOATS = [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 5e-324, 1.7e308]
TEXTS = ["", "a", "temperature", "é", "€" * 20, "😀", "\ud800", "a\0b", "x" * 300, "x" * 5000, "é" * 3000]
CODES = "bBhHiIlLqQfd"


class Maker:
    """Random values; the same ones from the same seed.

    Args:
        seed: of all that follows.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        leaves = [
            *[self.integer, self.real, self.text, self.raw, self.array] * 3,
            *(self.constant, self.scalar, self.moment, self.number, self.buffer, self.singleton),
        ]
        self.leaves = leaves
        self.nodes = [*leaves, *[self.a_list, self.a_tuple, self.a_dict] * 8, self.a_set, self.an_instance, self.error]

    def value(self, depth: int = 3) -> Any:
        """Any value, with others in it down to this depth."""
        return self.chance.choice(self.nodes if depth else self.leaves)() if depth else self.leaf()

    def leaf(self) -> Any:
        return self.chance.choice(self.leaves)()

    def several(self) -> list[Any]:
        return [self.leaf() if self.chance.random() < 0.8 else self.value(2) for _ in range(self.chance.randrange(5))]

    def constant(self) -> Any:
        return self.chance.choice([None, True, False, Ellipsis, NotImplemented, int, Cell, math.sqrt, range(3), ()])

    def integer(self) -> int:
        return self.chance.choice([self.chance.choice(INTEGERS), self.chance.getrandbits(self.chance.choice([8, 62]))])

    def real(self) -> Any:
        real = self.chance.choice([*FLOATS, self.chance.gauss(0, 1)])
        return real if self.chance.random() < 0.8 else complex(real, self.chance.choice(FLOATS))

    def text(self) -> str:
        return self.chance.choice(TEXTS) if self.chance.random() < 0.3 else f"{self.chance.getrandbits(40):x}"

    def raw(self) -> Any:
        nbytes = self.chance.choice([0, 1, 10, 100, 4000, 4096, 9000] if self.chance.random() < 0.2 else [3, 8, 20])
        return self.chance.choice([bytes, bytearray])(self.chance.randbytes(nbytes))

    def array(self) -> Any:
        dtype = np.dtype(self.chance.choice(DTYPES))
        ndim = self.chance.choice([0, 1, 1, 1, 2, 3])
        shape = tuple(self.chance.choice([0, 1, 2, 3, 5, 8]) for _ in range(ndim))
        if self.chance.random() < 0.05:
            shape = (self.chance.choice([500, 1000, 3000]), *shape[1:2])
        made = filled(dtype, shape, self.chance)
        return made.T if self.chance.random() < 0.2 else made

    def scalar(self) -> Any:
        return filled(np.dtype(self.chance.choice(DTYPES[:-5])), (1,), self.chance)[0]

    def moment(self) -> Any:
        zone = self.chance.choice([None, datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=5))])
        moment = datetime.datetime(1970, 1, 1, tzinfo=zone) + datetime.timedelta(seconds=self.chance.getrandbits(31))
        return self.chance.choice([moment, moment.date(), moment.timetz(), datetime.timedelta(1, 2, 3)])

    def number(self) -> Any:
        return self.chance.choice(
            [
                decimal.Decimal("1.10"),
                decimal.Decimal("-0"),
                fractions.Fraction(1, 3),
                uuid.UUID(int=self.integer() % 9),
            ]
        )

    def buffer(self) -> Any:
        code = self.chance.choice(CODES)
        made = array.array(code, bytes(self.chance.choice([0, 8, 64, 4096])))
        return self.chance.choice([made, Triple(1, 2, 3)])

    def singleton(self) -> Any:
        return self.chance.choice([Colour.RED, Level.LOW, Access.READ | Access.WRITE, Key(self.integer()), Text("x")])

    def a_list(self) -> list[Any]:
        return self.several() if self.chance.random() < 0.95 else Items(self.several())

    def a_tuple(self) -> tuple[Any, ...]:
        return tuple(self.several()) if self.chance.random() < 0.9 else Point(self.leaf(), self.leaf())

    def a_dict(self) -> dict[Any, Any]:
        return dict(zip((self.key() for _ in range(5)), self.several(), strict=False))

    def key(self) -> Any:
        return self.chance.choice([self.text, self.integer, lambda: (self.integer(), self.text()), self.singleton])()

    def a_set(self) -> Any:
        return self.chance.choice([set, frozenset])(self.key() for _ in range(self.chance.randrange(4)))

    def an_instance(self) -> Any:
        return self.chance.choice([Slotted, lambda content: Cell(self.text(), content), collections.deque])(
            self.several()
        )

    def error(self) -> Any:
        return self.chance.choice(
            [HaloError("lost", self.integer()), ValueError(*self.several()), KeyError(self.text())]
        )


def filled(dtype: Any, shape: tuple[int, ...], chance: random.Random) -> Any:
    """An array of random elements."""
    count = math.prod(shape)
    if dtype.hasobject:
        return np.array([chance.choice([None, 1, "x"]) for _ in range(count)], dtype).reshape(shape)
    if dtype.kind in "?bU" or dtype.names:
        return np.array([chance.randrange(2) for _ in range(count)]).astype(dtype).reshape(shape)
    if dtype.kind in "fc":
        few = [complex(chance.choice(FLOATS), chance.gauss(0, 1)) for _ in range(min(count, 99))]
        with np.errstate(all="ignore"):
            few = np.array(few) if dtype.kind == "c" else np.array(few).real
            return np.resize(few.astype(dtype), shape)
    return np.frombuffer(chance.randbytes(count * dtype.itemsize), dtype).reshape(shape).copy()
