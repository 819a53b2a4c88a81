"""Instances by their attributes: what arrives is what pickle makes, and whatever is special is pickled."""

import abc
import collections
import copyreg
import dataclasses
import enum
import functools
import gc
import math
import os
import pickle
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polympi import errors
from polympi.native import build

T = TypeVar("T")
INSTANCE, PICKLE, INTS, FLOATS, LIST = 23, 16, 21, 22, 10


class Plain:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Derived(Plain):
    shared = 1


@dataclasses.dataclass
class Record:
    one: Any = None
    two: Any = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    one: Any = None


@dataclasses.dataclass(slots=True)
class Slim:
    one: Any = None
    two: Any = None


class Slotted:
    __slots__ = ("__private", "__weakref__", "one")

    def __init__(self, one: Any = None) -> None:
        self.one = one
        self.__private = "private"


class SlottedMore(Slotted):
    __slots__ = ("two",)


class SlotsAndDict(Slotted):
    pass


class Generical(Generic[T]):
    def __init__(self, one: Any = None) -> None:
        self.one = one


class WithProperty:
    """Its property hides an attribute of the dict."""

    def __init__(self, one: Any = None) -> None:
        vars(self)["one"] = one
        vars(self)["cached"] = "of the instance"

    @property
    def one(self) -> str:
        return "of the class"

    @one.setter
    def one(self, value: Any) -> None:
        raise AssertionError

    @functools.cached_property
    def cached(self) -> str:
        return "of the class"


class Pair(NamedTuple):
    one: Any
    two: Any = 2

    @property
    def both(self) -> Any:
        return self.one, self.two


Point = collections.namedtuple("Point", "one")


class Colour(enum.Enum):
    RED = 1
    GREEN = "green"
    ALSO_RED = 1


# Python 3.11.0 to 3.11.3 pickle members by their names instead, as `getattr(Colour, "RED")`.
BY_VALUE = Colour.RED.__reduce_ex__(5) == (Colour, (1,))
MEMBER = INSTANCE if BY_VALUE else PICKLE


class Whole(enum.IntEnum):
    ONE = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


def made_slotted(kind: type, **slots: Any) -> Any:
    made = kind()
    for name, value in slots.items():
        setattr(made, name, value)
    return made


PLAIN: dict[str, Callable[[Any], Any]] = {
    "attributes": lambda x: Plain(one=x, two=2),
    "derived": lambda x: Derived(one=x),
    "dataclass": lambda x: Record(x, 1),
    "frozen": Frozen,
    "dataclass with slots": lambda x: Slim(x, "two"),
    "slots": Slotted,
    "slots of two classes": lambda x: made_slotted(SlottedMore, two=x),
    "slots and dict": lambda x: made_slotted(SlotsAndDict, two=x, three=2),
    "an empty slot": lambda x: made_slotted(SlottedMore, one=x),
    "generic": Generical,
    "property": WithProperty,
    "named tuple": lambda x: Pair(x, 3),
    "named tuple of one": Point,
    "long name": lambda x: Plain(**{"x" * 300: x, "é": 1}),
}


def state(value: Any) -> Any:
    """What can be seen of a value, by type; equal if nothing differs."""
    kind = type(value)
    if isinstance(value, float):
        return kind, struct.pack("d", value)
    if isinstance(value, np.ndarray):
        return kind, value.dtype, value.tolist()
    if kind in (list, tuple, Pair, Point):
        return kind, [state(item) for item in value]
    if kind is dict:
        return kind, [(state(key), state(item)) for key, item in value.items()]
    if kind.__module__ == __name__ and not issubclass(kind, (enum.Enum, tuple, int)):
        slots = {name: getattr(value, name) for name in slot_names(kind) if hasattr(value, name)}
        return kind, state(getattr(value, "__dict__", None)), state(slots)
    return kind, value


def slot_names(kind: type) -> list[str]:
    names: list[str] = copyreg._slotnames(kind)  # type: ignore[attr-defined]
    return names


