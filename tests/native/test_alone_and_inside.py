"""A value arrives the same wherever it is: alone, next to an object that is pickled, twice, or deep."""

import ctypes
import random
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from array_samples import layouts
from everything import (
    ARRAYS,
    EVERYTHING,
    LARGE,
    MEMORY,
    Cell,
    Colour,
    Holder,
    Items,
    Names,
    Pair,
    Plain,
    Point,
    Refusing,
    Slotted,
    made_up,
    mapped_memory,
    objects_of,
    observed,
    read_only,
)
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st
from numpy.typing import NDArray


def buried(value: Any) -> Any:
    for _ in range(40):
        value = [value]
    return value


def dug_out(value: Any) -> Any:
    for _ in range(40):
        (value,) = value
    return value


# What a value is put into, and how it is taken out again: all of it, wherever it is.
PLACES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], list[Any]]]] = {
    "in a list": (lambda x: [x], lambda got: got),
    "next to an object": (lambda x: [x, Holder(1)], lambda got: got[:1]),
    "behind an object": (lambda x: [Colour.RED, {"x": x}], lambda got: [got[1]["x"]]),
    "twice": (lambda x: [x, x], list),
    "in an object": (Holder, lambda got: [got.value]),
    "in objects": (lambda x: Cell("c", Pair(Slotted(x), Items([x]))), lambda g: [g.value.one.value, g.value.two[0]]),
    "in a subclass of dict": (lambda x: Names(x=x, y=(x, [x])), lambda g: [g["x"], g["y"][0], g["y"][1][0]]),
    "deep": (buried, lambda got: [dug_out(got)]),
    "deep and twice": (lambda x: (x, buried(x)), lambda got: [got[0], dug_out(got[1])]),
    "among many": (lambda x: [[x], *([n] for n in range(50)), [x]] * 2, lambda got: [got[0][0], got[-1][0]]),
    "in an array of objects": (lambda x: objects_of(x, None, x), lambda got: [got[0], got[2]]),
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_what_arrives_is_the_same_wherever_it_is(codec, name: str) -> None:
    value = EVERYTHING[name]
    expected = observed(codec.roundtrip(value))
    for place, (put, take) in PLACES.items():
        got = take(codec.roundtrip(put(value)))
        for item in got:
            assert observed(item) == expected, place
        if name in ARRAYS or (name in MEMORY and not isinstance(value, np.generic)):
            assert all(item is got[0] for item in got), place


generated = np_st.arrays(
    np_st.array_dtypes() | np_st.scalar_dtypes() | np_st.nested_dtypes(),
    np_st.array_shapes(min_dims=0, min_side=0, max_dims=4),
)


@given(
    values=generated,
    layout=st.integers(0, 17),
    kind=st.sampled_from([np.ndarray, np.ndarray, Plain, memoryview]),
    place=st.sampled_from([*PLACES.values()]),
)
def test_generated_arrays_arrive_the_same_wherever_they_are(
    codec, values: NDArray[Any], layout: int, kind: Any, place: Any
) -> None:
    views = [values, values.T, read_only(values), values[..., None][::-1]]
    if values.ndim == 3 and values.size:
        views += layouts(values).values()
    value = views[layout % len(views)]
    if kind is memoryview and value.dtype.kind in "?biufc":
        value = memoryview(value)
    elif kind is Plain:
        value = value.view(Plain)
    put, take = place
    expected = observed(codec.roundtrip(value))
    for item in take(codec.roundtrip(put(value))):
        assert observed(item) == expected


def shape_of(value: Any, seen: dict[int, int], keep: list[Any]) -> Any:
    """A value with a number for each mutable object in it, so that shared objects can be recognised."""
    if isinstance(value, (list, tuple, dict, Holder, Cell)):
        children = value.items() if isinstance(value, dict) else value
        if not isinstance(value, tuple):
            if id(value) in seen:
                return seen[id(value)]
            seen[id(value)] = len(seen)
        if isinstance(value, (Holder, Cell)):
            children = vars(value).values()
        return (type(value), [shape_of(child, seen, keep) for child in children])
    if isinstance(value, (np.ndarray, bytearray, array, memoryview)):
        keep.append(value)
        return seen.setdefault(id(value), len(seen))
    return type(value)


@pytest.mark.parametrize("seed", range(60))
def test_random_values_keep_what_is_one_object(codec, seed: int) -> None:
    chance = random.Random(seed)
    value = made_up(chance, [], 4)
    received = codec.roundtrip([value, Holder(1)])[0]
    alone = codec.roundtrip(value)
    assert observed(received) == observed(alone)
    keep: list[Any] = []
    if "mmap" not in repr(observed(value)):
        assert shape_of(received, {}, keep) == shape_of(alone, {}, keep)


# ---- what cannot be sent ----


@pytest.mark.parametrize("refused", [lambda: None, (n for n in range(3)), Refusing()], ids=["lambda", "generator", ""])
def test_what_cannot_be_sent_is_an_error_whatever_is_next_to_it(codec, refused: object) -> None:
    with pytest.raises(Exception) as alone:  # noqa: PT011  (whatever it is)
        codec.roundtrip(refused)
    for value in ([mapped_memory(), refused], [np.arange(3), Point(1, 2), refused], objects_of(refused)):
        with pytest.raises(alone.type) as inside:
            codec.roundtrip(value)
        assert str(inside.value) == str(alone.value)


@pytest.mark.parametrize("dtype", ["O", [("x", "i4"), ("o", "O")]], ids=str)
def test_memory_of_objects_never_travels(codec, dtype: Any) -> None:
    for value in (memoryview(np.zeros(3, dtype)), [memoryview(np.zeros(3, dtype)), Holder(1)]):
        with pytest.raises(TypeError, match=r"cannot pickle '?memoryview"):
            codec.roundtrip(value)
    unpicklable = np.full(3, lambda: None)
    with pytest.raises(Exception, match="lambda"):
        codec.roundtrip(unpicklable)
    names = np.zeros(3, [("O", "i4"), ("xO", "f4")])
    assert codec.roundtrip(memoryview(names)).tobytes() == names.tobytes()


class Chain(ctypes.Structure):
    """Memory that refers to more of its kind."""

    _fields_ = (("number", ctypes.c_int),)


def test_memory_that_refers_to_memory(codec) -> None:
    first = last = Chain(0)
    for number in range(1, 50):
        last.next = Chain(number)
        last = last.next
    last.next = mapped_memory()
    link, memory = codec.roundtrip([first, last.next])
    assert type(memory) is memoryview
    for number in range(50):
        assert (type(link), link.number) == (Chain, number)
        link = link.next
    assert link is memory


class Nesting:
    """Encodes other values while it is pickled."""

    def __init__(self, codec) -> None:
        self.codec = codec

    def __reduce__(self) -> Any:
        return (list, (self.codec.roundtrip([LARGE[:3], Holder(1)])[:1],))


def test_pickling_within_pickling(codec) -> None:
    one, two, three = codec.roundtrip([LARGE, Nesting(codec), LARGE])
    assert one is three
    assert observed(two) == observed([np.arange(3)])
