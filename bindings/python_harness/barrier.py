"""The programs' own barrier, so that the library's does not leak into what is timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_TAG = 100


def barrier_rounds(rank: int, ranks: int) -> list[tuple[int, int, int]]:
    """Destination, source and tag of each round: in round k, with 2^k < N, to rank + 2^k and from rank - 2^k."""
    return [
        ((rank + 2**k) % ranks, (rank - 2**k) % ranks, FIRST_TAG + k)
        for k in range((ranks - 1).bit_length())  # the number of k with 2^k < N
    ]


def dissemination_barrier(rank: int, ranks: int, exchange: Callable[[int, int, int], object]) -> Callable[[], None]:
    """A barrier of empty messages.

    Args:
        rank: this rank.
        ranks: number of ranks.
        exchange: sends an empty message to a destination and receives one from a source under a tag, without
            waiting for the one before doing the other.
    """
    rounds = barrier_rounds(rank, ranks)

    def barrier() -> None:
        for destination, source, tag in rounds:
            exchange(destination, source, tag)

    return barrier