def arrives_as_pickled(codec: ModuleType, value: Any) -> Any:
    """The value there and back, twice, since the second one goes another way: checked against pickle."""
    expected = state(pickle.loads(pickle.dumps(value, 5)))
    for _ in range(2):
        arrived = codec.roundtrip(value)
        assert state(arrived) == expected
    return arrived


def tag_of(codec: ModuleType, value: Any) -> int:
    return int(codec.encode(value)[0][0])


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5)
inner = st.recursive(
    scalars | st.lists(st.integers()) | st.lists(st.floats()),
    lambda values: (
        st.lists(values)
        | st.dictionaries(st.text(max_size=5), values)
        | st.tuples(st.sampled_from([*PLAIN.values()]), values).map(lambda pair: pair[0](pair[1]))
    ),
    max_leaves=12,
)


@given(make=st.sampled_from([*PLAIN.values()]), value=inner)
def test_instances_arrive_as_pickled(codec, make: Callable[[Any], Any], value: Any) -> None:
    arrives_as_pickled(codec, make(value))


@pytest.mark.parametrize("name", PLAIN)
def test_plain_classes_are_not_pickled(codec, name: str) -> None:
    instance = PLAIN[name](np.arange(3))
    assert tag_of(codec, instance) == INSTANCE
    arrives_as_pickled(codec, instance)
    many = [PLAIN[name](number) for number in range(100)]
    assert tag_of(codec, many) == LIST
    assert len(codec.encode(many)[0]) < len(codec.encode(many[:1])[0]) * 100
    arrives_as_pickled(codec, many)


@pytest.mark.parametrize("member", [*Colour, *Whole, *Access, Access.READ | Access.WRITE, Access(0)], ids=str)
def test_members_are_found_by_their_value(codec, member: enum.Enum) -> None:
    assert tag_of(codec, member) == MEMBER
    for value in ([member, 1], {member: 1}, Pair(member, {member}), Plain(one=member)):
        assert (tag_of(codec, value) != PICKLE) == BY_VALUE
        arrives_as_pickled(codec, value)
    assert codec.roundtrip([member])[0] is member


def test_a_named_tuple_is_a_key_unless_an_instance_is_in_it(codec) -> None:
    assert tag_of(codec, {Pair(1, ("a", None)): 2, Point(Point(1)): 3}) != PICKLE
    arrives_as_pickled(codec, {Pair(1, ("a", None)): 2, Point(Point(1)): 3})
    assert tag_of(codec, {Pair(Frozen(1)): 2}) == PICKLE
    arrives_as_pickled(codec, {Pair(Frozen(1)): 2})


FIRST = f"""
import codec, enum
class Colour(enum.Enum):
    RED = 1
assert codec.encode(Colour.RED)[0][0] == {MEMBER}
assert codec.decode(*codec.encode(Colour.RED)) is Colour.RED
"""


def test_a_member_may_be_the_first_object(codec) -> None:
    paths = f"{Path(codec.__file__).parent}:{build.SOURCES.parents[1]}"
    variables = {**os.environ, "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", FIRST], env=variables, check=True, timeout=60)


@pytest.mark.parametrize("values", [{"CRIMSON": 1}, {"RED": 1.0}, {"RED": 2}], ids=str)
def test_a_receiver_whose_members_differ_gets_what_pickle_makes(codec, values: dict[str, Any]) -> None:
    message, pickled = codec.encode(Colour.RED), pickle.dumps(Colour.RED, 5)
    codec.decode(*message)
    with changed(HERE, Colour=enum.Enum("Colour", values, module=__name__)):
        try:
            expected = pickle.loads(pickled)
        except (AttributeError, ValueError) as error:
            with pytest.raises(type(error)):
                codec.decode(*message)
        else:
            assert codec.decode(*message) is expected


