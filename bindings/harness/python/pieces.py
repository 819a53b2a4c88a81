"""The messages of one iteration of a case, as one rank sends and receives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from catalogue import APIECE, GETS, ORIGINS, SENDS, UNEVEN
from plan import PAIRS

if TYPE_CHECKING:
    from plan import Case


class Piece(NamedTuple):
    """One message's content: which rank made it, and its place in a window or its destination (protocol: slot).

    Attributes:
        share: how many elements it has, as a fraction of those that the case says.
    """

    origin: int
    slot: int
    share: tuple[int, int] = (1, 1)

    def size(self, case: Case, itemsize: int) -> int:
        """Its bytes, made of whole elements of ``itemsize`` bytes."""
        part, of = self.share
        return case.size // itemsize * part // of * itemsize


class Traffic(NamedTuple):
    """The pieces a rank gives and gets, in the order of its buffers.

    In a reduction ``incoming`` are the pieces of which the rank gets the sum.
    """

    outgoing: list[Piece]
    incoming: list[Piece]


def traffic(case: Case, rank: int, ranks: int, window: int) -> Traffic:
    """What ``rank`` gives and gets in one iteration; acknowledgements apart."""
    even = _even_traffic(case, rank, ranks, window)
    if case.benchmark not in UNEVEN:
        return even
    return Traffic(*([_uneven(piece, ranks) for piece in pieces] for pieces in even))


def _uneven(piece: Piece, ranks: int) -> Piece:
    """The piece with its share of the elements, whose mean is 1."""
    return piece._replace(share=(2 * ((piece.origin + piece.slot) % ranks) + 1, ranks))


def _even_traffic(case: Case, rank: int, ranks: int, window: int) -> Traffic:
    if case.benchmark in PAIRS and rank > 1:
        return Traffic([], [])
    place = 0 if rank == 0 else 1
    sent, arriving = (_count(table[case.benchmark][place], ranks, window) for table in (SENDS, GETS))
    outgoing = [Piece(rank, slot) for slot in range(sent)]
    slot = rank if case.benchmark in APIECE else 0
    origin = ORIGINS[case.benchmark]
    if origin == "peer":
        return Traffic(outgoing, [Piece(1 - rank, slot) for slot in range(arriving)])
    if origin == "root":
        return Traffic(outgoing, [Piece(0, slot)] * arriving)
    if origin == "neighbors":  # what went to one side arrives from the other
        sides = ((rank - 1) % ranks, (rank + 1) % ranks)
        return Traffic(outgoing, [Piece(side, 1 - k if sent > 1 else 0) for k, side in enumerate(sides)][:arriving])
    adding = 2 if case.benchmark in PAIRS else ranks
    return Traffic(outgoing, [Piece(each, slot) for each in range(adding)] if arriving else [])


def _count(messages: str | int, ranks: int, window: int) -> int:
    return messages if isinstance(messages, int) else {"none": 0, "one": 1, "all": ranks, "window": window}[messages]
