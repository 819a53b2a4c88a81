"""Arrays of all types and layouts."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = "?bBhHiIlLqQefdgFDG"
INNER = np.dtype([("x", "f4"), ("y", "S3")])
STRUCTURE = np.dtype([("a", "i4"), ("b", "f8", (2, 3)), ("c", "S3"), ("t", "M8[s]")])
DESCRIBED = [
    *(">i4", ">f8", ">c16", "M8[s]", "M8[ms]", "m8[3D]", ">M8[ms]", "S5", "U3", ">U3", "V7"),
    *(
        STRUCTURE,
        np.dtype("i1,f8", align=True),
        np.dtype({"names": ["x"], "formats": ["f4"], "offsets": [8], "itemsize": 16}),
        np.dtype([("inner", INNER), ("pair", INNER, (2, 2)), ("n", ">i2")]),
        np.dtype([(("title", "x"), "f4"), (("another", "y"), INNER)]),
        np.dtype((np.record, [("x", "f4"), ("r", np.dtype((np.record, [("y", "U2"), ("z", "V3")])))])),
        np.dtype("f8", metadata={"unit": "m"}),
        np.dtype(np.dtype([("x", np.dtype("i4", metadata={"unit": ["s"]}))]), metadata={1: (2, None)}),
        np.dtype([(f"field_{n}", "i2") for n in range(300)]),
        np.dtype([("inner", np.dtype("u1,f8,c16", align=True)), ("n", "i1")], align=True),
        np.dtype({"names": ["later", "first"], "formats": ["i4", "M8[3D]"], "offsets": [8, 0], "itemsize": 24}),
    ),
]
PICKLED = ["O", "T", [("o", "O")], [("inner", [("o", "O")])], []]


def filled(dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of many values; of objects, booleans and text, few."""
    count = math.prod(shape)
    if dtype.hasobject or dtype.char in "?UT":
        few = [(n % 2,) if dtype.names else n % 2 for n in range(count)]
        return np.array(few, dtype).reshape(shape)
    some_bytes = np.random.default_rng(1).integers(1, 64, count * dtype.itemsize, "u1")
    return some_bytes.view(dtype).reshape(shape) if dtype.itemsize else np.zeros(shape, dtype)


def content(array: NDArray[Any]) -> object:
    """The elements in C order; of structures without the bytes between their fields, which copies need not keep."""
    array = np.asarray(array)
    if array.dtype.names:
        return [content(array[name]) for name in array.dtype.names]
    return array.tobytes() if array.itemsize else b""  # of elements without bytes there may be more than one can count


def short(dtype: object) -> str:
    """A name of a dtype for a test."""
    return str(dtype)[:60]


def dtype_key(dtype: np.dtype[Any]) -> object:
    """All that a dtype says, also what makes no difference to its being equal."""
    if dtype.subdtype:
        return (dtype.shape, dtype_key(dtype.base))
    about = (dtype.type, dtype.char, dtype.byteorder, dtype.itemsize, dtype.isalignedstruct, dict(dtype.metadata or {}))
    fields = dtype.fields or {}
    return (*about, dtype.names, {name: (dtype_key(field), *rest) for name, (field, *rest) in fields.items()})


def layouts(array: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The arrays in all layouts of a three-dimensional one."""
    read_only = array.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
    return {
        "C": array,
        "Fortran": np.asfortranarray(array),
        "transposed": array.transpose(1, 0, 2),
        "reversed": array[::-1],
        "all reversed": array[::-1, ::-1, ::-1],
        "columns": array[..., ::2],
        "face": array[:, 0],
        "broadcast": np.broadcast_to(array, (2, *array.shape)),
        "no axis": array[0, 0, 0, ...],
        "empty": array[:0],
        "one axis": array.reshape(-1),
        "read-only": read_only,
        "unaligned": unaligned,
        "length 1": array[:1, :1],
    }
