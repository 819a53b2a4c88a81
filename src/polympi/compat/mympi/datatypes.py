"""Datatypes: numbers that stand for types of NumPy, and arrays of these types."""

from __future__ import annotations

from typing import Any

import numpy as np

from polympi.compat.mympi import errors
from polympi.compat.mympi.errors import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    Array = np.ndarray[Any, Any]

(
    MPI_CHAR,
    MPI_BYTE,
    MPI_SHORT,
    MPI_INT,
    MPI_LONG,
    MPI_LONG_LONG_INT,
    MPI_UNSIGNED_CHAR,
    MPI_UNSIGNED_SHORT,
    MPI_UNSIGNED,
    MPI_UNSIGNED_LONG,
    MPI_FLOAT,
    MPI_DOUBLE,
    MPI_LONG_DOUBLE,
    MPI_FLOAT_INT,
    MPI_DOUBLE_INT,
    MPI_LONG_DOUBLE_INT,
    MPI_LONG_INT,
    MPI_SHORT_INT,
    MPI_2INT,
    MPI_PACKED,
    MPI_UB,
    MPI_LB,
) = range(1001, 1023)

_NAMES = {number: name for name, number in globals().items() if name.startswith("MPI_")}


def _pair(value: str) -> np.dtype[Any]:
    """A value and its place, as structures of C lie in memory."""
    return np.dtype([("value", value), ("place", "i")], align=True)


DTYPES: dict[int, np.dtype[Any]] = {
    MPI_CHAR: np.dtype("S1"),
    MPI_BYTE: np.dtype("B"),
    MPI_SHORT: np.dtype("h"),
    MPI_INT: np.dtype("i"),
    MPI_LONG: np.dtype("l"),
    MPI_LONG_LONG_INT: np.dtype("q"),
    MPI_UNSIGNED_CHAR: np.dtype("B"),
    MPI_UNSIGNED_SHORT: np.dtype("H"),
    MPI_UNSIGNED: np.dtype("I"),
    MPI_UNSIGNED_LONG: np.dtype("L"),
    MPI_FLOAT: np.dtype("f"),
    MPI_DOUBLE: np.dtype("d"),
    MPI_LONG_DOUBLE: np.dtype("g"),
    MPI_FLOAT_INT: _pair("f"),
    MPI_DOUBLE_INT: _pair("d"),
    MPI_LONG_DOUBLE_INT: _pair("g"),
    MPI_LONG_INT: _pair("l"),
    MPI_SHORT_INT: _pair("h"),
    MPI_2INT: _pair("i"),
}
_CHARACTERS = np.dtype("S1"), np.dtype("U1")


def dtype_of(datatype: int, call: str) -> np.dtype[Any]:
    """The type of NumPy that a datatype stands for.

    Raises:
        error: there is no such datatype, or none that arrays can have.
    """
    try:
        return DTYPES[datatype]
    except (KeyError, TypeError):
        name = _NAMES.get(datatype) if isinstance(datatype, int) else None
        wrong = f"the datatype {name} has no elements" if name else f"there is no datatype {datatype!r}"
        refuse(call, f"{wrong}: give one like MPI_INT or MPI_DOUBLE", errors.TYPE)


def elements(x: object, datatype: int, call: str) -> Array:
    """A number, a sequence or an array, cast to a datatype, as one row in C order.

    Texts are rows of characters: those of a str are ``U1`` elements, those of bytes ``S1``.
    """
    dtype = dtype_of(datatype, call)
    if datatype == MPI_CHAR:
        return _characters(x)
    array = _pairs(x, dtype) if dtype.names else np.asarray(x, dtype)
    return array if array.ndim == 1 else array.reshape(-1)


def _characters(x: Any) -> Array:
    if isinstance(x, str):  # an array of one text would lose zeros at its end
        return np.array(list(x), "U1")
    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, "S1")
    array = np.ascontiguousarray(x)
    if array.dtype.kind not in "SU":
        return array.astype("B").reshape(-1).view("S1")  # codes of characters
    return array.reshape(-1).view(f"{array.dtype.kind}1")


def _pairs(x: Any, dtype: np.dtype[Any]) -> Array:
    if isinstance(x, np.ndarray) and x.dtype.names:
        return np.asarray(x, dtype)
    rows: Any = [x] if isinstance(x, (tuple, np.void)) else x
    return np.array([tuple(row) for row in rows], dtype)


def sent(x: Any, count: int, datatype: int, call: str) -> Array:
    """The first elements of what a rank gives, cast to a datatype; as it is if nothing is to be changed.

    Raises:
        error: it has fewer elements than count.
    """
    if type(x) is np.ndarray and x.ndim == 1 and x.size == count and x.dtype is dtype_of(datatype, call):
        return x
    row = elements(x, datatype, call)
    if row.size != count:
        if not 0 <= count <= row.size:
            refuse(call, f"the count is {count}, but the buffer has {row.size} elements", errors.COUNT)
        row = row[:count]
    return row


def received(got: Array, count: int, datatype: int, call: str) -> Array:
    """The received data, as a row of count elements of a datatype; where fewer came, zeros follow.

    Raises:
        error: more came, or elements of another type.
    """
    dtype = dtype_of(datatype, call)
    if got.dtype is not dtype and not _agree(got.dtype, dtype):
        came = " or ".join(_NAMES[number] for number, known in DTYPES.items() if _agree(got.dtype, known))
        refuse(
            call,
            f"elements of {came} came where {_NAMES[datatype]} was asked for: name the same datatype on both ranks",
            errors.TYPE,
        )
    if got.size == count:
        return got
    if got.size > count:
        _too_many(got.size, count, call)
    row = np.zeros(count, got.dtype)
    row[: got.size] = got
    return row


def _agree(one: np.dtype[Any], two: np.dtype[Any]) -> bool:
    return one == two or (one in _CHARACTERS and two in _CHARACTERS)


def _too_many(size: int, count: int, call: str) -> NoReturn:
    refuse(call, f"{size} elements came where {count} were asked for: give a larger count", errors.TRUNCATE)


def nothing(count: int, datatype: int, call: str) -> Array:
    """A row of zeros: what calls give where nothing comes."""
    return np.zeros(max(count, 0), dtype_of(datatype, call))


def count_of(size: int, came: np.dtype[Any], datatype: int, call: str) -> int | None:
    """How many elements of a datatype a number of elements of a type are; None if that isn't a whole number."""
    dtype = dtype_of(datatype, call)
    if _agree(came, dtype):
        return size
    number, rest = divmod(size * (1 if came in _CHARACTERS else came.itemsize), dtype.itemsize)
    return None if rest else number