def test_a_receiver_whose_named_tuple_differs(codec) -> None:
    message = codec.encode(Pair(1, 2))
    codec.decode(*message)
    with changed(HERE, Pair=collections.namedtuple("Pair", "a b c", defaults=["c"], module=__name__)):
        arrived = codec.decode(*message)
        assert (type(arrived), *arrived) == (HERE.Pair, 1, 2, "c")
    with changed(HERE, Pair=collections.namedtuple("Pair", "a", module=__name__)):  # noqa: SIM117
        with pytest.raises(TypeError):
            codec.decode(*message)


def test_a_named_tuple_of_another_length_is_pickled(codec) -> None:
    value = tuple.__new__(Pair, (1, 2, 3))
    stream, parts = codec.encode(value)
    assert stream[0] == PICKLE
    with pytest.raises(TypeError, match="positional arguments"):
        codec.decode(stream, parts)


def test_what_named_tuples_share_stays_shared(codec) -> None:
    numbers = [1.0, 2.0]
    arrived = codec.roundtrip([Pair(numbers), Pair(numbers)])
    assert arrived[0].one is arrived[1].one
    pair = Pair(numbers)
    arrived = codec.roundtrip([pair, Plain(one=pair)])
    assert arrived[0] is arrived[1].one


def test_names_are_interned_as_by_pickle(codec) -> None:
    name = "a_name_of_" + str(math.pi)
    (arrived,) = vars(codec.roundtrip(Plain(**{name: 1})))
    assert arrived is sys.intern(name)


# ---- what is one object ----


def test_what_is_shared_stays_shared(codec) -> None:
    numbers = [1.0, 2.0]
    first, second = codec.roundtrip([Plain(one=numbers), Record(numbers)])
    assert first.one is second.one
    one = Record(1)
    arrived = codec.roundtrip([one, Plain(one=one)])
    assert arrived[0] is arrived[1].one
    once, again = codec.roundtrip([numbers, numbers])
    assert once is again


def test_an_instance_in_itself(codec) -> None:
    for make in (lambda: Plain(one=1), Slotted):
        instance: Any = make()
        instance.one = [instance]
        arrived = codec.roundtrip(instance)
        assert arrived.one[0] is arrived


def test_a_chain_longer_than_the_codec_is_deep(codec) -> None:
    chain = None
    for _ in range(70):
        chain = Record(chain)
        arrives_as_pickled(codec, chain)
    slim = None
    for _ in range(70):
        slim = Slim(slim)
        arrives_as_pickled(codec, [slim])


def test_a_dict_that_instances_share(codec) -> None:
    one, other = Plain(one=1), Plain()
    other.__dict__ = one.__dict__
    arrived = arrives_as_pickled(codec, [one, other, vars(one)])
    assert vars(arrived[0]) is not vars(arrived[1])


# ---- whatever is special ----


class Reduced(Plain):
    def __reduce__(self) -> Any:
        return Reduced, (), {"one": "reduced"}


class ReducedEx(Plain):
    def __reduce_ex__(self, protocol: Any) -> Any:
        return ReducedEx, (), {"one": protocol}


class GivesState(Plain):
    def __getstate__(self) -> Any:
        return {"one": "given"}


class TakesState(Plain):
    def __setstate__(self, state: Any) -> None:
        vars(self).update(one="taken")


class NewArguments(Plain):
    def __new__(cls, *arguments: Any, **_: Any) -> "NewArguments":
        made = super().__new__(cls)
        vars(made)["made_with"] = arguments
        return made

    def __getnewargs__(self) -> tuple[str]:
        return ("argument",)


class New(Plain):
    def __new__(cls, **_: Any) -> "New":
        made = super().__new__(cls)
        vars(made)["new"] = 1
        return made


class Attribute(Plain):
    def __getattr__(self, name: str) -> Any:
        if name == "__setstate__":
            return lambda state: vars(self).update(one="by attribute")
        raise AttributeError(name)


class Meta(type):
    pass


class OfMeta(Plain, metaclass=Meta):
    pass


class Abstract(Plain, abc.ABC):
    pass


