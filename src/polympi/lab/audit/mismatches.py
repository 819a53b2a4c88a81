"""Finds collectives whose ranks have called different ones, or with different arguments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from polympi.lab.audit import procedures
from polympi.lab.audit.layout import NO_PEER
from polympi.lab.audit.standing import Operation, Situation, Standing
from polympi.lab.audit.verdict import Kind, Verdict
from polympi.lab.audit.words import at, joined, ranks_text

Calls = Mapping[int, Operation]  # of one collective, by rank


def mismatch(situation: Situation) -> Verdict | None:
    """The first collective that does not fit together, of the communicators on which ranks are in collectives now."""
    waiting = {
        (operation.communicator, operation.number)
        for standing in situation.standings.values()
        for operation in collectives_now(standing)
    }
    communicators = {communicator for communicator, _ in waiting}
    known: dict[tuple[int, int], dict[int, Operation]] = {}
    for rank, standing in situation.standings.items():
        for key, operation in {**standing.collectives, **_keyed(standing)}.items():
            if key[0] in communicators:
                known.setdefault(key, {})[rank] = operation
    for (communicator, number), calls in sorted(known.items()):
        if verdict := _judge(situation, communicator, number, calls):
            return verdict
    return None


def collectives_now(standing: Standing) -> list[Operation]:
    """Collectives that a rank is in, or has begun and not ended."""
    current = [standing.call] if standing.inside and standing.call is not None else []
    return [operation for operation in (*current, *standing.pending) if operation.number is not None]


def _keyed(standing: Standing) -> dict[tuple[int, int], Operation]:
    return {(op.communicator, op.number): op for op in collectives_now(standing) if op.number is not None}


def _judge(situation: Situation, communicator: int, number: int, calls: Calls) -> Verdict | None:
    where = f"Number {number + 1} of the collectives on {situation.name(communicator)}"
    named = _parts(calls, lambda call: procedures.plain(call.procedure))
    if len(named) > 1:
        text = joined([f"{at(of[min(of)])} on {ranks_text(of)}" for of in named])
        return _verdict(Kind.MISMATCH, named, f"{where} is {text}.")
    roots = _parts(calls, lambda call: call.root)
    if len(roots) > 1 and not any(call.root == NO_PEER for call in calls.values()):
        text = joined([f"{of[min(of)].root} on {ranks_text(of)} (at {of[min(of)].site})" for of in roots])
        name = next(iter(calls.values())).procedure
        return _verdict(Kind.ROOTS, roots, f"{where}, {name}, has different roots: {text}.")
    name = next(iter(calls.values())).procedure
    counts = _parts(calls, lambda call: call.bytes)
    if len(counts) > 1 and procedures.blocking(name) in procedures.OF_EQUAL_COUNTS:
        text = joined([f"{of[min(of)].bytes} bytes on {ranks_text(of)} (at {of[min(of)].site})" for of in counts])
        return _verdict(Kind.COUNTS, counts, f"{where}, {name}, has different sizes: {text}.")
    return None


def _parts(calls: Calls, of: Callable[[Operation], Hashable]) -> list[dict[int, Operation]]:
    """The ranks whose calls have the same value, the most first; of equally many those with the lowest rank."""
    parts: dict[Hashable, dict[int, Operation]] = {}
    for rank, call in sorted(calls.items()):
        parts.setdefault(of(call), {})[rank] = call
    return sorted(parts.values(), key=lambda part: (-len(part), min(part)))


def _verdict(kind: Kind, parts: list[dict[int, Operation]], sentence: str) -> Verdict:
    most, *others = parts
    odd = tuple(sorted(rank for part in others for rank in part))
    return Verdict(kind, odd, tuple(sorted(most)), sentence)
