"""Whether all ranks have added the same collectives to a plan."""

from __future__ import annotations

from itertools import zip_longest

from polympi.topology import mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.native import core

_NOTHING = "nothing more"


def check(comm: core.Communicator, descriptions: list[list[str]]) -> None:
    """Compare what each rank has added; every rank calls it with the same list.

    Raises:
        MismatchError: on all ranks: this one differs from others.
    """
    if all(other == descriptions[0] for other in descriptions):
        return
    mine = descriptions[comm.rank]
    differing = [rank for rank, other in enumerate(descriptions) if other != mine]
    theirs = descriptions[differing[0]]
    place, (here, there) = next(
        (place, pair) for place, pair in enumerate(zip_longest(mine, theirs, fillvalue=_NOTHING)) if pair[0] != pair[1]
    )
    others = "" if len(differing) == 1 else f" (ranks {', '.join(map(str, differing))} differ from this one)"
    raise mismatch(
        comm,
        "plan.agree",
        f"new collective {place} is {here} here and {there} on rank {differing[0]}{others}; all ranks add the same in "
        "the same order",
    )
