"""Python's own objects, and what is pickled."""

import collections
import ctypes
import enum
import fractions
import gc
import math
import mmap
import pickle
import subprocess
import sys
import tracemalloc
import warnings
import weakref
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from everything import SAMPLES, Holder, Refusing, Unloadable, observed
from hypothesis import given
from hypothesis import strategies as st
from tensors import Tensor

from polympi import errors

PART_BYTES = 4096  # from this size on data are sent apart from the stream


class Colour(enum.IntEnum):
    RED = 1


class Text(str):
    __slots__ = ()


Point = collections.namedtuple("Point", "x y")


hashable = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text()
    | st.text(st.characters(), max_size=3)
    | st.binary()
    | st.just(Ellipsis),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)
values = st.recursive(
    hashable
    | st.floats()
    | st.complex_numbers()
    | st.binary(min_size=PART_BYTES - 1, max_size=PART_BYTES + 1)
    | st.binary().map(bytearray),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(hashable, inner)
        | st.sets(hashable, max_size=3)
        | inner.map(Holder)
    ),
    max_leaves=15,
)


@given(value=values)
def test_nested_objects_arrive_as_they_are(codec, value: object) -> None:
    assert observed(codec.roundtrip(value)) == observed(value)


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**5000, -(2**40000), True, None, math.inf, -0.0),
        *("", "a", "é", "€uro", "x" * 255, "x" * 256, "x" * PART_BYTES, "é" * PART_BYTES, "\ud800", "a\0b", "😀"),
        *(b"", b"x", b"x" * PART_BYTES, bytearray(), bytearray(b"x" * PART_BYTES)),
        *((), [], {}, set(), frozenset(), [[]], ({},), {1: {2: {3: ()}}}, {"key": "x" * PART_BYTES}),
        *(
            range(3),
            ...,
            int,
            fractions.Fraction(1, 3),
            Colour.RED,
            [Colour.RED],
            Text("x"),
            Point(1, 2),
            {"p": Point(1, 2)},
        ),
        *(collections.OrderedDict(b=1, a=2), collections.Counter("aab"), collections.deque([1]), slice(1), Holder(1)),
    ],
    ids=lambda value: f"{type(value).__name__}-{len(pickle.dumps(value))}",
)
def test_particular_objects_arrive_as_they_are(codec, value: object) -> None:
    assert observed(codec.roundtrip(value)) == observed(value)
    assert observed(codec.roundtrip([value])) == observed([value])


def test_not_a_number_keeps_its_bits(codec) -> None:
    nan = np.array([0x7FF8DEADBEEF0001], "u8").view("f8").item()
    assert np.array(codec.roundtrip(nan)).view("u8") == 0x7FF8DEADBEEF0001


def test_large_data_are_sent_apart_from_the_stream(codec) -> None:
    for value in (b"x" * 10**6, bytearray(10**6), "é" * 10**6, np.zeros(10**6), Holder(np.zeros(10**6))):
        stream, parts = codec.encode(value)
        assert len(stream) < 1000
        assert len(parts) == 1


def test_keys_of_dicts_are_the_same_objects_each_time(codec) -> None:
    message = codec.encode({"temperature_of_the_wall": 1})
    (_,), (second,), (third,) = (codec.decode(*message) for _ in range(3))
    assert second is third
    assert second is sys.intern("temperature_of_" + "the_wall")


@given(keys=st.lists(st.text(st.characters(max_codepoint=127), max_size=45), min_size=1, max_size=300))
def test_cached_keys_are_never_mistaken(codec, keys: list[str]) -> None:
    assert codec.roundtrip(dict.fromkeys(keys)) == dict.fromkeys(keys)


# ---- identity, as pickle keeps it ----


def shared() -> list[Any]:
    return [[1], {"a": 1}, {1}, bytearray(b"x"), np.zeros(3), np.zeros(10**4), array("d", [1]), ([],), ((({}, 1),),)]


@pytest.mark.parametrize("item", shared(), ids=lambda item: type(item).__name__)
def test_what_is_contained_twice_is_one_object(codec, item: object) -> None:
    first, second = codec.roundtrip([item, item])
    assert second is first
    first, (second,) = codec.roundtrip((item, [item]))
    assert second is first
    first, inner = codec.roundtrip({1: item, 2: {"x": item}}).values()
    assert inner["x"] is first


def test_a_list_in_itself_stays_so(codec) -> None:
    items: list[Any] = [1]
    items.append(items)
    received = codec.roundtrip(items)
    assert received[1] is received
    pair: tuple[list[Any]] = ([],)
    pair[0].append(pair)
    received = codec.roundtrip(pair)
    assert received[0][0] is received