class OtherDict(Plain):
    @property
    def __dict__(self) -> Any:
        return {"one": "of the property"}


class Watchful:
    __slots__ = ("one",)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, (value, "watched"))


class Outer:
    class Inner(Plain):
        pass


class Numbers(list[int]):
    pass


class Names(dict[str, Any]):
    pass


class Integer(int):
    pass


class Longer(collections.namedtuple("Longer", "one two")):
    __slots__ = ()

    def __new__(cls, *items: Any) -> "Longer":
        return super().__new__(cls, *items[:2])


class Made(collections.namedtuple("Made", "one two")):
    """It has a dict, too."""


class Reducing(NamedTuple):
    one: Any
    two: Any

    def __reduce__(self) -> Any:
        return Reducing, ("reduced", "items")


class Derivative(Pair):
    __slots__ = ()


class ByName(enum.Enum):
    RED = 1

    def __reduce_ex__(self, protocol: Any) -> Any:
        return getattr, (ByName, self._name_)


class Mixed(enum.Enum):
    RED = 1

    def __getattribute__(self, name: str) -> Any:
        return super().__getattribute__(name)


class Meta2(enum.EnumMeta):
    pass


class OwnMeta(enum.Enum, metaclass=Meta2):
    RED = 1


class Fractional(enum.Enum):
    HALF = 0.5


def by_the_instance(_: Any) -> Any:
    return Plain, (), {"one": "by the instance"}


