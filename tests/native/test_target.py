"""Receiving into memory that exists already."""

import contextlib
import gc
import struct
import sys
from array import array
from typing import Any

import numpy as np
import pytest
import stand_in_device
from array_samples import DESCRIBED, NUMBERS, content, filled, layouts, short
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st
from numpy.typing import NDArray
from tensors import OldTensor, Tensor

from polympi import errors


def fill(codec, into: Any, value: object) -> Any:
    received = codec.fill(into, *codec.encode(value))
    assert received is into
    return received


@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=short)
@pytest.mark.parametrize("shape", [(2, 3, 4), (9, 10, 11)], ids=["small", "large"])
def test_every_layout_into_every_layout(codec, dtype: Any, shape: tuple[int, ...]) -> None:
    values = filled(np.dtype(dtype), shape)
    for name, source in layouts(values).items():
        if source.shape == shape:
            room = np.zeros((2 * shape[0], shape[1], 3 * shape[2]), dtype)
            for into in (np.zeros_like(source), np.zeros(shape, dtype, order="F"), room[::-2, ::-1, ::3]):
                assert content(fill(codec, into, source)) == content(source), name


@given(
    values=np_st.arrays("i2", np_st.array_shapes(max_dims=4, max_side=5), elements=st.integers(-99, 99)), data=st.data()
)
def test_any_order_into_any_order(codec, values: NDArray[Any], data: st.DataObject) -> None:
    source = values.transpose(data.draw(st.permutations(range(values.ndim))))
    axes = data.draw(st.permutations(range(values.ndim)))
    into = np.zeros([source.shape[axis] for axis in axes], "i2").transpose(np.argsort(axes))
    assert into.shape == source.shape
    assert np.array_equal(fill(codec, into, source), source)