def test_equal_objects_stay_apart(codec) -> None:
    one, other = codec.roundtrip([[1], [1]])
    assert one is not other


def test_more_shared_objects_than_are_watched(codec) -> None:
    items = [[n] for n in range(100)]
    received = codec.roundtrip([items, items[99]])
    assert received == [items, items[99]]
    assert received[0][99] is received[1]


def test_deep_nesting(codec) -> None:
    value: list[Any] = []
    for _ in range(200):
        value = [value]
    assert codec.roundtrip(value) == value


# ---- buffers ----


@pytest.mark.parametrize("code", "bBhHiIlLqQfdu")
@pytest.mark.parametrize("length", [0, 3, 5000])
def test_array_array(codec, code: str, length: int) -> None:
    value = array(code, "x" * length if code == "u" else [1] * length)
    received = codec.roundtrip(value)
    assert type(received) is array
    assert (received.typecode, received) == (code, value)


VIEWS = {
    "bytes": memoryview(b"abc"),
    "writable": memoryview(bytearray(b"abc")),
    "empty": memoryview(b""),
    "large": memoryview(bytes(10**4)),
    "doubles": memoryview(array("d", [1, 2, 3])),
    "two axes": memoryview(np.arange(12, dtype="i4").reshape(3, 4)),
    "no axis": memoryview(np.array(7.5)),
    "no elements": memoryview(np.zeros((3, 0, 2))),
    "strided": memoryview(np.arange(24.0).reshape(4, 6)[::2, ::-3]),
    "strided, large": memoryview(np.arange(24000.0).reshape(4000, 6)[::2, ::-3]),
    "Fortran": memoryview(np.asfortranarray(np.arange(6.0).reshape(2, 3))),
    "structure": memoryview(np.array([(1, 2.0)], "i8,f4")),
    "complex": memoryview(np.arange(3) * 1j),
    "other byte order": memoryview(np.arange(3, dtype=">i4")),
    "ctypes": memoryview((ctypes.c_int * 3)(1, 2, 3)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_memoryviews_keep_format_and_shape_over_memory_of_their_own(codec, name: str) -> None:
    view = VIEWS[name]
    received = codec.roundtrip(view)
    assert type(received) is memoryview
    assert (received.format, received.shape, received.itemsize) == (view.format, view.shape, view.itemsize)
    assert received.tobytes() == view.tobytes()
    assert not received.readonly
    assert received.c_contiguous


def test_a_released_memoryview_is_an_error(codec) -> None:
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(ValueError, match="released"):
        codec.roundtrip(view)


def test_a_bytearray_cannot_shrink_while_it_is_encoded(codec) -> None:
    data = bytearray(b"x" * 10**5)
    assert codec.roundtrip(data) == data
    data.clear()  # nothing holds it any more
    assert codec.roundtrip(data) == b""


def test_memory_that_cannot_be_pickled_arrives_as_a_memoryview(codec) -> None:
    with mmap.mmap(-1, 5000) as mapped:
        mapped[:3] = b"abc"
        received = codec.roundtrip(mapped)
        assert type(received) is memoryview
        assert received.tobytes() == mapped[:]


# ---- pickle ----


def test_buffers_of_pickled_objects_are_writable_memory(codec) -> None:
    small, large = np.arange(3.0), np.arange(10.0**4)
    received = codec.roundtrip([Holder(small), Holder([large, large[::2]])])
    assert observed(received) == observed([Holder(small), Holder([large, large[::2].copy()])])
    received[0].value[:] = 1
    received[1].value[0][:] = 1


@pytest.mark.parametrize("value", [Refusing(), [1, {"x": Refusing()}]], ids=["alone", "inside"])
def test_errors_of_pickling_are_raised_as_they_are_with_a_note(codec, value: object) -> None:
    with pytest.raises(ZeroDivisionError, match="not me") as raised:
        codec.roundtrip(value)
    if sys.version_info >= (3, 11):
        name = type(value).__name__
        assert any(f"type {name} " in note or f".{name} " in note for note in raised.value.__notes__)


def test_errors_of_unpickling_are_raised_as_they_are(codec) -> None:
    with pytest.raises(ValueError, match="no number"):
        codec.roundtrip(Unloadable())


class Shrinking:
    """Empties the list that holds it while it is pickled."""

    def __init__(self, holder: list[Any]) -> None:
        self.holder = holder

    def __reduce__(self) -> tuple[Any, ...]:
        del self.holder[1:]
        gc.collect()
        return (int, ())


def test_a_list_that_shrinks_while_it_is_pickled(codec) -> None:
    holder: list[Any] = []
    holder += [Shrinking(holder), [1], "x" * 10**5]
    assert codec.roundtrip(holder) == [0]


# ---- one pickle after another: the pickler is used again ----


def test_a_pickle_knows_nothing_of_those_before(codec) -> None:
    holder = Holder(["text", Holder(1)])
    first = codec.encode(holder)
    codec.encode([holder, holder])
    assert codec.encode(holder) == first == codec.encode(Holder(["text", Holder(1)]))
    for value in (Refusing(), [holder, Refusing()]):
        with pytest.raises(ZeroDivisionError):
            codec.encode(value)
        assert codec.encode(holder) == first


@pytest.mark.parametrize("size", [1, 10**5], ids=["small", "large"])
def test_what_was_pickled_is_not_kept(codec, size: int) -> None:
    holder = Holder([Holder("x" * size), np.zeros(size)])
    alive = weakref.ref(holder), weakref.ref(holder.value[0])  # type: ignore[index]  # a list
    codec.encode(holder)
    del holder
    assert [one() for one in alive] == [None, None]


class Reduced:
    """Its state is made for pickle alone, which pickles in its turn when it is no longer needed."""

    def __init__(self, codec, pickled: list[Any]) -> None:
        self.codec, self.pickled = codec, pickled

    def __reduce__(self) -> tuple[Any, ...]:
        return (list, ((Last(self.codec, self.pickled),),))


class Last:
    def __init__(self, codec, pickled: list[Any]) -> None:
        self.codec, self.pickled = codec, pickled

    def __reduce__(self) -> tuple[Any, ...]:
        return (int, (7,))

    def __del__(self) -> None:
        self.pickled.append(self.codec.encode(Holder(8)))


def test_objects_that_pickle_at_their_end(codec) -> None:
    pickled: list[Any] = []
    expected = codec.encode(Holder(8))
    for number in range(1, 4):
        assert codec.roundtrip(Reduced(codec, pickled)) == [7]
        gc.collect()
        assert pickled == [expected] * number


def test_pickles_of_several_pieces(codec) -> None:
    values = [Holder([f"{i:1000}" for i in range(300)]), Holder(1), Holder([bytes(100)] * 10**4)]
    for value in (*values, *values):
        assert observed(codec.roundtrip(value)) == observed(value)


# ---- cost ----


def test_nothing_leaks(codec) -> None:
    a_list: list[Any] = [1]
    values = [
        *SAMPLES,
        {str(n): n for n in range(9)},
        Holder(np.zeros(1000)),
        [a_list, a_list],
        np.ones((80, 90))[:, ::2],
        np.zeros(3, "i4,f8"),
        Tensor(np.zeros(3)),
        Tensor(np.zeros(10**4)),
        {"x": [b"x" * 5000, np.zeros(1000), Holder(1)]},
        {"a key that is remembered": 1},
    ]
    messages = [codec.encode(value) for value in values]

    def once() -> None:
        for value, (stream, parts) in zip(values, messages, strict=True):
            codec.roundtrip(value)
            codec.decode(stream, parts)
            for damaged in (stream[:-1], stream + b"\0"):
                with pytest.raises(errors.Error):
                    codec.decode(damaged, parts)
        for refused in (Refusing(), Unloadable()):
            with pytest.raises((ZeroDivisionError, ValueError)):
                codec.roundtrip(refused)

    def in_use() -> int:
        gc.collect()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sys._clear_type_cache()  # names that unpickling looks up
        return tracemalloc.get_traced_memory()[0]

    watched = [np.dtype("i8"), np.float64, array, Tensor, sys.intern("a key that is " + "remembered")]
    watched += [value for value in values if sys.getrefcount(value) < 10]  # not None, which everybody refers to
    for _ in range(20):
        once()
    tracemalloc.start()
    try:
        once()
        references, grown = [*map(sys.getrefcount, watched)], []
        for _ in range(3):  # caches of other modules of the process may grow once, a leak grows each time
            before = in_use()
            for _ in range(100):
                once()
            grown.append(in_use() - before)
        assert min(grown) < 100 * 16  # less than any object
        assert [*map(sys.getrefcount, watched)] == references
    finally:
        tracemalloc.stop()


def test_numpy_is_not_loaded_for_what_needs_none(codec, codec_file: Path) -> None:
    an_array = codec.encode(np.arange(3))[0]
    script = f"""
import sys
sys.path.insert(0, {str(codec_file.parent)!r})
import codec
from array import array
for value in (1, "x", [{{"a": (1.5, None)}}], b"x" * 5000, bytearray(3), memoryview(b"x"), array("d", [1]), object):
    assert codec.decode(*codec.encode(value)) == value
assert "numpy" not in sys.modules
print(codec.decode({an_array!r}, []))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "[0 1 2]\n", done.stderr
