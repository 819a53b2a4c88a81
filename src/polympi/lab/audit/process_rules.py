"""Verdicts about a rank whose process is the reason: stopped, gone, computing or reading."""

from __future__ import annotations

from polympi.lab.audit.layout import State
from polympi.lab.audit.procedures import ENDS
from polympi.lab.audit.scene import Scene
from polympi.lab.audit.standing import Activity, Operation, Standing
from polympi.lab.audit.verdict import Kind, Verdict
from polympi.lab.audit.words import numbered, subject, waiting_text


def stopped(scene: Scene) -> Verdict | None:
    """A rank that a signal has stopped, also within a call."""
    ranks = [rank for rank, s in sorted(scene.standings.items()) if s.process.activity == Activity.STOPPED]
    waiting = scene.waiting_for(ranks)
    if not waiting:
        return None
    text = f"{subject(ranks, 'is', 'are')} stopped by a signal, {scene.place(ranks[0])}"
    return _verdict(Kind.STOPPED, ranks, waiting, text)


def gone(scene: Scene) -> Verdict | None:
    """A rank whose process has ended without having come through MPI_Finalize."""
    ranks = [
        rank
        for rank in scene.awaited
        if (s := scene.standings.get(rank)) is not None and s.left and s.state != State.FINALIZED
    ]
    if not ranks:
        return None
    first = scene.standings[ranks[0]]
    ranks = [rank for rank in ranks if scene.standings[rank].how_ended == first.how_ended]
    call = first.call
    after = f", after {call.procedure} at {call.site}" if call and call.site and call.procedure not in ENDS else ""
    text = f"{subject(ranks, 'has', 'have')} {first.how_ended}{after}"
    return _verdict(Kind.GONE, ranks, scene.waiting_for(ranks), text)


def not_started(scene: Scene) -> Verdict | None:
    """A rank that has no file yet."""
    ranks = [rank for rank in scene.awaited if rank not in scene.standings]
    if not ranks:
        return None
    text = f"{subject(ranks, 'has', 'have')} not come through MPI_Init"
    return _verdict(Kind.NOT_STARTED, ranks, scene.waiting_for(ranks), text)


def outside(scene: Scene) -> Verdict | None:
    """A rank that runs, but not in MPI."""
    ranks = [rank for rank in scene.awaited if (s := scene.standings.get(rank)) is not None and s.outside]
    if not ranks:
        return None
    if unfinished := _unfinished(scene, ranks):
        return unfinished
    reading = [rank for rank in ranks if scene.standings[rank].process.activity == Activity.READING]
    named = reading or ranks
    text = f"{subject(named, 'is', 'are')} {scene.doing(named)}, {scene.place(named[0])}"
    kind = Kind.READING if reading else Kind.COMPUTING
    return _verdict(kind, named, scene.waiting_for(named), text)


def _unfinished(scene: Scene, outside: list[int]) -> Verdict | None:
    """A collective that others wait for, and that one has begun without waiting for it."""
    for _, need in scene.needs():
        own = {rank: _own(scene.standings[rank], need.operation) for rank in sorted(need.ranks) if rank in outside}
        begun = {rank: operation for rank, operation in own.items() if operation is not None}
        if begun:
            first = min(begun)
            text = (
                f"{subject(begun, 'has', 'have')} begun {numbered(begun[first], scene.situation)} and not waited for "
                f"it: now {scene.doing(begun)}, {scene.place(first)}"
            )
            return _verdict(Kind.UNFINISHED, list(begun), scene.waiting_for(begun), text)
    return None


def _own(standing: Standing, operation: Operation) -> Operation | None:
    if operation.number is None:
        return None
    wanted = operation.communicator, operation.number
    return next((one for one in standing.pending if (one.communicator, one.number) == wanted), None)


def _verdict(kind: Kind, ranks: list[int], waiting: tuple[int, ...], text: str) -> Verdict:
    return Verdict(kind, tuple(ranks), waiting, f"{text}; {waiting_text(waiting, ranks)}.")