SPECIAL: dict[str, Callable[[], Any]] = {
    **{
        kind.__name__: lambda kind=kind: kind(one=1)
        for kind in (Reduced, ReducedEx, GivesState, TakesState, NewArguments, New, Attribute, OfMeta, Abstract)
    },
    "another dict": lambda: OtherDict(one=1),
    "slots that are watched": lambda: made_slotted(Watchful, one=1),
    "of a class in a class": lambda: Outer.Inner(one=1),
    "nothing to tell": Plain,
    "its own attribute": lambda: Plain(__reduce_ex__=by_the_instance),
    "list": lambda: Numbers([1, 2]),
    "dict": lambda: Names(one=1),
    "int": lambda: Integer(5),
    **{f"named tuple: {kind.__name__}": lambda kind=kind: kind(1, 2) for kind in (Longer, Made, Reducing, Derivative)},
    **{f"enum: {kind.__name__}": lambda kind=kind: kind.RED for kind in (ByName, Mixed, OwnMeta)},
    "member whose value is no text and no number": lambda: Fractional.HALF,
    "key of a dict": lambda: {Frozen(1): 2},
    "item of a set": lambda: [{Frozen(1)}],
    "of an alias": lambda: Generical[int](1),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_whatever_is_special_is_pickled(codec, name: str) -> None:
    value = SPECIAL[name]()
    assert tag_of(codec, value) == PICKLE
    expected = pickle.dumps(pickle.loads(pickle.dumps(value, 5)), 5)
    assert pickle.dumps(codec.roundtrip(value), 5) == expected


def test_what_pickle_refuses_is_refused(codec) -> None:
    class Local(Plain):
        pass

    instance = Plain()
    refused = [
        Local(one=1),
        Plain(one=weakref.ref(instance)),
        Plain(one=threading.Lock()),
        made_slotted(Slotted, one=Local),
    ]
    for value in refused:
        with pytest.raises(Exception) as by_pickle:  # noqa: PT011  (whatever it is)
            pickle.dumps(value, 5)
        with pytest.raises(by_pickle.type):
            codec.encode(value)


# ---- classes that change ----


@contextmanager
def changed(owner: Any, **attributes: Any) -> Iterator[None]:
    former = {name: vars(owner)[name] for name in attributes if name in vars(owner)}
    for name, value in attributes.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name in attributes:
            if name in former:
                setattr(owner, name, former[name])
            else:
                delattr(owner, name)


class Base:
    pass


class Changing(Base):
    def __init__(self, one: Any = 1) -> None:
        self.one = one


HERE = sys.modules[__name__]
CHANGES: dict[str, Callable[[], Any]] = {
    "reduce": lambda: changed(Changing, __reduce__=lambda _: (Changing, ("reduced",))),
    "state": lambda: changed(Base, __getstate__=lambda _: {"one": "given"}),
    "taken": lambda: changed(Base, __setstate__=lambda self, _: setattr(self, "one", "taken")),
    "attribute": lambda: changed(Changing, one=property(lambda _: "of the class")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_class_that_changes(codec, name: str) -> None:
    instance = Changing()
    assert tag_of(codec, instance) == INSTANCE
    before = codec.encode(instance)
    codec.decode(*before)
    with CHANGES[name]():
        arrives_as_pickled(codec, instance)
        if name == "taken":
            assert codec.decode(*before).one == "taken"
    arrives_as_pickled(codec, instance)


def test_a_class_that_changes_all_the_time(codec) -> None:
    for number in range(50):
        Changing.count = number
        arrives_as_pickled(codec, [Changing(number)])
    del Changing.count


class Other:
    """Another rank's class."""

    def __setstate__(self, state: Any) -> None:
        self.got = state


class OtherSlots:
    __slots__ = ("one",)


class OtherPlain:
    pass


@pytest.mark.parametrize("other", [Other, OtherSlots, OtherPlain])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("make", [lambda: Changing(5), lambda: made_slotted(Slotted, one=5), lambda: Slim(5)])
def test_a_receiver_whose_class_differs(codec, other: type, known: bool, make: Callable[[], Any]) -> None:
    value = make()
    stream, parts = codec.encode(value)
    pickled = pickle.dumps(value, 5)
    if known:
        codec.decode(stream, parts)
    name = type(value).__name__
    with changed(HERE, **{name: other}):
        try:
            expected = pickle.loads(pickled)
        except AttributeError:
            with pytest.raises(AttributeError):
                codec.decode(stream, parts)
            return
        arrived = codec.decode(stream, parts)
        with pytest.raises(pickle.PicklingError):
            codec.encode(value)
    assert type(arrived) is type(expected) is other
    assert state(arrived) == state(expected)


def test_a_receiver_without_the_class(codec) -> None:
    message = codec.encode(Changing())
    codec.decode(*message)
    former = HERE.Changing
    del HERE.Changing
    try:
        with pytest.raises(AttributeError):
            codec.decode(*message)
    finally:
        HERE.Changing = former


def test_a_registered_function_pickles(codec) -> None:
    instance = Changing()
    codec.roundtrip(instance)
    copyreg.pickle(Changing, lambda _: (Changing, ("registered",)))
    try:
        assert codec.roundtrip(instance).one == "registered"
    finally:
        del copyreg.dispatch_table[Changing]
    assert codec.roundtrip(instance).one == 1


def test_classes_are_not_kept(codec) -> None:
    def send_one(base: type, body: dict[str, Any]) -> weakref.ref[type]:
        made = type("Passing", (base,), {"__module__": __name__, **body})
        with changed(HERE, Passing=made):
            arrives_as_pickled(codec, [made(one=1)])
        return weakref.ref(made)

    classes = [send_one(Plain, {}) for _ in range(20)]
    classes += [send_one(Slotted, {"__slots__": ()}) for _ in range(20)]
    gc.collect()
    assert [one for one in classes if one()] == []


# ---- lists of numbers ----


@given(numbers=st.lists(st.integers() | st.sampled_from([2**63 - 1, -(2**63), 2**63, -(2**63) - 1]), min_size=1))
def test_lists_of_ints(codec, numbers: list[int]) -> None:
    fits = all(-(2**63) <= number < 2**63 for number in numbers)
    assert tag_of(codec, numbers) == (INTS if fits else LIST)
    arrives_as_pickled(codec, numbers)


@given(numbers=st.lists(st.floats(), min_size=1))
def test_lists_of_floats(codec, numbers: list[float]) -> None:
    assert tag_of(codec, numbers) == FLOATS
    arrives_as_pickled(codec, numbers)


@given(numbers=st.lists(st.integers(-5, 5) | st.floats() | st.booleans() | st.builds(Integer)))
def test_lists_of_other_numbers(codec, numbers: list[Any]) -> None:
    kinds = {type(number) for number in numbers}
    assert (tag_of(codec, numbers) in (INTS, FLOATS)) == (kinds in ({int}, {float}))
    arrives_as_pickled(codec, numbers)


def test_not_a_number_keeps_its_bits_in_a_list(codec) -> None:
    bits = [0x7FF8DEADBEEF0001, 0xFFF8000000000001, 0x8000000000000000]
    assert np.array(codec.roundtrip(np.array(bits, "u8").view("f8").tolist())).view("u8").tolist() == bits


# ---- damaged messages ----


@pytest.mark.parametrize(
    "make",
    [
        lambda: Plain(one=1, two=[1, 2]),
        lambda: Slim(1, [1.5]),
        lambda: [Record(1), Record(2)],
        lambda: [Pair(1, "two"), Pair(2)],
        lambda: [Colour.RED, Colour.GREEN],
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_instances_that_end_early_or_late(codec, make: Callable[[], Any], known: bool) -> None:
    value = make()
    stream, parts = codec.encode(value)
    if known:
        codec.decode(stream, parts)
    for end in range(1, len(stream)):
        with pytest.raises(errors.Error, match="damaged"):
            codec.decode(stream[:end], parts)
    with pytest.raises(errors.Error, match="damaged"):
        codec.decode(stream + b"\0", parts)
    assert state(codec.decode(stream, parts)) == state(value)


def test_instances_that_lie(codec) -> None:
    stream, _ = codec.encode(Plain(one=1))
    codec.decode(stream, [])
    begin, attributes = stream[:9], stream[stream.index(b"\x0b\x01") :]
    maker = stream[9 : -len(attributes)]
    lies = {
        "no maker before": b"\x17" + bytes(8) + attributes,
        "longer": b"\x17" + (1000).to_bytes(8, "little") + maker + attributes,
        "no attributes": begin + maker + b"\0",
        "a name that is none": begin + maker + attributes.replace(b"\x12\x03one", b"\x03" + bytes(8)),
        "a special name": begin + maker + attributes.replace(b"\x12\x03one", b"\x12\x09__class__"),
        "more attributes": begin + maker + attributes.replace(b"\x0b\x01", b"\x0b\x02"),
        "three states": begin + maker + b"\x09\x03" + bytes(7) + b"\0" + attributes + attributes,
        "no slots": begin + maker + b"\x09\x02" + bytes(7) + b"\0\0",
    }
    for lie in lies.values():
        with pytest.raises(errors.Error, match="damaged"):
            codec.decode(lie, [])


@pytest.mark.parametrize("state", [(), (1, 2, 3), (1.5,), ("none",), ([1],)])
@pytest.mark.parametrize("value", [Pair(1, 2), *([Colour.RED] if BY_VALUE else [])])
def test_named_tuples_and_members_that_lie(codec, value: Any, state: tuple[Any, ...]) -> None:
    stream, _ = codec.encode(value)
    codec.decode(stream, [])
    own = codec.encode(tuple(value) if isinstance(value, tuple) else (value.value,))[0]
    lie = stream[: -len(own)] + codec.encode(state)[0]
    try:
        expected = type(value)(*state)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            codec.decode(lie, [])
    else:
        assert codec.decode(lie, []) == expected


@pytest.mark.parametrize("count", [0, 1, 3, 2**60, 2**61 + 2, 2**63])
@pytest.mark.parametrize("tag", [INTS, FLOATS])
def test_lists_of_numbers_that_lie(codec, tag: int, count: int) -> None:
    with pytest.raises(errors.Error, match="damaged"):
        codec.decode(bytes([tag]) + count.to_bytes(8, "little") + bytes(16), [])
