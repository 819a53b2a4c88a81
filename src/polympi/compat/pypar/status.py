"""What is known of a message that was received."""

from __future__ import annotations

from typing import Any

import numpy as np

from polympi.compat.pypar.buffers import TEXT, as_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import polympi as mpi


class Status:
    """Of a received message.

    Attributes:
        source: the rank that sent it.
        tag: its tag.
        error: 0; errors are exceptions.
        length: how many elements came: of an array its numbers, of which a complex one counts as two; of a text, or
            of the encoded form of any other object, bytes.
        size: bytes of an element.
    """

    def __init__(self, status_tuple: tuple[int, int, int, int, int]) -> None:
        self.source, self.tag, self.error, self.length, self.size = status_tuple

    def bytes(self) -> int:
        """How many bytes came."""
        return self.length * self.size

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"Pypar Status Object: {parts}"


def status_tuple(status: mpi.Status, data: Any) -> tuple[int, int, int, int, int]:
    """The numbers of a :class:`Status`: of a message, whose data have arrived, or are in a buffer."""
    if isinstance(data, np.ndarray):
        parts = 2 if data.dtype.kind == "c" else 1
        length, size = (status.elements or 0) * parts, data.itemsize // parts
    elif isinstance(data, TEXT):
        length, size = len(as_bytes(data)), 1
    else:
        length, size = status.nbytes or 0, 1
    return status.source, status.tag, 0, length, size
