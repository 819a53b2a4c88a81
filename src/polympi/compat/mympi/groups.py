"""Groups: numbers that stand for some ranks, which are named as in MPI_COMM_WORLD."""

from __future__ import annotations

import itertools

from polympi.compat.mympi import errors
from polympi.compat.mympi.errors import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_numbers = itertools.count(1_000_001)
_by_number: dict[int, tuple[int, ...]] = {}


def made(ranks: tuple[int, ...]) -> int:
    """The number of a group of these ranks."""
    number = next(_numbers)
    _by_number[number] = ranks
    return number


def members(group: int, call: str) -> tuple[int, ...]:
    """The ranks of a group.

    Raises:
        error: there is no such group.
    """
    try:
        return _by_number[group]
    except (KeyError, TypeError):
        refuse(call, f"there is no group {group!r}: give one of mpi_comm_group or mpi_group_incl", errors.GROUP)


def mpi_group_incl(group: int, n: int, ranks: Sequence[int], /) -> int:
    """The group of n ranks of a group, in this order."""
    whole = members(group, "mpi_group_incl")
    chosen = [int(rank) for rank in ranks[:n]]
    if len(chosen) != n or len(set(chosen)) < n or any(not 0 <= rank < len(whole) for rank in chosen):
        refuse(
            "mpi_group_incl",
            f"the ranks are {chosen} and n is {n}: give n different ranks of 0 to {len(whole) - 1}",
            errors.RANK,
        )
    return made(tuple(whole[rank] for rank in chosen))
