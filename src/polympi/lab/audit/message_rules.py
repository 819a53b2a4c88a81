"""Verdicts about messages that went elsewhere, that nobody sends, and about locks that are held."""

from __future__ import annotations

from polympi.lab.audit import procedures
from polympi.lab.audit.scene import Scene, receiving
from polympi.lab.audit.standing import Operation
from polympi.lab.audit.verdict import Kind, Verdict
from polympi.lab.audit.waits import Need, ends, unreceived
from polympi.lab.audit.words import at, peer_text, subject, tag_text


def taken(scene: Scene) -> Verdict | None:
    """A receive that was begun first has got the message that the rank waits for."""
    for rank, need in scene.needs():
        for sender in sorted(need.ranks) if receiving(need) else ():
            messages = [m for m in unreceived(scene.situation, sender, rank) if need.operation.takes(m, sender)]
            takers = [
                request
                for request in _receives(scene, rank, need.operation)
                if any(request.takes(message, sender) for message in messages)
            ]
            if takers:
                text = (
                    f"Rank {rank} waits in {at(need.operation)} for {tag_text(messages[-1].tag)} from rank {sender}; "
                    f"its {at(takers[0])}, which nobody has waited for, was begun first and has taken that message."
                )
                return Verdict(Kind.TAKEN, (rank,), scene.waiting_for([rank]), text)
    return None


def _receives(scene: Scene, rank: int, but: Operation) -> list[Operation]:
    pending = scene.standings[rank].pending
    return [request for request in pending if request is not but and procedures.receives(request.procedure)]


def misdirected(scene: Scene) -> Verdict | None:
    """A message that was sent with another tag or on another communicator than its receiver waits for."""
    for rank, need in scene.needs():
        for sender in sorted(need.ranks) if receiving(need) else ():
            pending = _receives(scene, rank, need.operation)
            messages = [
                message
                for message in unreceived(scene.situation, sender, rank)
                if not any(request.takes(message, sender) for request in pending)
            ]
            if verdict := _misdirected(scene, rank, need.operation, sender, messages):
                return verdict
    return None


def _misdirected(scene: Scene, rank: int, wanted: Operation, sender: int, messages: list[Operation]) -> Verdict | None:
    tags = [m for m in messages if m.communicator == wanted.communicator and m.tag != wanted.tag]
    others = [m for m in messages if m.communicator != wanted.communicator and m.tag == wanted.tag]
    name = scene.situation.name
    if tags:
        kind, last, wants, has = Kind.WRONG_TAG, tags[-1], tag_text(wanted.tag), tag_text(tags[-1].tag)
    elif others:
        kind, last = Kind.WRONG_COMMUNICATOR, others[-1]
        wants, has = (f"{tag_text(one.tag)} on {name(one.communicator)}" for one in (wanted, last))
    else:
        return None
    text = (
        f"Rank {rank} waits in {at(wanted)} for {wants} from {peer_text(wanted.peer)}; the last message of rank "
        f"{sender} to it, not received, has {has} ({at(last)})."
    )
    return Verdict(kind, (rank, sender), scene.waiting_for([rank]), text)


def locked(scene: Scene) -> Verdict | None:
    """A rank that waits while it holds the lock of a window that another one needs."""
    for rank, need in scene.needs():
        if procedures.plain(need.operation.procedure) not in procedures.OF_WINDOWS:
            continue
        for holder in sorted(need.ranks):
            standing = scene.standings.get(holder)
            if standing is None or not standing.locked or holder not in scene.waits:
                continue
            text = (
                f"Rank {rank} waits in {at(need.operation)} for the window of {peer_text(need.operation.peer)}, which "
                f"rank {holder} has locked ({at(standing.locked[-1])}) and keeps while it is {scene.place(holder)}."
            )
            return Verdict(Kind.LOCKED, (holder,), scene.waiting_for([holder]), text)
    return None


def finalized(scene: Scene) -> Verdict | None:
    """A rank that is in MPI_Finalize, or past it, while another one needs it."""
    for rank, need in scene.needs():
        if ends(scene.standings[rank]) or need.one_suffices:
            continue
        ranks = [r for r in sorted(need.ranks) if (s := scene.standings.get(r)) is not None and (s.left or ends(s))]
        if ranks:
            standing = scene.standings[ranks[0]]
            where = at(standing.call) if standing.call is not None and ends(standing) else "MPI_Finalize"
            begin = subject(ranks, "is in", "are in") if ends(standing) else subject(ranks, "is past", "are past")
            text = f"{begin} {where}, while {scene.waits_in(rank, need)}."
            return Verdict(Kind.FINALIZED, tuple(ranks), scene.waiting_for(ranks), text)
    return None


def nobody_sends(scene: Scene) -> Verdict | None:
    """A receive from any rank, when all that could send wait, too."""
    for rank, need in scene.needs():
        if need.one_suffices and receiving(need) and all(_idle(scene, other) for other in need.ranks):
            kind = Kind.POLLING if scene.is_poller(rank) else Kind.NOBODY_SENDS
            others = scene.waiting_for([rank])
            why = "which nobody sends: all others wait" if others else "which nobody sends: all others have ended"
            return Verdict(kind, (rank,), others, f"{_begin(scene, rank, need)}, {why}.")
    return None


def _idle(scene: Scene, rank: int) -> bool:
    standing = scene.standings.get(rank)
    return rank in scene.waits or (standing is not None and standing.left)


def _begin(scene: Scene, rank: int, need: Need) -> str:
    text = scene.waits_in(rank, need)
    return text[0].upper() + text[1:]
