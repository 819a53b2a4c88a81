"""The calls between the marks that the harness makes around the iterations of each case (``common_start_mark``)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from polympi.lab.audit import procedures
from polympi.lab.audit.files import RankFile, Records
from polympi.lab.audit.layout import EVENT, NO_COMMUNICATOR, Role
from polympi.lab.errors import ResultError

MARK = "MPI_Comm_set_name"
MARKED = "polympi common start"  # COMMON_START_NAME in common_start.h


@dataclass
class Window:
    """What a rank did in all iterations of a case; the harness's own messages are left out."""

    calls: Counter[str] = field(default_factory=Counter)
    messages: Counter[int] = field(default_factory=Counter)
    collective_bytes: Counter[str] = field(default_factory=Counter)


def windows_of(file: RankFile) -> list[Window]:
    """The windows of a rank, one per case, in their order. ResultError if its timeline doesn't hold all of them."""
    if any(segment.lost for segment in file.segments):
        raise ResultError("the timeline had no room for all calls")
    harness = [n for n, one in enumerate(file.communicators) if file.text(int(one["name"])) == MARKED]
    found: list[Window] = []
    inside = False
    for event in _events(file):
        name = file.procedure(int(event["procedure"]))
        if int(event["communicator"]) in harness:
            if name == MARK:
                inside = not inside
                if inside:
                    found.append(Window())
        elif inside:
            _take(found[-1], name, event)
    if inside:
        raise ResultError("it ended within a case")
    return found


def _events(file: RankFile) -> Records:
    """The events of all threads in the order in which they ended."""
    events: Records = np.concatenate([np.empty(0, EVENT), *(segment.events() for segment in file.segments)])
    return events[np.argsort(events["end"], kind="stable")]


def _take(window: Window, name: str, event: Records) -> None:
    role = Role(int(event["role"]))
    if role & Role.CALL:
        window.calls[name] += 1
    if role & Role.SENDS and int(event["peer"]) >= 0:
        window.messages[int(event["bytes"])] += 1
    if role & Role.COLLECTIVE and procedures.collective(name) and int(event["communicator"]) != NO_COMMUNICATOR:
        window.collective_bytes[name] += int(event["bytes"])
