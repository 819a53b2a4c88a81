"""Calls that all ranks make together."""

from __future__ import annotations

from typing import Any

import numpy as np

from polympi.compat.pypar.buffers import TEXT, array_given, array_of, as_bytes, filled, flat
from polympi.compat.pypar.constants import operation
from polympi.compat.pypar.start import comm

_bcast, _scatter, _gather, _reduce = comm.bcast, comm.scatter, comm.gather, comm.reduce  # looked up once
_rank, _size = comm.rank, comm.size
_ndarray = np.ndarray

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.compat.pypar.buffers import Array


def broadcast(buffer: Any, root: int = 0, vanilla: bool = False, bypass: bool = False) -> Any:
    """Give what the root has to all ranks.

    An array is filled, and returned; so is a bytearray, which gets the length of what comes. With any other buffer, or
    with vanilla, the object of the root is returned.

    Returns:
        The buffer, or the object; None with bypass.
    """
    if bypass:
        array_given(buffer, "broadcast")
    if _rank == root:
        _bcast(buffer, root)
    elif type(buffer) is _ndarray and buffer.ndim == 1 and not vanilla:
        _bcast(None, root, into=buffer)
    elif isinstance(buffer, np.ndarray) and not vanilla:
        comm.bcast(None, root, into=flat(buffer))
    else:
        got: Any = comm.bcast(None, root)
        if not isinstance(buffer, bytearray) or not isinstance(got, TEXT):
            return got
        buffer[:] = as_bytes(got)
    return None if bypass else buffer


def scatter(x: Any, root: int = 0, buffer: Any = None, vanilla: bool = False) -> Any:
    """Give each rank its part of an array, along the first axis, or of a text; what does not divide is left out.

    Args:
        x: needed at the root. Other ranks give something of the same kind, or None.
        root: the rank that has it.
        buffer: for the part.
        vanilla: refused, as for all but arrays and texts.

    Raises:
        TypeError: it is neither an array nor a text.
    """
    if type(x) is _ndarray and not vanilla and x.ndim and (buffer is None or type(buffer) is _ndarray):
        each = len(x) // _size  # polympi divides an array along its first axis, into equal pieces if it can
        even = x if each * _size == len(x) else x[: each * _size]
        if buffer is None:
            return _scatter(even if _rank == root else None, root)
        _scatter(even if _rank == root else None, root, into=buffer if buffer.ndim == 1 else flat(buffer))
        return buffer
    if vanilla or not isinstance(x, (np.ndarray, *TEXT, type(None))) or (x is None and comm.rank == root):
        _refuse("scatter", x)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        raise TypeError(f"scatter() on rank {comm.rank}: a number cannot be divided: give an array with an axis")
    pieces = None
    if comm.rank == root:
        each = len(x) // comm.size
        pieces = [x[place * each : (place + 1) * each] for place in range(comm.size)]
    if isinstance(buffer, np.ndarray):
        comm.scatter(pieces, root, into=flat(buffer))
        return buffer
    return filled(buffer, comm.scatter(pieces, root), "scatter")


def gather(x: Any, root: int = 0, buffer: Any = None, vanilla: bool = False) -> Any:
    """Give the root the arrays of all ranks, one after another along the first axis, or their texts as one.

    Returns:
        The buffer. If none is given, the result at the root; zeros, or blanks, on other ranks.

    Raises:
        TypeError: it is neither an array nor a text.
    """
    if type(x) is _ndarray is type(buffer) and not vanilla:
        _gather(x, root, into=buffer if buffer.ndim == 1 else flat(buffer))
        return buffer
    if vanilla or not isinstance(x, (np.ndarray, *TEXT)):
        _refuse("gather", x)
    if isinstance(x, np.ndarray):
        if buffer is None:
            shape = (comm.size * len(x), *x.shape[1:]) if x.ndim else (comm.size,)
            buffer = np.zeros(shape, x.dtype)
        comm.gather(x, root, into=flat(array_given(buffer, "gather")))
        return buffer
    pieces = comm.gather(x, root)
    if pieces is None:
        return _blanks(x) if buffer is None else buffer
    whole = type(x)().join(pieces)
    return whole if buffer is None else filled(buffer, whole, "gather")


def reduce(  # noqa: PLR0917  (the order of Pypar's arguments)
    x: Any, op: int, root: int = 0, buffer: Any = None, vanilla: bool = False, bypass: bool = False
) -> Array | None:
    """Give the root the combination of the arrays of all ranks, element by element.

    Args:
        x: an array, with as many elements on all ranks.
        op: SUM, MAX or another of the constants.
        root: the rank that gets the result.
        buffer: for the result; an array of the same type and size. It is not changed on other ranks.
        vanilla: refused, as for all but arrays.
        bypass: take any sequence of numbers; the buffer is needed, and None is returned.

    Returns:
        The buffer. If none is given, the result at the root, and zeros on other ranks.

    Raises:
        TypeError: it is no array.
        AssertionError: x and buffer have different types.
        RuntimeError: they have different numbers of elements.
    """
    # As below, where nothing is to be made or refused.
    if (
        type(x) is _ndarray is type(buffer)
        and x.dtype is buffer.dtype
        and x.ndim == buffer.ndim == 1
        and len(x) == len(buffer)
        and not (vanilla or bypass)
    ):
        _reduce(x, operation(op), root, into=buffer)
        return buffer
    if bypass:
        x = array_of(x, "reduce")
        array_given(buffer, "reduce")
    if vanilla or not isinstance(x, np.ndarray):
        _refuse("reduce", x)
    if buffer is None:
        buffer = np.zeros_like(x)
    elif x.dtype.char != array_given(buffer, "reduce").dtype.char:
        raise AssertionError(
            f"Data array and buffer must have same type: on rank {comm.rank} they have {x.dtype} and {buffer.dtype}."
        )
    elif x.size != buffer.size:
        raise RuntimeError(
            f"Input array and buffer must have same length: on rank {comm.rank} they have {x.size} and {buffer.size}."
        )
    row = x if x.ndim == 1 else x.ravel()  # shapes may differ from rank to rank
    comm.reduce(row, operation(op), root, into=flat(buffer))
    return None if bypass else buffer


def _blanks(text: str | bytes | bytearray) -> str | bytes | bytearray:
    count = len(text) * comm.size
    return " " * count if isinstance(text, str) else type(text)(b" " * count)


def _refuse(call: str, x: object) -> None:
    kinds = "numpy arrays" if call == "reduce" else "numpy arrays and strings"
    raise TypeError(
        f"{call.capitalize()} is only supported for {kinds}, not for a {type(x).__name__} (rank {comm.rank}): use "
        f"polympi.world.{call}, which takes any object."
    )
