"""The timeline thread by thread in the order of time, as formats of traces want it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum

from polympi.lab.audit.layout import Role
from polympi.lab.audit.model import Audit, Events
from polympi.lab.errors import UsageError


class What(Enum):
    """What happens."""

    BEGIN = "begin"  # a call begins; if it sends, the message sets off
    ARRIVED = "arrived"  # a message is complete
    END = "end"  # a call ends


@dataclass(frozen=True)
class Step:
    """A moment of a thread."""

    nanoseconds: int  # since the first rank was initialized
    what: What
    event: int  # its index


@dataclass(frozen=True)
class Line:
    """An event as plain numbers, which loops read faster than arrays."""

    procedure: int
    site: int
    peer: int
    tag: int
    bytes: int
    communicator: int
    role: int


def columns(events: Events) -> list[Line]:
    """All events as plain numbers."""
    arrays = (events.procedure, events.site, events.peer, events.tag, events.bytes, events.communicator, events.role)
    return [Line(*numbers) for numbers in zip(*(array.tolist() for array in arrays), strict=True)]


def events_of(audit: Audit, form: str) -> Events:
    """The timeline of an audit; a UsageError if it has none."""
    if audit.events is None or not len(audit.events.rank):
        raise UsageError(f"This audit has no timeline, so there is nothing to write as {form}: record it with one.")
    return audit.events


def steps(events: Events) -> dict[tuple[int, int], list[Step]]:
    """The steps of each (rank, thread), the earliest first; a call ends before the next one begins."""
    found: dict[tuple[int, int], list[Step]] = defaultdict(list)
    begin = (events.begin * 1e9).round().astype(int).tolist()
    end = (events.end * 1e9).round().astype(int).tolist()
    lines = zip(events.rank.tolist(), events.thread.tolist(), events.role.tolist(), strict=True)
    earliest = min(0, min(begin, default=0))  # formats have no times below zero
    calls, receives = Role.CALL.value, Role.RECEIVES.value  # plain numbers are faster
    for event, (rank, thread, role) in enumerate(lines):
        own = found[rank, thread]
        if role & calls:
            own.append(Step(begin[event] - earliest, What.BEGIN, event))
        if role & receives:
            own.append(Step(end[event] - earliest, What.ARRIVED, event))
        if role & calls:
            own.append(Step(end[event] - earliest, What.END, event))
    for own in found.values():
        own.sort(key=lambda step: step.nanoseconds)  # stable: of the same moment, the end of the earlier call is first
    return dict(sorted(found.items()))
