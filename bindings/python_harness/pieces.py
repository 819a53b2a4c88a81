"""What travels in one iteration of a case, as one rank sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plan import POINT_TO_POINT, WINDOWED

if TYPE_CHECKING:
    from plan import Case


class Piece(NamedTuple):
    """One message's content: which rank made it, and its place in a window or its destination (protocol: slot)."""

    origin: int
    slot: int


class Traffic(NamedTuple):
    """The pieces a rank gives and gets, in the order of its buffers.

    In a reduction ``incoming`` are the pieces of which the rank gets the sum.
    """

    outgoing: list[Piece]
    incoming: list[Piece]


def traffic(case: Case, rank: int, ranks: int, window: int) -> Traffic:
    """What ``rank`` gives and gets in one iteration; acknowledgements apart."""
    if case.benchmark in POINT_TO_POINT:
        return _between_two(case, rank, window)
    here = Piece(rank, 0)
    everybody = [Piece(origin, 0) for origin in range(ranks)]
    at_root = rank == 0
    return {
        "barrier": lambda: Traffic([], []),
        "bcast": lambda: Traffic([here], []) if at_root else Traffic([], [Piece(0, 0)]),
        "reduce": lambda: Traffic([here], everybody if at_root else []),
        "gather": lambda: Traffic([here], everybody if at_root else []),
        "allreduce": lambda: Traffic([here], everybody),
        "allgather": lambda: Traffic([here], everybody),
        "scatter": lambda: Traffic([Piece(0, to) for to in range(ranks)] if at_root else [], [Piece(0, rank)]),
        "alltoall": lambda: Traffic(
            [Piece(rank, to) for to in range(ranks)], [Piece(origin, rank) for origin in range(ranks)]
        ),
    }[case.benchmark]()


def _between_two(case: Case, rank: int, window: int) -> Traffic:
    """Point to point: ranks 0 and 1 take part; the payload of ``bandwidth`` and ``stream`` goes one way only."""
    if rank > 1:
        return Traffic([], [])
    slots = range(window) if case.benchmark in WINDOWED else range(1)
    outgoing = [Piece(rank, slot) for slot in slots]
    incoming = [Piece(1 - rank, slot) for slot in slots]
    if case.benchmark in ("bandwidth", "stream"):
        return Traffic(outgoing, []) if rank == 0 else Traffic([], incoming)
    return Traffic(outgoing, incoming)
