"""Verdicts about ranks that wait for each other."""

from __future__ import annotations

from polympi.lab.audit.scene import Scene
from polympi.lab.audit.verdict import Kind, Verdict
from polympi.lab.audit.words import joined, numbered, ranks_text, subject, waiting_text


def cycle(scene: Scene) -> Verdict | None:
    """Ranks each of which waits for the next one, and the last one for the first."""
    ranks = scene.cycle()
    if not ranks:
        return None
    in_collectives = [rank for rank in ranks if scene.in_collective(rank)]
    others = tuple(sorted(rank for rank in ranks if rank not in in_collectives))
    pollers = tuple(rank for rank in ranks if scene.is_poller(rank))
    if pollers:
        return Verdict(Kind.POLLING, tuple(sorted(pollers)), scene.waiting_for(pollers), _around(scene, ranks))
    if in_collectives and others:
        return _elsewhere(scene, in_collectives[0], others)
    kind = Kind.CROSSED if in_collectives else Kind.CYCLE
    return Verdict(kind, tuple(sorted(ranks)), scene.waiting_for(ranks), _around(scene, ranks))


def _around(scene: Scene, ranks: tuple[int, ...]) -> str:
    parts = []
    for rank, other in zip(ranks, (*ranks[1:], ranks[0]), strict=True):
        need = scene.need_of(rank, other)
        if need is not None:
            parts.append(
                f"{scene.waits_in(rank, need)} for rank {other}"
                if need.operation.number is not None
                else scene.waits_in(rank, need)
            )
    return f"Each waits for the next: {joined(parts)}."


def _elsewhere(scene: Scene, in_collective: int, others: tuple[int, ...]) -> Verdict:
    """The collective that some wait in, and those that are missing because they wait elsewhere."""
    need = next(need for need in scene.waits[in_collective].needs if need.operation.number is not None)
    waiting = scene.ranks_in(need.operation.communicator, need.operation.number)
    missing = tuple(sorted(need.ranks))
    named = tuple(rank for rank in missing if rank in scene.waits) or others
    text = (
        f"{subject(waiting, 'is', 'are')} in {numbered(need.operation, scene.situation)}, which {ranks_text(missing)} "
        f"{'has' if len(missing) == 1 else 'have'} not begun: rank {named[0]} is {scene.place(named[0])}."
    )
    return Verdict(Kind.ELSEWHERE, missing, waiting, text)


def unknown(scene: Scene) -> Verdict | None:
    """What no rule explains: the ranks that others wait for, and where they are."""
    inside = [rank for rank in scene.awaited if rank in scene.standings]
    if not inside:
        return None
    first = inside[0]
    waiting = scene.waiting_for(inside)
    text = f"{subject(inside, 'is', 'are')} {scene.place(first)}; {waiting_text(waiting, inside)}."
    return Verdict(Kind.UNKNOWN, tuple(inside), waiting, text)
