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
from polympi.lab.audit.losses import collective_calls, named, waiting_calls
from polympi.lab.audit.model import Counts, Events
from polympi.lab.audit.timeline import Timeline

_UNKNOWN = float("-inf")
_NONE, _ALL, _ROOT = 0, 1, 2  # what the end of a call waits for: nothing, all ranks of a collective, its root


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
        self.first = float(events.begin.min())
        self.begins, self.ends = events.begin.tolist(), events.end.tolist()
        self.senders = _senders(events)
        self.begun = [_UNKNOWN] * len(self.begins)  # when each call begins
        chosen, groups = collective_calls(events)
        number = int(groups.max()) + 1 if len(groups) else 0
        group, mode = np.full(len(self.begins), -1, np.int64), np.zeros(len(self.begins), np.int64)
        group[chosen] = groups
        self.is_root = (timeline.root == events.rank).tolist()
        mode[chosen] = _modes(timeline, chosen, groups, number)
        self.group, self.mode = group.tolist(), mode.tolist()
        self.missing = np.bincount(groups, minlength=number).tolist()  # ranks that have not begun a collective
        self.latest, self.root_begun = [_UNKNOWN] * number, [_UNKNOWN] * number
        self.waiting: dict[int, list[int]] = defaultdict(
            list
        )  # ranks by the call, or -1 - the collective, they wait for
        self.ready: list[int] = []

    def run(self) -> float | None:
        """Let every rank run until it waits, and again when what it waits for has happened."""
        place = dict.fromkeys(self.by_rank, 0)
        now = {rank: self.begins[calls[0]] if calls else self.first for rank, calls in self.by_rank.items()}
        self.ready = list(self.by_rank)
        while self.ready:
            rank = self.ready.pop()
            place[rank], now[rank] = self._advance(rank, self.by_rank[rank], place[rank], now[rank])
        if any(place[rank] < len(calls) for rank, calls in self.by_rank.items()):
            return None
        return float(max(now.values()) - self.first)

    def _advance(self, rank: int, calls: list[int], place: int, now: float) -> tuple[int, float]:
        """Run calls of a rank until one waits; return its place and when it begins."""
        begun, senders, mode, begins, ends = self.begun, self.senders, self.mode, self.begins, self.ends
        while place < len(calls):
            call = calls[place]
            if begun[call] == _UNKNOWN:
                begun[call] = now
                self._tell(call, now)
            end = now
            for sender in senders.get(call, ()):
                if begun[sender] == _UNKNOWN:
                    self.waiting[sender].append(rank)
                    return place, now
                end = max(end, begun[sender])
            if mode[call] != _NONE:
                group = self.group[call]
                met = self.latest[group] if mode[call] == _ALL else self.root_begun[group]
                if met == _UNKNOWN or (mode[call] == _ALL and self.missing[group]):
                    self.waiting[-1 - group].append(rank)
                    return place, now
                end = max(end, met)
            place += 1
            now = end + (max(0.0, begins[calls[place]] - ends[call]) if place < len(calls) else 0.0)
        return place, now

    def _tell(self, call: int, now: float) -> None:
        """Wake those that wait for this call, or for its collective."""
        if call in self.waiting:
            self.ready += self.waiting.pop(call)
        group = self.group[call]
        if group < 0:
            return
        self.missing[group] -= 1
        self.latest[group] = max(self.latest[group], now)
        if self.is_root[call]:
            self.root_begun[group] = now
        if -1 - group in self.waiting and (self.is_root[call] or not self.missing[group]):
            self.ready += self.waiting.pop(-1 - group)


def _modes(timeline: Timeline, chosen: Counts, groups: Counts, number: int) -> Counts:
    """What the end of each call of a collective waits for."""
    events = timeline.events
    is_root = timeline.root[chosen] == events.rank[chosen]
    has_root = np.zeros(number, bool)
    has_root[groups[is_root]] = True
    from_root = named(events, procedures.FROM_ROOT)[chosen] & has_root[groups]
    to_root = named(events, procedures.TO_ROOT)[chosen]
    return np.where(from_root, np.where(is_root, _NONE, _ROOT), np.where(to_root & ~is_root, _NONE, _ALL))


def _senders(events: Events) -> dict[int, list[int]]:
    """For each call in which messages end, the calls that sent them."""
    found: dict[int, list[int]] = defaultdict(list)
    receivers, senders = (waiting_calls(events, ends).tolist() for ends in (events.receives, events.sends))
    for receiver, sender in zip(receivers, senders, strict=True):
        found[receiver].append(sender)
    return dict(found)
