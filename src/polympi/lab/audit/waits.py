"""Which ranks each rank waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from polympi.lab.audit import procedures
from polympi.lab.audit.layout import NOBODY
from polympi.lab.audit.standing import Operation, Situation, Standing


@dataclass(frozen=True)
class Need:
    """Ranks that must act before an operation can end: all of them, or one of them."""

    operation: Operation
    ranks: frozenset[int]
    one_suffices: bool = False


@dataclass(frozen=True)
class Wait:
    """What a rank waits for: all of its needs, or one of them."""

    needs: tuple[Need, ...]
    one_suffices: bool = False

    @property
    def certain(self) -> frozenset[int]:
        """Ranks without which it can't go on."""
        if self.one_suffices and len(self.needs) > 1:
            return frozenset()
        return frozenset().union(*(need.ranks for need in self.needs if not need.one_suffices or len(need.ranks) == 1))

    @property
    def possible(self) -> frozenset[int]:
        """Ranks that could let it go on, or must."""
        return frozenset().union(*(need.ranks for need in self.needs))


def unreceived(situation: Situation, sender: int, receiver: int) -> list[Operation]:
    """Messages from one rank to another that no receive has completed, oldest first, as far as the timelines know."""
    source, target = situation.standings.get(sender), situation.standings.get(receiver)
    if source is None or target is None:
        return []
    sent = [message for message in source.sent if message.peer == receiver]
    taken = Counter((m.communicator, m.tag) for m in target.received if m.peer == sender)
    left = []
    for message in sent:  # of one communicator and tag they are received in their order
        key = message.communicator, message.tag
        if taken[key] > 0:
            taken[key] -= 1
        else:
            left.append(message)
    if sender in target.received_from or receiver in source.sent_to:
        most = source.sent_to.get(receiver, 0) - target.received_from.get(sender, 0)
        left = left[max(0, len(left) - max(0, most)) :]
    call = source.call
    if (
        source.inside
        and call is not None
        and call.peer == receiver
        and procedures.plain(call.procedure) in (procedures.SENDS | procedures.EXCHANGES)
    ):
        left.append(call)
    return left


def on_offer(situation: Situation, receiver: Standing, operation: Operation, sender: int) -> Operation | None:
    """A message that a receive can take, after the receives that were begun before it have taken theirs."""
    earlier = [
        request
        for request in receiver.pending
        if procedures.receives(request.procedure) and request is not operation and request.seconds >= operation.seconds
    ]
    for message in unreceived(situation, sender, receiver.rank):
        taker = next((request for request in earlier if request.takes(message, sender)), None)
        if taker is not None:
            earlier.remove(taker)
        elif operation.takes(message, sender):
            return message
    return None


def waits_of(situation: Situation) -> dict[int, Wait]:
    """What the ranks wait for that are in MPI or poll; others are not there."""
    return {
        rank: wait
        for rank, standing in situation.standings.items()
        if (standing.inside or standing.polls) and not standing.left and (wait := _wait(situation, standing))
    }


def _wait(situation: Situation, standing: Standing) -> Wait | None:
    call = standing.call
    if call is None:
        return None
    name = procedures.plain(call.procedure)
    completes = name in procedures.WAITS_FOR_ALL | procedures.WAITS_FOR_ANY | procedures.TESTS
    if completes:
        return _wait_of_requests(situation, standing, call, any_of=name in procedures.WAITS_FOR_ANY)
    need = need_of(situation, standing, call)
    return Wait((need,)) if need else None


def _wait_of_requests(situation: Situation, standing: Standing, call: Operation, *, any_of: bool) -> Wait | None:
    """What is missing for requests; of sends only if nothing else is, as most messages leave at once."""
    found = [need for request in standing.pending if (need := need_of(situation, standing, request))]
    of_call = [need for need in found if _is_of(need.operation, call)]
    found = of_call or found
    others = [need for need in found if not procedures.sends(need.operation.procedure)]
    needs = tuple(others or found)
    return Wait(needs, any_of) if needs else None


def _is_of(request: Operation, call: Operation) -> bool:
    """Whether a wait is for this request, as one for a single request says."""
    named = call.communicator, call.peer, call.tag
    return call.communicator != 0 and named == (request.communicator, request.peer, request.tag)


def need_of(situation: Situation, standing: Standing, operation: Operation) -> Need | None:
    """The ranks that must act before an operation of a rank can end; None if none is known."""
    name = procedures.plain(operation.procedure)
    if operation.peer == NOBODY:
        return None
    if procedures.receives(name):
        return _need_of_message(situation, standing, operation)
    ranks: set[int] = set()
    if name in procedures.ENDS:
        ranks = {r for r, s in situation.standings.items() if not s.left and not ends(s)} | absent(situation)
    elif name in procedures.OF_WINDOWS:
        ranks = _holders(situation, standing, operation)
    elif procedures.sends(name) or name in procedures.EXCHANGES:
        ranks = {operation.peer} if operation.has_peer else set()
    elif operation.number is not None:
        ranks = _missing(situation, standing, operation)
    return _need(operation, ranks)


def ends(standing: Standing) -> bool:
    """Whether a rank is in MPI_Finalize."""
    return standing.inside and standing.call is not None and standing.call.procedure in procedures.ENDS


def absent(situation: Situation) -> set[int]:
    """Ranks without a file."""
    return set(range(situation.size)) - set(situation.standings)


def _need(operation: Operation, ranks: set[int], *, one_suffices: bool = False) -> Need | None:
    return Need(operation, frozenset(ranks), one_suffices) if ranks else None


def _need_of_message(situation: Situation, standing: Standing, operation: Operation) -> Need | None:
    senders = set(situation.members(operation.communicator)) - {standing.rank}
    if operation.has_peer:
        senders = {operation.peer}
    if any(on_offer(situation, standing, operation, sender) for sender in senders):
        return None
    return _need(operation, senders, one_suffices=not operation.has_peer)


def _missing(situation: Situation, standing: Standing, operation: Operation) -> set[int]:
    """Members that have not begun a collective; if all have, those that have left a nonblocking one unfinished."""
    members = [rank for rank in situation.members(operation.communicator) if rank != standing.rank]
    number = operation.number or 0
    begun = {rank: _begun(situation.standings, rank, operation.communicator) for rank in members}
    missing = {rank for rank in members if begun[rank] <= number}
    if operation.root in missing and procedures.blocking(operation.procedure) in procedures.FROM_ROOT:
        return {operation.root}
    return missing or {
        rank
        for rank in members
        if (other := situation.standings.get(rank)) is not None
        and other.outside
        and any((op.communicator, op.number) == (operation.communicator, number) for op in other.pending)
    }


def _begun(standings: Mapping[int, Standing], rank: int, communicator: int) -> int:
    standing = standings.get(rank)
    return standing.begun.get(communicator, 0) if standing else 0


def _holders(situation: Situation, standing: Standing, operation: Operation) -> set[int]:
    """Ranks that hold a lock of the window that an operation needs; else the rank whose window it is."""
    holders = {
        rank
        for rank, other in situation.standings.items()
        if rank != standing.rank
        and any(
            lock.communicator == operation.communicator and (lock.peer == operation.peer or not lock.has_peer)
            for lock in other.locked
        )
    }
    return holders or ({operation.peer} - {standing.rank} if operation.has_peer else set())
