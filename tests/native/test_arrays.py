"""NumPy's arrays and scalars, and arrays of other libraries."""

import copyreg
import gc
import sys
from typing import Any

import numpy as np
import pytest
import tensors
from array_samples import DESCRIBED, INNER, NUMBERS, PICKLED, content, dtype_key, filled, layouts, short
from everything import Holder, Plain
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st
from numpy.typing import NDArray
from tensors import GpuTensor, OldTensor, PickledTensor, Tensor

from polympi import errors


@pytest.mark.parametrize("shape", [(2, 3, 4), (10, 20, 30)], ids=["small", "large"])
@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=short)
def test_arrays_of_every_type_and_layout(codec, dtype: Any, shape: tuple[int, ...]) -> None:
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
        assert dtype_key(received.dtype) == dtype_key(array.dtype), name
        inside = codec.roundtrip({"x": [array]})["x"][0]
        assert content(inside) == content(array), name


@pytest.mark.parametrize("dtype", [*NUMBERS, *DESCRIBED], ids=short)
def test_large_arrays_are_sent_apart_from_the_stream(codec, dtype: Any) -> None:
    array = filled(np.dtype(dtype), (300, 300))
    transposed = array.T
    for layout in (array, transposed, array[::2, ::3]):
        stream, parts = codec.encode(layout)
        assert len(stream) < 1000 + 40 * len(array.dtype.names or ())
        (part,) = parts
        sent = np.frombuffer(part, dtype).reshape(layout.shape, order="F" if layout is transposed else "C")
        assert content(sent) == content(layout)


@pytest.mark.parametrize("dtype", PICKLED, ids=short)
@pytest.mark.parametrize("count", [3, 5000])
def test_arrays_that_are_pickled(codec, dtype: Any, count: int) -> None:
    array = filled(np.dtype(dtype), (count,)) if dtype else np.zeros(count, np.dtype(dtype))
    received = codec.roundtrip(array)
    assert type(received) is np.ndarray
    assert (received.dtype, received.dtype.metadata or {}) == (array.dtype, array.dtype.metadata or {})
    assert received.tolist() == array.tolist()
    assert type(received.flat[0]) is type(array.flat[0])


@given(array=np_st.arrays(np_st.array_dtypes() | np_st.scalar_dtypes(), np_st.array_shapes(min_dims=0, min_side=0)))
def test_arrays_of_generated_types(codec, array: NDArray[Any]) -> None:
    received = codec.roundtrip([array])[0]
    assert (received.dtype, received.shape) == (array.dtype, array.shape)
    assert received.tobytes() == array.tobytes()


@given(
    array=np_st.arrays("i2", np_st.array_shapes(max_dims=5, max_side=6), elements=st.integers(-99, 99)), data=st.data()
)
def test_generated_views(codec, array: NDArray[Any], data: st.DataObject) -> None:
    view = array.transpose(data.draw(st.permutations(range(array.ndim))))
    view = view[data.draw(np_st.basic_indices(view.shape, allow_newaxis=True))]
    received = codec.roundtrip(view)
    assert type(received) is type(view)
    assert np.array_equal(received, view)


class Keen(np.ndarray[Any, Any]):
    """A class that looks at the elements of a new array, and pickles as it likes."""

    total = 0.0

    def __array_finalize__(self, other: Any) -> None:
        self.total = float(np.asarray(self).sum())

    def __reduce__(self) -> Any:
        return (keen, (self.view(np.ndarray),))


def keen(array: NDArray[Any]) -> Keen:
    return array.view(Keen)


@pytest.mark.parametrize("size", [4, 5000])
@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        ("f8", Plain),
        ("f8", np.matrix),
        ("f8", np.memmap),
        (np.dtype((np.record, [("x", "f4"), ("i", INNER)])), np.recarray),
        (">M8[s]", Plain),
    ],
    ids=str,
)
def test_arrays_of_classes_without_pickling_of_their_own_own_their_memory(
    codec, dtype: Any, kind: type, size: int
) -> None:
    array = filled(np.dtype(dtype), (2, size)).view(kind)
    read_only = array.copy()
    read_only.flags.writeable = False
    for layout in (array, array[:, ::2], np.asfortranarray(array).view(kind), read_only, array[:, :0]):
        inside = codec.roundtrip([layout, Holder(1), layout])
        for received in (codec.roundtrip(layout), inside[0]):
            assert type(received) is type(layout)
            assert dtype_key(received.dtype) == dtype_key(layout.dtype)
            assert (received.shape, received.flags.fnc) == (layout.shape, layout.flags.fnc)
            assert content(received) == content(layout)
            assert received.flags.writeable
            assert received.flags.owndata
        assert inside[2] is inside[0]


