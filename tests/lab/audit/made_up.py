"""States of ranks that are made up, as the judgement sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polympi.lab.audit.layout import State
from polympi.lab.audit.standing import Activity, Group, Operation, Process, Situation, Standing

WORLD = 11


def op(name: str, peer: int | None = None, tag: int | None = None, **more: Any) -> Operation:
    given = {"communicator": WORLD, "site": "a.py:3", "seconds": 10.0, **more}
    if peer is not None:
        given["peer"] = peer
    if tag is not None:
        given["tag"] = tag
    return Operation(f"MPI_{name}", **given)


def inside(rank: int, call: Operation, **more: Any) -> Standing:
    """A rank in a call; in a collective, which counts as begun."""
    begun = {} if call.number is None else {call.communicator: call.number + 1}
    return Standing(rank, inside=True, call=call, **{"begun": begun, "process": running(), **more})


def outside(rank: int, after: Operation, **more: Any) -> Standing:
    return Standing(rank, call=after, **{"process": running(), **more})


def finalized(rank: int) -> Standing:
    return Standing(rank, State.FINALIZED, call=op("Finalize"), process=Process(activity=Activity.GONE))


def running(busy: float = 0.99) -> Process:
    return Process("here", 1, Activity.RUNNING, busy)


def job(*standings: Standing, communicators: Mapping[int, tuple[int, ...]] = {}, size: int | None = None) -> Situation:
    size = size or len(standings)
    groups = {WORLD: Group(WORLD, "world", tuple(range(size)))}
    groups |= {number: Group(number, f"c{number}", ranks) for number, ranks in communicators.items()}
    return Situation(size, {one.rank: one for one in standings}, groups)
