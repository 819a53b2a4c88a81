"""Memory that messages go into: arrays, and text that keeps its end where less has arrived."""

from __future__ import annotations

from typing import Any

import numpy as np

import polympi as mpi
from polympi.compat.pypar.start import comm

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]
    Text = str | bytes | bytearray

TEXT = (str, bytes, bytearray)


def array_of(x: object, call: str) -> Array:
    """A sequence as an array; an array as it is.

    Raises:
        TypeError: it is a text or an object, from which numbers cannot be made.
    """
    found = x if isinstance(x, np.ndarray) else np.asarray(x)
    if found.dtype.kind in "OSU":
        raise TypeError(f"{call}() on rank {comm.rank} takes arrays of numbers, not a {type(x).__name__}")
    return found


def array_given(buffer: object, call: str) -> Array:
    """A buffer, which must be an array.

    Raises:
        TypeError: it is none, so that nothing could be written to it.
    """
    if not isinstance(buffer, np.ndarray):
        raise TypeError(f"{call}() on rank {comm.rank} needs an array as its buffer, not {_described(buffer)}")
    return buffer


def flat(array: Array) -> Array:
    """The elements of an array as one axis, so that fewer may come; the array itself, if they are not side by side."""
    return array if array.ndim == 1 or not array.flags.c_contiguous else array.reshape(-1)


def filled(buffer: Any, got: Any, call: str) -> Any:
    """What a call with a buffer that isn't an array returns, after a value has arrived.

    A text keeps the length of the buffer: what came, and the end of the buffer. A bytearray is filled in place.
    """
    return with_end_of(buffer, got, call) if isinstance(buffer, TEXT) and isinstance(got, TEXT) else got


def with_end_of(buffer: Any, got: Text, call: str) -> Any:
    """A text of the kind of the buffer, and then the end of the buffer.

    Raises:
        TruncationError: it is longer than the buffer.
    """
    text: Any = got if type(got) is type(buffer) else _converted(got, type(buffer))
    if len(text) > len(buffer):
        raise mpi.TruncationError(
            f"rank {comm.rank}, {call}(): a text of {len(text)} characters came for a buffer of {len(buffer)}: give a "
            "longer buffer, or none",
            operation=call,
            rank=comm.rank,
        )
    if isinstance(buffer, bytearray):
        buffer[: len(text)] = text
        return buffer
    return text + buffer[len(text) :]


def _converted(text: Text, kind: type) -> object:
    if kind is str:
        return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    return kind(as_bytes(text))


def as_bytes(text: Text) -> bytes:
    """A text as the bytes that it was in Python 2."""
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)


def _described(buffer: object) -> str:
    return "None" if buffer is None else f"a {type(buffer).__name__}"
