"""Receiving into memory that exists already."""

from __future__ import annotations

import contextlib
import gc
import sys
from array import array
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from array_samples import DESCRIBED, NUMBERS, content, filled, layouts, unhurried
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st
from numpy.typing import NDArray
from tensors import GpuTensor, OldTensor, Tensor

from polympi import errors


def fill(codec: ModuleType, into: Any, value: object) -> Any:
    received = codec.fill(into, *codec.encode(value))
    assert received is into
    return received


@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 4), (9, 10, 11)], ids=["small", "large"])
def test_every_layout_into_every_layout(codec: ModuleType, dtype: Any, shape: tuple[int, ...]) -> None:
    values = filled(np.dtype(dtype), shape)
    for name, source in layouts(values).items():
        if source.shape == shape:
            room = np.zeros((2 * shape[0], shape[1], 3 * shape[2]), dtype)
            for into in (np.zeros_like(source), np.zeros(shape, dtype, order="F"), room[::-2, ::-1, ::3]):
                assert content(fill(codec, into, source)) == content(source), name


@unhurried
@given(
    values=np_st.arrays("i2", np_st.array_shapes(max_dims=4, max_side=5), elements=st.integers(-99, 99)), data=st.data()
)
def test_any_order_into_any_order(codec: ModuleType, values: NDArray[Any], data: st.DataObject) -> None:
    source = values.transpose(data.draw(st.permutations(range(values.ndim))))
    axes = data.draw(st.permutations(range(values.ndim)))
    into = np.zeros([source.shape[axis] for axis in axes], "i2").transpose(np.argsort(axes))
    assert into.shape == source.shape
    assert np.array_equal(fill(codec, into, source), source)


