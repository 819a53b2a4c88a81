"""How long a run would take on a network that moves data in no time: what is left of it is waiting for each other.

Every rank computes between its calls as long as it did. A receive ends when its message is sent, a collective when the
ranks that it needs have begun it, every other call at once. Dimemas calls this the ideal network. A send that waits for
its receive is taken for one that does not, as a timeline does not tell them apart.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from polympi.lab.audit import procedures
from polympi.lab.audit.layout import Role
from polympi.lab.audit.losses import collective_calls, waiting_calls
from polympi.lab.audit.model import Events
from polympi.lab.audit.timeline import Timeline


def ideal_seconds(timeline: Timeline) -> float | None:
    """The length of the replayed run, from the first begin of a call to the last end of one.

    Calls of several threads of a rank count as calls of one. None if the calls do not fit together, so that a rank
    would wait forever.
    """
    return _Replay(timeline).run()


class _Replay:
    def __init__(self, timeline: Timeline) -> None:
        events = timeline.events
        calls = np.flatnonzero((events.role & Role.CALL) != 0)
        self.by_rank = {rank: calls[events.rank[calls] == rank].tolist() for rank in np.unique(events.rank).tolist()}
        self.begin, self.end = events.begin.tolist(), events.end.tolist()
        self.rank, self.root = events.rank.tolist(), timeline.root.tolist()
        self.kind = np.array([_kind(name) for name in events.procedures])[events.procedure].tolist()
        self.messages = _messages_of_calls(events)
        self.group_of, self.members = _collectives(timeline)
        self.begun: dict[int, float] = {}  # when each call begins
        self.joined: dict[int, dict[int, float]] = defaultdict(dict)  # when the ranks of a collective begin it
        self.waiting: dict[tuple[str, int], list[int]] = defaultdict(list)  # ranks by what they wait for
        self.woken: list[int] = []

    def run(self) -> float | None:
        """Let every rank run until it waits, and again when that has happened."""
        place = dict.fromkeys(self.by_rank, 0)
        now = {rank: self.begin[calls[0]] if calls else 0.0 for rank, calls in self.by_rank.items()}
        self.woken = list(self.by_rank)
        while self.woken:
            rank = self.woken.pop()
            calls = self.by_rank[rank]
            while place[rank] < len(calls):
                call = calls[place[rank]]
                missing = self._begin(call, now[rank])
                if missing is not None:
                    self.waiting[missing].append(rank)
                    break
                ended = self._end(call, now[rank])
                place[rank] += 1
                gap = self.begin[calls[place[rank]]] - self.end[call] if place[rank] < len(calls) else 0.0
                now[rank] = ended + max(0.0, gap)
        if any(place[rank] < len(calls) for rank, calls in self.by_rank.items()):
            return None
        return float(max(now.values()) - min(self.begin))

    def _begin(self, call: int, now: float) -> tuple[str, int] | None:
        """Note that a call begins; return what it waits for that has not happened yet."""
        group = self.group_of.get(call)
        if call not in self.begun:
            self.begun[call] = now
            self.woken += self.waiting.pop(("sent", call), [])
            if group is not None:
                self.joined[group][self.rank[call]] = now
                self.woken += self.waiting.pop(("begun", group), [])
        for sender in self.messages.get(call, ()):
            if sender not in self.begun:
                return "sent", sender
        return ("begun", group) if group is not None and not self._complete(call, group) else None

    def _complete(self, call: int, group: int) -> bool:
        """Whether the ranks that a collective needs have begun it."""
        joined, members, root = self.joined[group], self.members[group], self.root[call]
        if self.kind[call] == "from root" and root in members:
            return root in joined
        if self.kind[call] == "to root" and self.rank[call] != root:
            return True
        return len(joined) == len(members)

    def _end(self, call: int, now: float) -> float:
        latest = max((self.begun[sender] for sender in self.messages.get(call, ())), default=now)
        group = self.group_of.get(call)
        if group is not None:
            joined, root = self.joined[group], self.root[call]
            if self.kind[call] == "from root":
                latest = max(latest, joined.get(root, now))
            elif self.kind[call] == "all" or self.rank[call] == root:
                latest = max(latest, *joined.values())
        return max(now, latest)


def _kind(name: str) -> str:
    plain = procedures.plain(name)
    return "from root" if plain in procedures.FROM_ROOT else "to root" if plain in procedures.TO_ROOT else "all"


def _messages_of_calls(events: Events) -> dict[int, list[int]]:
    """For each call in which messages end, the calls that sent them."""
    found: dict[int, list[int]] = defaultdict(list)
    receivers, senders = (waiting_calls(events, ends).tolist() for ends in (events.receives, events.sends))
    for receiver, sender in zip(receivers, senders, strict=True):
        found[receiver].append(sender)
    return found


def _collectives(timeline: Timeline) -> tuple[dict[int, int], list[set[int]]]:
    """The number of the collective that each call belongs to, and the ranks of each."""
    chosen, group = collective_calls(timeline.events)
    members: list[set[int]] = [set() for _ in range(int(group.max()) + 1 if len(group) else 0)]
    for number, rank in zip(group.tolist(), timeline.events.rank[chosen].tolist(), strict=True):
        members[number].add(rank)
    return dict(zip(chosen.tolist(), group.tolist(), strict=True)), members
