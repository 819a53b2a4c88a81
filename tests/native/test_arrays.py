"""NumPy's arrays and scalars, and arrays of other libraries."""

from __future__ import annotations

import gc
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensors
from array_samples import DESCRIBED, NUMBERS, PICKLED, content, filled, layouts, unhurried
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st
from numpy.typing import NDArray
from tensors import GpuTensor, OldTensor, PickledTensor, Tensor

from polympi import errors


@pytest.mark.parametrize("shape", [(2, 3, 4), (10, 20, 30)], ids=["small", "large"])
@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=str)
def test_arrays_of_every_type_and_layout(codec: ModuleType, dtype: Any, shape: tuple[int, ...]) -> None:
    for name, array in layouts(filled(np.dtype(dtype), shape)).items():
        received = codec.roundtrip(array)
        assert type(received) is np.ndarray, name
        assert received.dtype == array.dtype, name
        assert received.shape == array.shape, name
        assert content(received) == content(array), name
        assert received.flags.writeable, name
        assert received.flags.aligned, name
        assert received.flags.owndata, name
        assert received.flags.f_contiguous == array.flags.f_contiguous, name
        inside = codec.roundtrip({"x": [array]})["x"][0]
        assert content(inside) == content(array), name


@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=str)
def test_large_arrays_travel_beside_the_stream(codec: ModuleType, dtype: Any) -> None:
    array = filled(np.dtype(dtype), (300, 300))
    transposed = array.T
    for layout in (array, transposed, array[::2, ::3]):
        stream, parts = codec.encode(layout)
        assert len(stream) < 1000
        (part,) = parts
        sent = np.frombuffer(part, dtype).reshape(layout.shape, order="F" if layout is transposed else "C")
        assert content(sent) == content(layout)


@pytest.mark.parametrize("dtype", PICKLED, ids=str)
@pytest.mark.parametrize("count", [3, 5000])
def test_arrays_that_are_pickled(codec: ModuleType, dtype: Any, count: int) -> None:
    array = filled(np.dtype(dtype), (count,)) if dtype else np.zeros(count, np.dtype(dtype))
    received = codec.roundtrip(array)
    assert type(received) is np.ndarray
    assert (received.dtype, received.dtype.metadata) == (array.dtype, array.dtype.metadata)
    assert received.tolist() == array.tolist()
    assert type(received.flat[0]) is type(array.flat[0])


@unhurried
@given(array=np_st.arrays(np_st.array_dtypes() | np_st.scalar_dtypes(), np_st.array_shapes(min_dims=0, min_side=0)))
def test_arrays_of_generated_types(codec: ModuleType, array: NDArray[Any]) -> None:
    received = codec.roundtrip([array])[0]
    assert (received.dtype, received.shape) == (array.dtype, array.shape)
    assert received.tobytes() == array.tobytes()


@unhurried
@given(
    array=np_st.arrays("i2", np_st.array_shapes(max_dims=5, max_side=6), elements=st.integers(-99, 99)), data=st.data()
)
def test_generated_views(codec: ModuleType, array: NDArray[Any], data: st.DataObject) -> None:
    view = array.transpose(data.draw(st.permutations(range(array.ndim))))
    view = view[data.draw(np_st.basic_indices(view.shape, allow_newaxis=True))]
    received = codec.roundtrip(view)
    assert type(received) is type(view)
    assert np.array_equal(received, view)


@pytest.mark.parametrize(
    "array",
    [
        np.ma.masked_array([1, 2], [True, False]),
        np.rec.fromarrays([[1, 2], [3.0, 4.0]], names="a,b"),
        np.ones((1, 2)).view(np.matrix),
        np.ma.masked_array(np.zeros(9999), np.arange(9999) % 2),
    ],
    ids=lambda array: f"{type(array).__name__} {array.size}",
)
def test_arrays_of_other_classes_keep_them(codec: ModuleType, array: NDArray[Any]) -> None:
    received = codec.roundtrip(array)
    assert type(received) is type(array)
    assert repr(received) == repr(array)


def test_arrays_that_arrived_are_used_and_freed_like_others(codec: ModuleType) -> None:
    for size in (10, 10**4, 10**6):
        array = codec.roundtrip(np.zeros(size))
        array += 1
        view = array[1:]
        array = None
        gc.collect()
        assert (view == 1).all()
        alone = codec.roundtrip(np.zeros(size))
        alone.resize(2 * size)
        alone[size:] = 2
        assert alone.sum() == 2 * size


def test_long_long_is_long(codec: ModuleType) -> None:
    assert codec.roundtrip(np.zeros(2, np.longlong)).dtype.char == "l"


