"""Arrays that are distributed among ranks, in NumPy's file format, written and read by all ranks at once."""

from __future__ import annotations

import struct

import numpy as np

from polympi.block import Block, block_of
from polympi.cartesian import Cartesian
from polympi.errors import MismatchError
from polympi.file_pieces import NOTHING, c_strides
from polympi.global_array import metadata_of, whole_of_blocks
from polympi.startup import init
from polympi.topology import exchanged, mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any, Literal

    from numpy.typing import NDArray

    from polympi.communicator import Communicator
    from polympi.file import File

    Order = Literal["C", "F"]

ALIGNMENT = 64  # of the first element in the file, as numpy.save has it


def save_npy(
    path: str | os.PathLike[str],
    array: NDArray[Any],
    comm: Communicator | None = None,
    *,
    order: Order = "C",
) -> None:
    """Write an array that is distributed among ranks to a file that ``numpy.load`` reads. All ranks call it.

    An existing file is overwritten once the ranks have agreed on what they write. The head of the file is written last,
    so that a file whose writing has failed isn't taken for an array.

    Args:
        path: of a file that all ranks reach.
        array: this rank's part, of any dtype without objects. On a mesh (:meth:`~polympi.Communicator.cart`), its block
            as :meth:`Cartesian.block` divides the array, without ghost layers; on another communicator, its rows: any
            number of them, which follow those of the ranks before.
        comm: the communicator; None: :data:`polympi.world`.
        order: of the elements in the file: ``C``, or Fortran's.

    Raises:
        MismatchError: the parts don't fit together, differ in dtype, or have objects; on all ranks.
        FileError: the file can't be written; on all ranks.
        ValueError: there is no such order.
        Timeout: not all ranks called it within POLYMPI_TIMEOUT.
    """
    comm = init() if comm is None else comm
    shape, start, dtype = _agreed_part(comm, array, order)
    head = header(shape, dtype, order)
    strides = strides_in_file(shape, dtype.itemsize, order)
    offset = len(head) + _distance(start, strides)
    with comm.open(path, "w") as file:
        file._move_together("save_npy", offset, array, strides)
        file._move_together("save_npy", 0, head if comm.rank == 0 else b"", None)


def load_npy(path: str | os.PathLike[str], comm: Communicator | None = None, *, whole: bool = False) -> NDArray[Any]:
    """Read this rank's part of an array from a file of NumPy's format. All ranks call it.

    Args:
        path: of the file. All ranks must reach it, or a copy of it.
        comm: whose ranks share the array: on a mesh, each gets its block as :meth:`Cartesian.block` divides the array;
            on another communicator, its rows as ``numpy.array_split`` divides them. None: :data:`polympi.world`.
        whole: give all ranks the whole array.

    Returns:
        The part, in the order (C or Fortran's) that the file has.

    Raises:
        FileError: the file isn't there, isn't of this format, or is too short; on all ranks.
        ValueError: the array has fewer axes than the mesh, or objects, which only ``numpy.load`` reads.
        Timeout: not all ranks called it within POLYMPI_TIMEOUT.
    """
    comm = init() if comm is None else comm
    with comm.open(path) as file:
        shape, dtype, order, offset = file._from_first("load_npy", lambda: _read_header(file))
        part, error = Block((), ()), None
        into: NDArray[Any] = NOTHING.array
        try:
            part = Block((0,) * len(shape), shape) if whole else _part(comm, shape)
            into = np.empty(part.shape, dtype=dtype, order=order)
        except (ValueError, MemoryError) as raised:
            error = raised
        file._agree("load_npy", error)
        strides = strides_in_file(shape, dtype.itemsize, order)
        file._move_together("load_npy", offset + _distance(part.start, strides), into, strides)
    return into


def header(shape: tuple[int, ...], dtype: np.dtype[Any], order: str) -> bytes:
    """How such a file begins, as numpy.lib.format describes it: 1.0, or 3.0 where that is too narrow."""
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": order == "F", "shape": shape}
    text = f"{described!r}"
    wide = not text.isascii() or len(text) > 65000
    begin = np.lib.format.magic(3 if wide else 1, 0)
    room = len(begin) + (4 if wide else 2)
    body = text.encode() + b" " * (-(room + len(text.encode()) + 1) % ALIGNMENT) + b"\n"
    return begin + struct.pack("<I" if wide else "<H", len(body)) + body


def strides_in_file(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    """How many bytes apart neighbours of the whole array are in the file."""
    return c_strides(shape, itemsize) if order == "C" else c_strides(shape[::-1], itemsize)[::-1]


def _distance(start: tuple[int, ...], strides: tuple[int, ...]) -> int:
    return sum(first * stride for first, stride in zip(start, strides, strict=True))


def _agreed_part(
    comm: Communicator, array: object, order: str
) -> tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any]]:
    """Shape of the whole array, where this rank's part begins in it, and the dtype."""
    orders = exchanged(comm, "save_npy", lambda: _checked(order))
    if len(set(orders)) > 1:
        raise mismatch(comm, "save_npy", f"ranks give different orders: {', '.join(map(repr, orders))}")
    if isinstance(comm, Cartesian):
        shape, kind = whole_of_blocks(comm, "save_npy", array)
        return shape, comm.block(shape).start, np.dtype(kind)
    parts = exchanged(comm, "save_npy", lambda: _rows(array))
    (first, kind), rows = parts[0], [shape[0] for shape, _ in parts]
    for rank, (shape, other) in enumerate(parts):
        if (shape[1:], other) != (first[1:], kind):
            said = f"rank {rank} has rows of shape {shape[1:]} and {other}, but rank 0 {first[1:]} and {kind}"
            raise mismatch(comm, "save_npy", said)
    start = (sum(rows[: comm.rank]), *(0 for _ in first[1:]))
    return (sum(rows), *first[1:]), start, np.dtype(kind)


def _checked(order: str) -> str:
    if order not in ("C", "F"):
        raise ValueError(f"save_npy(): order is {order!r}, but must be 'C' or 'F'")
    return order


def _rows(array: object) -> tuple[tuple[int, ...], Any]:
    found = metadata_of(array, "array")
    if isinstance(found, str):
        raise MismatchError(f"save_npy(): {found}")
    if not found[0]:
        raise MismatchError("save_npy(): the array has no axis, and so no rows")
    return found


def _part(comm: Communicator, shape: tuple[int, ...]) -> Block:
    return comm.block(shape) if isinstance(comm, Cartesian) else block_of(shape, (comm.size,), (comm.rank,))


def _read_header(file: File) -> tuple[tuple[int, ...], np.dtype[Any], Order, int]:
    """Shape, dtype and order of the array in a file, and where its elements begin."""
    try:
        found = np.lib.format.open_memmap(file.path, mode="r")
    except ValueError as error:
        raise file._error("load_npy", f"it isn't a whole file of one array without objects ({error})") from None
    order: Order = "C" if found.flags.c_contiguous else "F"
    return found.shape, found.dtype, order, found.offset