def test_arrays_of_classes_with_pickling_of_their_own_arrive_by_that(codec) -> None:
    received = codec.roundtrip(np.arange(4.0).view(Keen))
    assert type(received) is Keen
    assert received.total == 6


class Noted(np.ndarray[Any, Any]):
    """A class whose pickling is registered."""


def test_a_registered_pickling_is_obeyed(codec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(copyreg.dispatch_table, Noted, lambda array: (list, (array.tolist(),)))
    assert codec.roundtrip(np.arange(3).view(Noted)) == [0, 1, 2]


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
def test_arrays_of_other_classes_keep_them(codec, array: NDArray[Any]) -> None:
    received = codec.roundtrip(array)
    assert type(received) is type(array)
    assert repr(received) == repr(array)


def test_arrays_that_arrived_are_used_and_freed_like_others(codec) -> None:
    for size in (10, 10**4, 10**6):
        array = codec.roundtrip(np.zeros(size))
        array += 1
        view = array[1:]
        array = None
        gc.collect()
        assert (view == 1).all()
        alone = codec.roundtrip(np.zeros(size))
        alone.resize(2 * size, refcheck=sys.gettrace() is None)  # a traced call refers to it once more
        alone[size:] = 2
        assert alone.sum() == 2 * size


@pytest.mark.parametrize("code", NUMBERS)
def test_scalars_keep_their_type(codec, code: str) -> None:
    value = np.dtype(code).type(1)
    for received in (codec.roundtrip(value), codec.roundtrip({value: [value]})[value][0]):
        assert type(received) is type(value)
        assert received == value


@pytest.mark.parametrize("value", [np.str_("x"), np.bytes_(b"x"), np.datetime64("2020"), np.zeros(1, "i4,f4")[0]])
def test_other_scalars_are_pickled(codec, value: object) -> None:
    assert type(codec.roundtrip(value)) is type(value)
    assert codec.roundtrip(value) == value


def test_renamed_fields_arrive_renamed_and_stay_with_their_array(codec) -> None:
    array = np.zeros(3, [("a", "i4"), ("b", "f4")])
    first = codec.roundtrip(array)
    array.dtype.names = ("x", "y")
    second = codec.roundtrip(array)
    third = codec.roundtrip(array)
    second.dtype.names = ("u", "v")
    assert first.dtype.names == ("a", "b")
    assert third.dtype.names == ("x", "y")
    assert codec.roundtrip(np.zeros(3, [("a", "i4"), ("b", "f4")])).dtype.names == ("a", "b")


def test_renamed_fields_of_inner_structures_arrive_renamed(codec) -> None:
    array = np.zeros(3, [("inner", [("a", "i4"), ("b", "f4")], 2)])
    first = codec.roundtrip(array)
    array.dtype["inner"].base.names = ("x", "y")
    second, third = codec.roundtrip(array), codec.roundtrip(array)
    second.dtype["inner"].base.names = ("u", "v")
    assert first.dtype["inner"].base.names == ("a", "b")
    assert third.dtype["inner"].base.names == ("x", "y")
    assert codec.roundtrip(array).dtype["inner"].base.names == ("x", "y")


def test_metadata_that_change_arrive_changed_and_belong_to_their_array(codec) -> None:
    history = ["made"]
    array = np.zeros(3, np.dtype([("x", "f8")], metadata={"history": history}))
    first = codec.roundtrip(array)
    history.append("sent")
    second, third = codec.roundtrip(array), codec.roundtrip(array)
    second.dtype.metadata["history"].append("received")
    assert first.dtype.metadata == {"history": ["made"]}
    assert third.dtype.metadata == {"history": ["made", "sent"]}


class Cutting:
    """Cuts the array that it is metadata of while it is pickled."""

    def __init__(self) -> None:
        self.array: Any = None

    def __reduce__(self) -> Any:
        if self.array is not None and self.array.size > 1:
            self.array.resize(1, refcheck=False)
            self.array.dtype = "u1"
        return (int, ())


def test_an_array_that_is_cut_while_its_dtype_is_pickled(codec) -> None:
    cutting = Cutting()
    cutting.array = np.zeros(10**5, np.dtype("i1", metadata={"cutting": cutting}))
    assert codec.roundtrip(cutting.array).tolist() == [0]


def test_more_dtypes_than_are_remembered(codec) -> None:
    for length in [*range(1, 30), *range(1, 30)]:
        array = np.full(3, "x" * length)
        assert codec.roundtrip(array).dtype == array.dtype


# ---- arrays of other libraries ----


@pytest.mark.parametrize("shape", [(2, 3), (200, 300)])
@pytest.mark.parametrize("kind", [Tensor, OldTensor])
def test_arrays_of_other_libraries_arrive_as_theirs(codec, kind: type[Tensor], shape: tuple[int, ...]) -> None:
    tensor = kind(np.arange(np.prod(shape)).reshape(shape)[:, ::2])
    for received in (codec.roundtrip(tensor), codec.roundtrip([tensor])[0]):
        assert type(received) is Tensor
        assert np.array_equal(received.array, tensor.array)
        received.array[:] = 0


def test_one_array_twice_is_one_array(codec) -> None:
    tensor = Tensor(np.zeros(3))
    one, other = codec.roundtrip([tensor, tensor])
    assert one is other
    assert np.array_equal(one.array, tensor.array)


def test_an_array_namespace_names_the_library(codec, monkeypatch: Any) -> None:
    monkeypatch.setattr(Tensor, "__array_namespace__", lambda self: tensors, raising=False)
    monkeypatch.setattr(Tensor, "__module__", "elsewhere")
    assert type(codec.roundtrip(Tensor(np.zeros(3)))) is Tensor


def test_without_its_library_an_array_arrives_as_an_ndarray(codec, monkeypatch: pytest.MonkeyPatch) -> None:
    message = codec.encode(Tensor(np.arange(3)))
    monkeypatch.setitem(sys.modules, "tensors", None)
    assert np.array_equal(codec.decode(*message), np.arange(3))


@pytest.mark.parametrize("name", [b"\xff" * 7, b""])
def test_a_library_without_a_name_is_a_damaged_message(codec, name: bytes) -> None:
    stream, parts = codec.encode(Tensor(np.arange(3)))
    length = stream[1]
    assert stream[9 : 9 + length] == b"tensors"
    changed = stream[:1] + len(name).to_bytes(8, "little") + name + stream[9 + length :]
    with pytest.raises(errors.Error, match="damaged"):
        codec.decode(changed, parts)


def test_what_cannot_be_recreated_arrives_as_an_ndarray(codec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(tensors, "from_dlpack")
    received = codec.roundtrip(Tensor(np.arange(3)))
    assert type(received) is np.ndarray
    assert np.array_equal(received, np.arange(3))


def test_what_gives_no_dlpack_is_pickled(codec) -> None:
    received = codec.roundtrip(PickledTensor(np.arange(3)))
    assert type(received) is PickledTensor
    assert np.array_equal(received.array, np.arange(3))


@pytest.mark.parametrize(
    "value",
    [GpuTensor(np.zeros(3)), [1, GpuTensor(np.zeros(3))], [Holder(1), GpuTensor(np.zeros(3))]],
    ids=["alone", "inside", "with what is pickled"],
)
def test_arrays_on_a_gpu_are_refused_if_their_library_does_not_copy_them(codec, value: object) -> None:
    with pytest.raises(
        errors.MismatchError, match=r"GpuTensor lies on CUDA .* \(not on the CPU\); copy it to the CPU first"
    ):
        codec.roundtrip(value)


def test_a_list_that_shrinks_while_it_is_encoded(codec) -> None:
    class Shrinking(Tensor):
        def __dlpack__(self, **options: Any) -> Any:
            del items[1:]
            return super().__dlpack__(**options)

        def __reduce__(self) -> Any:
            return (int, ())

    Shrinking.__module__ = "tensors"
    items = [Shrinking(np.zeros(3)), [1], "x" * 10**5, {}]
    (only,) = codec.roundtrip(items)
    assert type(only) is Tensor
    mapping: dict[str, Any] = {}

    class Clearing(Shrinking):
        def __dlpack__(self, **options: Any) -> Any:
            mapping.clear()
            return super().__dlpack__(**options)

    Clearing.__module__ = "tensors"
    mapping.update(a=Clearing(np.zeros(3)), b=1)
    assert codec.roundtrip(mapping) == {}
