"""Which memory messages go into, and how many elements have arrived."""

from __future__ import annotations

from typing import Any

import numpy as np

from polympi.compat.scientific.MPI.errors import ArgumentError, MPIError

Array = np.ndarray[Any, Any]
Received = tuple[Array, int, int, int]  # array, source, tag, count
TEXT = (str, bytes)

# How many elements of MPI an element counts as: a complex number was sent as two. Types that are not here may meet
# strings (of one byte), or are rare: their messages are received first and then put into the array.
ELEMENTS = dict.fromkeys("hHiIlLqQfd", 1) | dict.fromkeys("FD", 2)


def direct(array: Array) -> tuple[Array, int] | None:
    """The elements of an array as one axis, into which a message can be received; and what an element counts as.

    None if that cannot be: its elements are not side by side, or a string may come.
    """
    each = ELEMENTS.get(array.dtype.char)
    if each is None or (array.ndim != 1 and not array.flags.c_contiguous):
        return None
    return (array if array.ndim == 1 else array.reshape(-1)), each


def sendable(data: object, call: str, rank: int) -> Array | str | bytes:
    """What is sent: an array or a string.

    Raises:
        MPIError: it is something else.
    """
    if isinstance(data, np.ndarray) and not data.dtype.hasobject:
        return np.asarray(data)
    if isinstance(data, TEXT):
        return data
    what = "an array of objects" if isinstance(data, np.ndarray) else f"a {type(data).__name__}"
    raise MPIError(
        f"rank {rank}, {call}(): can send only array or string, not {what}: make an array of it by N.array, or a "
        "string by pickle.dumps"
    )


def receivable(data: object, call: str, rank: int) -> Array:
    """An array that can be received into.

    Raises:
        ArgumentError: it is none, or has no elements of a fixed size, or must not be written to.
    """
    if not isinstance(data, np.ndarray) or data.dtype.hasobject:
        kind = "an array of objects" if isinstance(data, np.ndarray) else f"a {type(data).__name__}"
        raise ArgumentError(f"rank {rank}, {call}(): an array of numbers is needed, not {kind}")
    if not data.flags.writeable:
        raise ArgumentError(f"rank {rank}, {call}(): the array is read-only: give a copy of it")
    return data


def typed(data: str, call: str, rank: int) -> np.dtype[Any]:
    """The type of a type code, of which the first letter counts.

    Raises:
        ArgumentError: there is no such type of a fixed size.
    """
    try:
        dtype = np.dtype(data[:1])
    except TypeError:
        dtype = np.dtype(object)
    if dtype.hasobject or not dtype.itemsize or not data:
        raise ArgumentError(f"rank {rank}, {call}(): {data!r} isn't a type code: give one like 'd' or 'l', or an array")
    return dtype


def put(data: Array | np.dtype[Any], got: object, call: str, rank: int) -> tuple[Array, int]:
    """The array with what came, or a new one with one axis; and how many elements of MPI came.

    Raises:
        MPIError: what came does not fit; it is lost then.
    """
    dtype = data.dtype if isinstance(data, np.ndarray) else data
    came = _array_of(got, dtype)
    if came is None:
        what = f"an array of {got.dtype}" if isinstance(got, np.ndarray) else "a string"
        instead = "with an array or a type code of that type" if isinstance(got, np.ndarray) else "by receiveString"
        raise MPIError(f"rank {rank}, {call}(): {what} came for one of {dtype}: receive it {instead}")
    count = came.size * ELEMENTS.get(dtype.char, 2 if dtype.kind == "c" else 1)
    if not isinstance(data, np.ndarray):
        return came, count
    if came.size > data.size:
        raise MPIError(
            f"rank {rank}, {call}(): {came.size} elements came for an array of {data.size}: give a larger one, or the "
            "type code, for which as many are received as come"
        )
    data.flat[: came.size] = came
    return data, count


def _array_of(got: object, dtype: np.dtype[Any]) -> Array | None:
    """What came, as an array of a type with one axis; None if it is of another one. All of one byte fit together."""
    if isinstance(got, TEXT):
        raw = got.encode("utf-8", "surrogateescape") if isinstance(got, str) else got
        return np.frombuffer(bytearray(raw), dtype) if _is_byte(dtype) else None
    if isinstance(got, np.ndarray):
        if got.dtype == dtype:
            return got.reshape(-1)
        if _is_byte(dtype) and _is_byte(got.dtype):
            return got.reshape(-1).view(dtype)
    return None


def string_of(got: object, rank: int) -> str | bytes:
    """What came, as a string: one as it was sent, and an array of bytes as text.

    Raises:
        MPIError: an array of something else came; it is lost then.
    """
    if isinstance(got, TEXT):
        return got
    if isinstance(got, np.ndarray) and _is_byte(got.dtype):
        return got.tobytes().decode("utf-8", "surrogateescape")
    what = got.dtype if isinstance(got, np.ndarray) else type(got).__name__
    raise MPIError(f"rank {rank}, receiveString(): an array of {what} came: receive it by receive")


def _is_byte(dtype: np.dtype[Any]) -> bool:
    return dtype.itemsize == 1 and dtype.kind in "Sbiu"