@pytest.mark.parametrize("count", [24, 24000])
def test_another_shape_of_as_many_elements_takes_them_in_order(codec, count: int) -> None:
    values = np.arange(float(count)).reshape(4, -1)
    for source in (values, np.asfortranarray(values), values.T, values[::-1]):
        for into in (np.zeros(count), np.zeros((count // 2, 2)), np.zeros((2, count // 2), order="F")):
            assert np.array_equal(fill(codec, into, source).reshape(-1), source.reshape(-1))


@pytest.mark.parametrize("count", [6, 6000])
def test_fewer_elements_fill_the_first_ones(codec, count: int) -> None:
    values = np.arange(1.0, count + 1).reshape(2, -1)
    for source in (values, np.asfortranarray(values), values[::-1]):
        for into in (np.zeros(count + 4), np.zeros(2 * count + 8)[::2]):
            fill(codec, into, source)
            assert np.array_equal(into[:count], source.reshape(-1))
            assert not into[count:].any()
    with pytest.raises(errors.MismatchError, match=r"shape \(2, 3\) .* shape \(4, 6\): fewer elements"):
        fill(codec, np.zeros((4, 6)), np.zeros((2, 3)))


def test_more_elements_are_an_error_that_names_both(codec) -> None:
    with pytest.raises(errors.TruncationError, match=r"float64 .* \(4,\) do not fit into float64 .* \(3,\)"):
        fill(codec, np.zeros(3), np.zeros(4))
    with pytest.raises(errors.TruncationError):
        fill(codec, bytearray(3), b"1234")


@pytest.mark.parametrize(
    ("into", "value"),
    [
        (np.zeros(3), np.zeros(3, "f4")),
        (np.zeros(3), np.zeros(3, "i8")),
        (np.zeros(3), np.zeros(3, ">f8")),
        (np.zeros(3, ">f8"), np.zeros(3)),
        (np.zeros(3, "M8[s]"), np.zeros(3, "M8[ms]")),
        (np.zeros(3, "i4,f4"), np.zeros(3, "i4,i4")),
        (np.zeros(3, "i1"), np.zeros(3, "u1")),
        (array("d", [0]), array("f", [0])),
        (bytearray(8), np.zeros(1)),
        (np.zeros(8), b"12345678"),
    ],
    ids=lambda value: str(getattr(value, "dtype", type(value).__name__)),
)
def test_other_types_of_elements_are_refused(codec, into: object, value: object) -> None:
    with pytest.raises(errors.MismatchError, match="the types of the elements differ"):
        fill(codec, into, value)


X = ("x", "f4")
THREE = np.dtype([X, ("n", "i4"), ("s", "S4")])


@pytest.mark.parametrize(
    "dtype",
    [
        [X, ("n", "i4"), ("s", "S4")],
        [(("title", "x"), "f4"), ("n", "i4"), (("of", "s"), "S4")],
        (np.record, [X, ("n", "i4"), ("s", "S4")]),
        [("x", np.dtype("f4", metadata={"unit": "m"})), ("n", "i4"), ("s", "S4")],
        np.dtype([X, ("n", "i4"), ("s", "S4")], metadata={"of": "all"}),
        np.dtype([X, ("n", "i4"), ("s", "S4")], align=True),
        {"names": ["s", "n", "x"], "formats": ["S4", "i4", "f4"], "offsets": [8, 4, 0]},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [np.ndarray, np.recarray])
def test_structures_of_one_layout_fit_whatever_is_said_about_them(codec, dtype: Any, kind: type) -> None:
    values = [(1.5, 2, b"abc"), (-1.0, 3, b"d")]
    for there in (THREE, np.dtype(dtype)):
        source = np.zeros(2, dtype)
        for number, name in enumerate(("x", "n", "s")):
            source[name] = [value[number] for value in values]
        into = np.zeros(2, there)
        fill(codec, into, source.view(kind))
        assert [(float(x), int(n), bytes(s)) for x, n, s in into[["x", "n", "s"]]] == values
        fill(codec, into.view(kind), source)
        if not isinstance(dtype, dict):  # NumPy gives no buffers of fields in another order than that of their places
            fill(codec, memoryview(into), source.view(kind))
            fill(codec, into, memoryview(source))


@pytest.mark.parametrize(
    ("dtype", "difference"),
    [
        ([("y", "f4"), ("n", "i4"), ("s", "S4")], "the field 'y' is float32 at byte 0 in the message and missing"),
        ([X, ("n", "u4"), ("s", "S4")], "the field 'n' is uint32 at byte 4 in the message and int32 at byte 4"),
        ([("n", "i4"), X, ("s", "S4")], "the field 'n' is int32 at byte 0 in the message and int32 at byte 4"),
        ([X, ("n", "i4")], "the field 's' is missing in the message and |S4 at byte 8"),
        ([X, ("n", "i4"), ("s", "S5")], "the field 's' is |S5 at byte 8"),
        ([X, ("n", ">i4"), ("s", "S4")], "the field 'n' is >i4 at byte 4"),
        ([X, ("n", "i2", 2), ("s", "S4")], "the field 'n' is ('<i2', (2,)) at byte 4"),
        ([X, ("n", [("m", "i4")]), ("s", "S4")], "the field 'n' is [('m', '<i4')] at byte 4"),
        (
            {"names": ["x", "n", "s"], "formats": ["f4", "i4", "S4"], "itemsize": 16},
            "an element has 16 bytes in the message and 12",
        ),
        ([(f"field_{n}", "f8") for n in range(300)], "... elements of shape (2,) do not fit"),
        ("f4", "float32 elements of shape (2,) do not fit into [('x', "),
        ("V12", "|V12 elements of shape (2,) do not fit into [('x', "),
    ],
)
def test_a_refusal_of_a_structure_says_where_it_differs(codec, dtype: Any, difference: str) -> None:
    into = np.ones(2, THREE)
    for source in (np.zeros(2, dtype), np.zeros(2, dtype).view(np.recarray)):
        with pytest.raises(errors.MismatchError, match="the types of the elements differ") as raised:
            fill(codec, into, source)
        assert difference in str(raised.value)
        assert len(str(raised.value)) < 700
    assert (into == np.ones(2, THREE)).all()


def test_arrays_of_other_classes_go_into_memory(codec) -> None:
    numbers = np.arange(6.0).reshape(2, 3)
    for kind in (np.matrix, np.memmap):
        assert np.array_equal(fill(codec, np.zeros((2, 3)), numbers.view(kind)), numbers)
        assert fill(codec, array("d", [0] * 6), numbers.view(kind)).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(fill(codec, np.zeros((2, 3)).view(np.matrix), numbers), numbers)
    with_unit = numbers.astype(np.dtype("f8", metadata={"unit": "m"}))
    assert np.array_equal(fill(codec, np.zeros((2, 3)), with_unit), numbers)
    assert np.array_equal(fill(codec, np.zeros_like(with_unit), numbers), numbers)


def test_the_error_names_both_types(codec) -> None:
    with pytest.raises(errors.MismatchError, match=r"datetime64\[s\] elements .* into float64 elements"):
        fill(codec, np.zeros(3), np.zeros(3, "M8[s]"))
    with pytest.raises(errors.MismatchError, match=r"float16 elements .* into uint8 elements"):
        fill(codec, bytearray(3), np.zeros(3, "f2"))


@pytest.mark.parametrize("into", [np.zeros(3, np.longlong), np.zeros(3, "l"), array("q", [0] * 3), array("l", [0] * 3)])
def test_long_long_takes_long(codec, into: Any) -> None:
    assert list(fill(codec, into, np.arange(3))) == [0, 1, 2]
    assert list(fill(codec, into, np.arange(3, 6, dtype=np.longlong))) == [3, 4, 5]


@pytest.mark.parametrize("size", [6, 6000])
def test_bytes_fit_any_type_of_one_byte(codec, size: int) -> None:
    data = bytes(range(6)) * (size // 6)
    for value in (data, bytearray(data), memoryview(data)):
        for into in (np.zeros(size, "i1"), np.zeros((2, size // 2), "u1"), np.zeros(size, "S1"), np.zeros(size, "?")):
            assert fill(codec, into, value).tobytes() == data
        for memory in (bytearray(size), memoryview(bytearray(size)), array("b", bytes(size))):
            assert bytes(memoryview(fill(codec, memory, value))) == data


def test_buffers_of_all_kinds(codec) -> None:
    into = memoryview(np.zeros((3, 8)))[::2]
    fill(codec, into, np.arange(16.0).reshape(2, 8))
    assert into.tolist() == np.arange(16.0).reshape(2, 8).tolist()
    structure = np.zeros(2, "i4,f8")
    fill(codec, memoryview(structure), np.ones(2, "i4,f8"))
    assert structure.tolist() == [(1, 1.0)] * 2
    swapped = np.zeros(2, ">i4")
    fill(codec, memoryview(swapped), np.ones(2, ">i4"))
    assert swapped.tolist() == [1, 1]
    numbers = array("d", [0, 0])
    fill(codec, numbers, array("d", [1, 2]))
    assert numbers == array("d", [1, 2])
    numbers.append(3)  # nothing holds its memory any more


def test_targets_are_let_go(codec) -> None:
    three = np.arange(3.0)
    targets = [three.copy(), np.zeros(3, "M8[s]"), bytearray(3), memoryview(np.zeros(3, "i4,f4")), np.ones((2, 3)).T]
    watched = [three.dtype, targets[1].dtype, *targets]

    def once() -> None:
        for into in targets:
            for value in (three, np.zeros(3, "M8[s]"), b"abc", three.repeat(30), "no array"):
                with contextlib.suppress(errors.Error):
                    fill(codec, into, value)

    def references() -> list[int]:
        gc.collect()
        return [*map(sys.getrefcount, watched)]

    for _ in range(10):  # until what is remembered of dtypes is all of here
        once()
    before = references()
    once()
    assert references() == before


@pytest.mark.skipif(np.__version__.startswith("2.0."), reason="NumPy 2.0 takes all DLPack memory for read-only")
def test_tensors(codec) -> None:
    into = Tensor(np.zeros(3))
    fill(codec, into, np.arange(3.0))
    assert into.array.tolist() == [0, 1, 2]
    fill(codec, into, array("d", [3, 4]))
    assert into.array.tolist() == [3, 4, 2]
    with pytest.raises(errors.MismatchError, match="for reading only"):
        fill(codec, OldTensor(np.zeros(3)), np.arange(3.0))


def test_memory_on_a_device(codec) -> None:
    into = stand_in_device.asarray(np.full((3, 2), -1.0))
    fill(codec, into, np.arange(6.0))
    assert into.host().tolist() == [[0, 1], [2, 3], [4, 5]]
    fill(codec, into[:, 1], np.arange(2.0))
    assert into.host().tolist() == [[0, 0], [2, 1], [4, 5]]
    with pytest.raises(errors.MismatchError, match="the types of the elements differ"):
        fill(codec, into, np.arange(6))


def read_only() -> NDArray[Any]:
    values = np.zeros(3)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(
    ("into", "why"),
    [
        (read_only(), "read-only"),
        (b"abc", "no writable memory"),
        (memoryview(b"abc"), "no writable memory"),
        (np.zeros(3, "O"), "objects"),
        (np.zeros(3, "T"), "memory elsewhere"),
        (np.zeros(3, [("o", "O")]), "objects"),
        ([1, 2], "neither an array"),
        (5, "neither an array"),
        (np.float64(1), "no writable memory"),
    ],
    ids=lambda value: str(getattr(value, "dtype", type(value).__name__)),
)
def test_memory_that_cannot_be_received_into(codec, into: object, why: str) -> None:
    with pytest.raises(errors.MismatchError, match=f"{type(into).__name__} cannot be received into: .*{why}"):
        fill(codec, into, b"abc")


@pytest.mark.parametrize("value", [1j, "text", [np.zeros(3)], None, np.zeros(3, "O")], ids=str)
def test_objects_are_no_elements(codec, value: object) -> None:
    with pytest.raises(errors.MismatchError, match="an object and not an array"):
        fill(codec, np.zeros(3), value)


@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=short)
def test_nothing_into_nothing(codec, dtype: Any) -> None:
    fill(codec, np.zeros((0, 3), dtype), np.zeros((0, 3), dtype))
    fill(codec, np.zeros(0, dtype), np.zeros((0, 3), dtype, order="F"))
    untouched = np.zeros(2, dtype)
    assert fill(codec, untouched, np.zeros(0, dtype)).tobytes() == np.zeros(2, dtype).tobytes()


def test_damaged_heads_are_errors(codec) -> None:
    arrays = (np.arange(6.0).reshape(2, 3), np.arange(6.0), np.zeros(3, "M8[s]"))
    for value in (*arrays, b"abc", bytearray(3), Tensor(np.zeros(3))):
        stream, parts = codec.encode(value)
        for end in range(1, len(stream)):
            with pytest.raises(errors.Error, match="damaged"):
                codec.fill(np.zeros(6), stream[:end], parts)


# ---- messages that lie ----


def array_head(kind: int, shape: tuple[int, ...], itemsize: int, *, apart: int = 0, container: int = 0) -> bytes:
    """How a message of an array begins; see struct array_head."""
    head = struct.pack("<8B2I", 14, kind, len(shape), container, 0, apart, 0, 0, itemsize, 0)
    return head + struct.pack(f"<{len(shape)}q", *shape)


DOUBLE, BYTEARRAY, MEMORYVIEW = 12, 1, 2


@pytest.mark.parametrize(
    ("stream", "parts"),
    [
        (array_head(DOUBLE, (1000,), 8, apart=1), []),
        (array_head(DOUBLE, (1000,), 8, apart=1), [bytearray(8)]),
        (array_head(DOUBLE, (1000,), 8, apart=1), [bytearray(8000), bytearray(8)]),
        (array_head(DOUBLE, (6,), 8) + bytes(48), [bytearray(48)]),
        (array_head(DOUBLE, (1000,), 16, apart=1), [bytearray(16000)]),
        (array_head(DOUBLE, (6,), 80) + bytes(480), []),
        (struct.pack("<BQ", 8, 8000), []),
        (struct.pack("<BQ", 8, 8000), [bytearray(7999)]),
    ],
    ids=range(8),
)
def test_lengths_that_are_not_true_are_errors(codec, stream: bytes, parts: list[bytearray]) -> None:
    for into in (np.zeros(1000), np.zeros(2000)[::2], np.zeros((20, 50)).T, bytearray(8000)):
        with pytest.raises(errors.Error):
            codec.fill(into, stream, parts)


def test_a_memoryview_reads_no_more_than_its_elements(codec) -> None:
    stream, parts = codec.encode(memoryview(array("d", [1, 2, 3])))
    changed = bytearray(stream)
    changed[8] = 1  # bytes of an element: of three bytes a double would be read
    with pytest.raises(errors.Error, match="damaged"):
        codec.decode(bytes(changed[:-21]), parts)


# ---- announcements ----


def announcement(sizes: list[int], stream: bytes, **changed: int) -> bytes:
    """A small message that announces parts; see struct announcement."""
    body = struct.pack(f"<{len(sizes)}Q", *sizes) + stream
    fields = {"tag": 255, "apart": 0, "more": 0, "sequence": 7, "body": len(body), "parts": len(sizes), **changed}
    return struct.pack("<BBHIQQ", *fields.values()) + body


def test_announcements_are_compared_with_what_is_there(codec) -> None:
    assert codec.announced(announcement([5000, 2**40], b"x")) == [5000, 2**40]
    assert codec.announced(announcement([], b"x")) == []
    assert codec.announced(announcement([], b"", apart=1, body=10**9, parts=10**6)) is None
    whole = announcement([5000], b"stream")
    damaged = [whole[:end] for end in range(len(whole))] + [whole + b"x", announcement([], b"")]
    damaged += [announcement([2**63], b"x"), announcement([2**64 - 1], b"x"), announcement([5000], b"")]
    damaged += [announcement([5000], b"x", parts=parts) for parts in (2, 2**31, 2**61, 2**61 + 1, 2**64 - 1)]
    damaged += [announcement([5000], b"x", body=body) for body in (0, 8, 10, 2**63, 2**64 - 1)]
    damaged += [announcement([], b"", apart=1, body=body, parts=1) for body in (0, 8, 2**63)]
    for message in damaged:
        with pytest.raises(LookupError):
            codec.announced(message)


@given(data=st.data())
def test_no_announcement_is_read_beyond_its_end(codec, data: st.DataObject) -> None:
    message = bytearray(announcement([5000] * data.draw(st.integers(0, 3)), data.draw(st.binary(max_size=9))))
    for position in data.draw(st.lists(st.integers(0, len(message) - 1), max_size=4)):
        message[position] = data.draw(st.integers(0, 255))
    with contextlib.suppress(LookupError):
        codec.announced(bytes(message[: data.draw(st.integers(0, len(message)))]))


# ---- memory that is both sent and received into ----


def test_what_is_sent_from_where_it_is_received_is_seen(codec) -> None:
    whole = np.zeros((1000, 100))
    row, column, flat = whole[5:20], whole[:, 3], whole.reshape(-1)
    together = [
        *((whole, whole), (row, whole), (whole, row), (column, row), (row, column), (column[::-1], column)),
        *((flat[1000:], flat[:1001]), ([1, {"a": flat[:2000]}], row), (memoryview(flat), row), (whole.T, whole)),
        (np.zeros(2000), np.zeros(2000), flat[:600], flat[:600]),
    ]
    for *sent, into in together:
        assert codec.overlaps(sent, into)
    apart = [(flat[1000:], flat[:1000]), (np.zeros(2000), whole), (flat[:500], whole), (whole, flat[:0])]
    for value, into in apart:
        assert not codec.overlaps(value, into)