@pytest.mark.parametrize("code", NUMBERS)
def test_scalars_keep_their_type(codec: ModuleType, code: str) -> None:
    value = np.dtype(code).type(1)
    for received in (codec.roundtrip(value), codec.roundtrip({value: [value]})[value][0]):
        assert type(received) is type(value)
        assert received == value


@pytest.mark.parametrize("value", [np.str_("x"), np.bytes_(b"x"), np.datetime64("2020"), np.zeros(1, "i4,f4")[0]])
def test_other_scalars_are_pickled(codec: ModuleType, value: object) -> None:
    assert type(codec.roundtrip(value)) is type(value)
    assert codec.roundtrip(value) == value


def test_renamed_fields_arrive_renamed_and_stay_with_their_array(codec: ModuleType) -> None:
    array = np.zeros(3, [("a", "i4"), ("b", "f4")])
    first = codec.roundtrip(array)
    array.dtype.names = ("x", "y")
    second = codec.roundtrip(array)
    third = codec.roundtrip(array)
    second.dtype.names = ("u", "v")
    assert first.dtype.names == ("a", "b")
    assert third.dtype.names == ("x", "y")
    assert codec.roundtrip(np.zeros(3, [("a", "i4"), ("b", "f4")])).dtype.names == ("a", "b")


def test_more_dtypes_than_are_remembered(codec: ModuleType) -> None:
    for length in [*range(1, 30), *range(1, 30)]:
        array = np.full(3, "x" * length)
        assert codec.roundtrip(array).dtype == array.dtype


# ---- arrays of other libraries ----


@pytest.mark.parametrize("shape", [(2, 3), (200, 300)])
@pytest.mark.parametrize("kind", [Tensor, OldTensor])
def test_arrays_of_other_libraries_arrive_as_theirs(
    codec: ModuleType, kind: type[Tensor], shape: tuple[int, ...]
) -> None:
    tensor = kind(np.arange(np.prod(shape)).reshape(shape)[:, ::2])
    for received in (codec.roundtrip(tensor), codec.roundtrip([tensor])[0]):
        assert type(received) is Tensor
        assert np.array_equal(received.array, tensor.array)
        received.array[:] = 0


def test_one_array_twice_is_one_array(codec: ModuleType) -> None:
    tensor = Tensor(np.zeros(3))
    with pytest.raises(TypeError, match="cannot be pickled"):  # pickle alone keeps what is one object one object
        codec.roundtrip([tensor, tensor])


def test_an_array_namespace_names_the_library(codec: ModuleType, monkeypatch: Any) -> None:
    monkeypatch.setattr(Tensor, "__array_namespace__", lambda self: tensors, raising=False)
    monkeypatch.setattr(Tensor, "__module__", "elsewhere")
    assert type(codec.roundtrip(Tensor(np.zeros(3)))) is Tensor


def test_without_its_library_an_array_arrives_as_an_ndarray(codec: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    message = codec.encode(Tensor(np.arange(3)))
    monkeypatch.setitem(sys.modules, "tensors", None)
    assert np.array_equal(codec.decode(*message), np.arange(3))


def test_what_cannot_be_made_anew_arrives_as_an_ndarray(codec: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(tensors, "from_dlpack")
    received = codec.roundtrip(Tensor(np.arange(3)))
    assert type(received) is np.ndarray
    assert np.array_equal(received, np.arange(3))


def test_what_gives_no_dlpack_is_pickled(codec: ModuleType) -> None:
    received = codec.roundtrip(PickledTensor(np.arange(3)))
    assert type(received) is PickledTensor
    assert np.array_equal(received.array, np.arange(3))


@pytest.mark.parametrize("value", [GpuTensor(np.zeros(3)), [1, GpuTensor(np.zeros(3))]], ids=["alone", "inside"])
def test_arrays_on_a_gpu_are_refused(codec: ModuleType, value: object) -> None:
    with pytest.raises(errors.MismatchError, match=r"GpuTensor lies on CUDA .* copy it to the CPU first"):
        codec.roundtrip(value)


def test_a_list_that_shrinks_while_it_is_encoded(codec: ModuleType) -> None:
    class Shrinking(Tensor):
        def __dlpack__(self, **options: Any) -> Any:
            del items[1:]
            return super().__dlpack__(**options)

        def __reduce__(self) -> Any:
            return (int, ())

    Shrinking.__module__ = "tensors"
    items = [Shrinking(np.zeros(3)), [1], "x" * 10**5, {}]
    assert codec.roundtrip(items) == [0]
    mapping: dict[str, Any] = {}

    class Clearing(Shrinking):
        def __dlpack__(self, **options: Any) -> Any:
            mapping.clear()
            return super().__dlpack__(**options)

    Clearing.__module__ = "tensors"
    mapping.update(a=Clearing(np.zeros(3)), b=1)
    assert codec.roundtrip(mapping) == {}
