"""The message buffers of a case: cut from the arena, filled, checked."""

from __future__ import annotations

import operator
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from arena import UNSEEN, space
from pattern import byte_pattern, double_pattern, first_difference, integer_pattern
from plan import PAIRS, POINT_TO_POINT, REDUCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena import Arena
    from numpy.typing import NDArray
    from pieces import Piece, Traffic
    from plan import Case

DTYPES: dict[str, Any] = {"bytes": np.uint8, "float64": np.float64, "int32": np.int32}


def buffer_sizes(case: Case, traffic: Traffic) -> tuple[list[int], list[int]]:
    """Bytes of each outgoing and each incoming buffer.

    Point to point, every piece has a buffer of its own; the pieces of a collective lie side by side in one, and the
    pieces of a reduction become one.
    """
    outgoing, incoming = (counts(case, pieces) for pieces in traffic)
    if case.benchmark in REDUCTIONS:
        incoming = incoming[:1]
    itemsize = _dtype(case).itemsize
    if case.benchmark in POINT_TO_POINT:
        return [count * itemsize for count in outgoing], [count * itemsize for count in incoming]
    return [sum(outgoing) * itemsize] if outgoing else [], [sum(incoming) * itemsize] if incoming else []


def counts(case: Case, pieces: list[Piece]) -> list[int]:
    """The elements of each piece."""
    itemsize = _dtype(case).itemsize
    return [piece.size(case, itemsize) // itemsize for piece in pieces]


def _dtype(case: Case) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.dtype(DTYPES.get(case.payload, np.uint8))
    return dtype


class MessageBuffers:
    """The buffers of one rank in one case, as NumPy arrays of the payload's type.

    Args:
        case: payload ``bytes``, ``float64`` or ``int32``.
        traffic: what the rank gives and gets.
        arena: what the buffers are carved out of.
        extra: bytes of one more buffer, for what the binding needs besides (an attached buffer).

    Attributes:
        outgoing: filled with their pieces.
        incoming: where messages arrive.
        acknowledgement: one byte.
        outgoing_counts: elements of each piece in ``outgoing``.
        incoming_counts: likewise.
        empty: a buffer of no bytes, for messages that only say something has happened.
        extra: the further buffer.
        messages: the memory from the first message to the last one, as one array.
    """

    def __init__(self, case: Case, traffic: Traffic, arena: Arena, extra: int = 0) -> None:
        outgoing, incoming = buffer_sizes(case, traffic)
        carved = arena.carve([*outgoing, *incoming, 1, 0, extra])
        dtype = _dtype(case)
        self._case = case
        self._traffic = traffic
        self.outgoing: list[NDArray[Any]] = [buffer.view(dtype) for buffer in carved[: len(outgoing)]]
        self.incoming: list[NDArray[Any]] = [buffer.view(dtype) for buffer in carved[len(outgoing) : -3]]
        self.outgoing_counts, self.incoming_counts = (counts(case, pieces) for pieces in traffic)
        self.acknowledgement, self.empty, self.extra = carved[-3:]
        self.messages: NDArray[Any] = arena.between(carved[0], carved[-3]).view(dtype)
        for place, piece in self._places(self.outgoing, traffic.outgoing):
            place[:] = self._content(piece)

    @staticmethod
    def space(case: Case, traffic: Traffic, extra: int = 0) -> int:
        """Bytes of arena that the buffers of a case take."""
        outgoing, incoming = buffer_sizes(case, traffic)
        return space([*outgoing, *incoming, 1, 0, extra])

    def clear(self) -> None:
        """Overwrite what has arrived, so that a message that never comes is seen.

        A window that messages are added to gets one of this rank, the last that makes the sum.
        """
        for buffer in self.incoming:
            buffer.view(np.uint8).fill(UNSEEN)
            if self._case.benchmark in PAIRS and self._case.benchmark in REDUCTIONS:
                buffer[:] = self._content(self._traffic.incoming[-1])

    def check(self) -> str:
        """Compare all that arrived with what was sent; the first difference in words, empty if there is none."""
        for place, piece, expected in self._arrivals():
            difference = first_difference(place, expected)
            if difference:
                return f"slot {piece.slot} from rank {piece.origin}: {difference}"
        return ""

    def _arrivals(self) -> Iterator[tuple[NDArray[Any], Piece, NDArray[Any]]]:
        """Where each piece arrives and what it holds; of pieces that become a sum, the first and the sum."""
        pieces = self._traffic.incoming
        if self._case.benchmark in REDUCTIONS:
            for buffer in self.incoming:
                yield buffer, pieces[0], reduce(operator.add, map(self._content, pieces))
        else:
            for place, piece in self._places(self.incoming, pieces):
                yield place, piece, self._content(piece)

    def _places(self, buffers: list[NDArray[Any]], pieces: list[Piece]) -> Iterator[tuple[NDArray[Any], Piece]]:
        """Where each piece lies."""
        if buffers:
            ends = np.cumsum(counts(self._case, pieces[: len(pieces) // len(buffers)]))
            places = [place for buffer in buffers for place in np.split(buffer, ends)[:-1]]
            yield from zip(places, pieces, strict=True)

    def _content(self, piece: Piece) -> NDArray[Any]:
        pattern: Any = {"float64": double_pattern, "int32": integer_pattern}.get(self._case.payload, byte_pattern)
        (count,) = counts(self._case, [piece])
        content: NDArray[Any] = pattern(count, self._case.number, piece)
        return content