@pytest.mark.parametrize("count", [24, 24000])
def test_another_shape_of_as_many_elements_takes_them_in_order(codec: ModuleType, count: int) -> None:
    values = np.arange(float(count)).reshape(4, -1)
    for source in (values, np.asfortranarray(values), values.T, values[::-1]):
        for into in (np.zeros(count), np.zeros((count // 2, 2)), np.zeros((2, count // 2), order="F")):
            assert np.array_equal(fill(codec, into, source).reshape(-1), source.reshape(-1))


@pytest.mark.parametrize("count", [6, 6000])
def test_fewer_elements_fill_the_first_ones(codec: ModuleType, count: int) -> None:
    values = np.arange(1.0, count + 1).reshape(2, -1)
    for source in (values, np.asfortranarray(values), values[::-1]):
        for into in (np.zeros(count + 4), np.zeros(2 * count + 8)[::2]):
            fill(codec, into, source)
            assert np.array_equal(into[:count], source.reshape(-1))
            assert not into[count:].any()
    with pytest.raises(errors.MismatchError, match=r"shape \(2, 3\) .* shape \(4, 6\): fewer elements"):
        fill(codec, np.zeros((4, 6)), np.zeros((2, 3)))


def test_more_elements_are_an_error_that_names_both(codec: ModuleType) -> None:
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
def test_other_types_of_elements_are_refused(codec: ModuleType, into: object, value: object) -> None:
    with pytest.raises(errors.MismatchError, match="the types of the elements differ"):
        fill(codec, into, value)


def test_the_error_names_both_types(codec: ModuleType) -> None:
    with pytest.raises(errors.MismatchError, match=r"datetime64\[s\] elements .* into float64 elements"):
        fill(codec, np.zeros(3), np.zeros(3, "M8[s]"))
    with pytest.raises(errors.MismatchError, match=r"float16 elements .* into uint8 elements"):
        fill(codec, bytearray(3), np.zeros(3, "f2"))


@pytest.mark.parametrize("into", [np.zeros(3, np.longlong), np.zeros(3, "l"), array("q", [0] * 3), array("l", [0] * 3)])
def test_long_long_takes_long(codec: ModuleType, into: Any) -> None:
    assert list(fill(codec, into, np.arange(3))) == [0, 1, 2]
    assert list(fill(codec, into, np.arange(3, 6, dtype=np.longlong))) == [3, 4, 5]


@pytest.mark.parametrize("size", [6, 6000])
def test_bytes_fit_any_type_of_one_byte(codec: ModuleType, size: int) -> None:
    data = bytes(range(6)) * (size // 6)
    for value in (data, bytearray(data), memoryview(data)):
        for into in (np.zeros(size, "i1"), np.zeros((2, size // 2), "u1"), np.zeros(size, "S1"), np.zeros(size, "?")):
            assert fill(codec, into, value).tobytes() == data
        for memory in (bytearray(size), memoryview(bytearray(size)), array("b", bytes(size))):
            assert bytes(memoryview(fill(codec, memory, value))) == data


def test_buffers_of_all_kinds(codec: ModuleType) -> None:
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


def test_targets_are_let_go(codec: ModuleType) -> None:
    three = np.arange(3.0)
    targets = [three.copy(), np.zeros(3, "M8[s]"), bytearray(3), memoryview(np.zeros(3, "i4,f4")), np.ones((2, 3)).T]
    watched = [three.dtype, targets[1].dtype, *targets]

    def once() -> None:
        for into in targets:
            for value in (three, np.zeros(3, "M8[s]"), b"abc", three.repeat(30), "no array"):
                with contextlib.suppress(errors.Error, LookupError):
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
def test_tensors(codec: ModuleType) -> None:
    into = Tensor(np.zeros(3))
    fill(codec, into, np.arange(3.0))
    assert into.array.tolist() == [0, 1, 2]
    fill(codec, into, array("d", [3, 4]))
    assert into.array.tolist() == [3, 4, 2]
    with pytest.raises(errors.MismatchError, match="for reading only"):
        fill(codec, OldTensor(np.zeros(3)), np.arange(3.0))
    with pytest.raises(errors.MismatchError, match="copy it to the CPU first"):
        fill(codec, GpuTensor(np.zeros(3)), np.arange(3.0))


def read_only() -> NDArray[Any]:
    values = np.zeros(3)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(
    ("into", "why"),
    [
        (read_only(), "read-only"),
        (b"abc", "no memory that can be written"),
        (memoryview(b"abc"), "no memory that can be written"),
        (np.zeros(3, "O"), "objects"),
        (np.zeros(3, "T"), "objects"),
        (np.zeros(3, [("o", "O")]), "objects"),
        ([1, 2], "neither an array"),
        (5, "neither an array"),
        (np.float64(1), "no memory that can be written"),
    ],
    ids=lambda value: str(getattr(value, "dtype", type(value).__name__)),
)
def test_memory_that_cannot_be_received_into(codec: ModuleType, into: object, why: str) -> None:
    with pytest.raises(errors.MismatchError, match=f"{type(into).__name__} cannot be received into: .*{why}"):
        fill(codec, into, b"abc")


@pytest.mark.parametrize("value", [1, "text", [np.zeros(3)], None, np.zeros(3, "O")], ids=str)
def test_objects_are_no_elements(codec: ModuleType, value: object) -> None:
    with pytest.raises(LookupError, match="no array"):
        fill(codec, np.zeros(3), value)


@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=str)
def test_nothing_into_nothing(codec: ModuleType, dtype: Any) -> None:
    fill(codec, np.zeros((0, 3), dtype), np.zeros((0, 3), dtype))
    fill(codec, np.zeros(0, dtype), np.zeros((0, 3), dtype, order="F"))
    untouched = np.zeros(2, dtype)
    assert fill(codec, untouched, np.zeros(0, dtype)).tobytes() == np.zeros(2, dtype).tobytes()


def test_damaged_heads_are_errors(codec: ModuleType) -> None:
    for value in (np.arange(6.0).reshape(2, 3), np.zeros(3, "M8[s]"), b"abc", bytearray(3), Tensor(np.zeros(3))):
        stream, parts = codec.encode(value)
        for end in range(1, len(stream)):
            with pytest.raises(errors.Error, match="damaged"):
                codec.fill(np.zeros(6), stream[:end], parts)
