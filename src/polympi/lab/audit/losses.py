"""The time that each call lost, and why: pure functions of a timeline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polympi.lab.audit import procedures
from polympi.lab.audit.layout import Role
from polympi.lab.audit.model import Cause, Counts, Events, Floats
from polympi.lab.audit.timeline import Timeline

SMALL_BYTES = 4096  # below this a message costs about the same whatever its size
FEWEST_IN_ROW = 4  # fewer messages in a row aren't a pattern
LARGE_BYTES = 65536  # above this, data takes longer to travel than a call does to begin
_BLOCKING = procedures.SENDS | procedures.EXCHANGES | {"MPI_Recv"}


@dataclass(frozen=True)
class Losses:
    """Seconds lost by each event, by cause; and the rank that was waited for, -1 if none was."""

    seconds: dict[Cause, Floats]
    blamed: Counts


def losses_of(timeline: Timeline) -> Losses:
    """What each call lost. No second counts twice: what a call waited for others is no longer transfer or overlap."""
    events = timeline.events
    length = np.maximum(events.end - events.begin, 0.0)
    blamed = np.full(len(length), -1, np.int64)
    found = {Cause.LATE_SENDER: _late_sender(events, blamed), Cause.LATE_RECEIVER: _late_receiver(events, blamed)}
    found[Cause.IMBALANCE] = _imbalance(timeline, blamed)
    left = np.maximum(length - sum(found.values()), 0.0)
    left[(events.role & Role.CALL) == 0] = 0.0
    found[Cause.SMALL_MESSAGES] = _small_messages(events, left, blamed)
    left = left - found[Cause.SMALL_MESSAGES]
    found[Cause.BLOCKING] = _blocking(events, left)
    found[Cause.TRANSFER] = np.where(_communicates(events), left - found[Cause.BLOCKING], 0.0)
    return Losses(found, blamed)


def named(events: Events, names: frozenset[str]) -> NDArray[np.bool_]:
    """Which events are calls of one of these procedures."""
    of_procedure = np.array([procedures.plain(name) in names for name in events.procedures])
    found: NDArray[np.bool_] = of_procedure[events.procedure] & ((events.role & Role.CALL) != 0)
    return found


def _communicates(events: Events) -> NDArray[np.bool_]:
    """Which calls move data or wait for it, of which those with peers, collectives and waits do."""
    waits = named(events, procedures.WAITS_FOR_ALL | procedures.WAITS_FOR_ANY | procedures.OF_WINDOWS)
    with_data = (events.role & (Role.SENDS | Role.RECEIVES | Role.COLLECTIVE)) != 0
    found: NDArray[np.bool_] = ((events.role & Role.CALL) != 0) & (waits | with_data)
    return found


def waiting_calls(events: Events, receives: Counts) -> Counts:
    """The call in which each receive ended: itself, or the one of the same thread that ends at the same time."""
    lines = numbered(events.rank, events.thread)
    calls = np.flatnonzero((events.role & Role.CALL) != 0)
    order = calls[np.lexsort((events.begin[calls], events.end[calls], lines[calls]))]
    found = receives.copy()
    apart = np.flatnonzero((events.role[receives] & Role.CALL) == 0)
    for line in np.unique(lines[receives[apart]]):
        here = order[lines[order] == line]
        wanted = apart[lines[receives[apart]] == line]
        place = np.searchsorted(events.end[here], events.end[receives[wanted]], side="left")
        found[wanted] = here[np.minimum(place, len(here) - 1)] if len(here) else receives[wanted]
    return found


def _late_sender(events: Events, blamed: Counts) -> Floats:
    """Time that a call waited before the last of its messages was sent."""
    lost = np.zeros(len(events.begin))
    calls = _with_probes(events, waiting_calls(events, events.receives))
    late = np.minimum(events.begin[events.sends], events.end[calls]) - events.begin[calls]
    np.maximum.at(lost, calls, late)
    is_last = (late > 0) & (late == lost[calls])
    blamed[calls[is_last]] = events.rank[events.sends[is_last]]
    return lost


def _with_probes(events: Events, receives: Counts) -> Counts:
    """The same calls, but the probe before those that receive what it has found: it waited for the message."""
    finds = named(events, procedures.FINDS)
    moves = (events.role & (Role.SENDS | Role.RECEIVES | Role.COLLECTIVE)) != 0
    order = _calls_by_thread(events)
    order = order[(finds | moves)[order]]  # not those that only ask how large the message is
    if not len(order):
        return receives
    lines = numbered(events.rank, events.thread)
    place = np.zeros(len(events.begin), np.int64)
    place[order] = np.arange(len(order))
    before = order[np.maximum(place[receives] - 1, 0)]
    found = finds[before] & named(events, procedures.TAKES)[receives]
    found &= (lines[before] == lines[receives]) & (events.peer[before] == events.peer[receives])
    return np.where(found, before, receives)


def _late_receiver(events: Events, blamed: Counts) -> Floats:
    """Time that a blocking send, or the wait for another one, took until its receive was begun."""
    lost = np.zeros(len(events.begin))
    blocking = named(events, procedures.SENDS)[events.sends]
    calls = np.where(blocking, events.sends, _waits_at(events, events.sends, events.begin[events.receives]))
    late = events.begin[events.receives] - events.begin[calls]
    # A send whose receive begins after its end did not wait; a wait may be for a message that it has received.
    waited = (calls >= 0) & (late > 0) & (events.begin[events.receives] <= events.end[calls])
    waited &= blocking | ~np.isin(calls, waiting_calls(events, events.receives))
    np.maximum.at(lost, calls[waited], late[waited])
    is_last = waited & (late == lost[calls])
    blamed[calls[is_last]] = events.rank[events.receives[is_last]]
    return lost


def _waits_at(events: Events, sends: Counts, moments: Floats) -> Counts:
    """The call in which the thread of each send waits for requests at a moment; -1 if it doesn't, or waited before."""
    order = _calls_by_thread(events)
    lines = numbered(events.rank, events.thread)
    width = float(events.end.max() - events.begin.min()) + 1.0
    place = np.searchsorted(
        lines[order] * width + events.begin[order] - events.begin.min(),
        lines[sends] * width + moments - events.begin.min(),
        side="right",
    )
    calls = order[np.maximum(place - 1, 0)]
    waits = named(events, procedures.WAITS_FOR_ALL | procedures.WAITS_FOR_ANY)[calls] & (lines[calls] == lines[sends])
    return np.where(waits & (events.begin[calls] >= events.begin[sends]), calls, -1)


def collective_calls(events: Events) -> tuple[Counts, Counts]:
    """The calls of blocking collectives, and the number of the collective that each belongs to."""
    both = Role.COLLECTIVE | Role.CALL
    blocks = np.array([procedures.blocking(name) == procedures.plain(name) for name in events.procedures])
    is_one = ((events.role & both) == both) & (events.communicator >= 0)
    chosen = np.flatnonzero(is_one & blocks[events.procedure])
    return chosen, numbered(events.communicator[chosen], events.number[chosen])


def numbered(*columns: Counts) -> Counts:
    """A number from 0 for each combination of values."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        low = int(column.min()) if len(column) else 0
        width = int(column.max()) - low + 1 if len(column) else 1
        key = np.unique(key * width + (column - low), return_inverse=True)[1].astype(np.int64)
    return key


def _imbalance(timeline: Timeline, blamed: Counts) -> Floats:
    """Time in a collective before the last rank that it needs began it, or the root if it needs only that one."""
    events = timeline.events
    lost = np.zeros(len(events.begin))
    chosen, group = collective_calls(events)
    if not len(chosen):
        return lost
    order = np.lexsort((events.begin[chosen], group))
    last = np.zeros(group.max() + 1, np.int64)
    last[group[order]] = chosen[order]  # the one that begins last is written last
    is_root = timeline.root[chosen] == events.rank[chosen]
    root_of = np.full(group.max() + 1, -1, np.int64)
    root_of[group[is_root]] = chosen[is_root]
    from_root = named(events, procedures.FROM_ROOT)[chosen] & (root_of[group] >= 0)
    reason = np.where(from_root, root_of[group], last[group])
    waits = np.where(from_root, ~is_root, is_root | ~named(events, procedures.TO_ROOT)[chosen])
    late = np.minimum(events.begin[reason], events.end[chosen]) - events.begin[chosen]
    lost[chosen] = np.where(waits, np.maximum(late, 0.0), 0.0)
    waited = lost[chosen] > 0
    blamed[chosen[waited]] = events.rank[reason[waited]]
    return lost


def _small_messages(events: Events, left: Floats, blamed: Counts) -> Floats:
    """Time of small messages in a row to one rank, but for what one message would take."""
    lost = np.zeros(len(left))
    order = _calls_by_thread(events)
    if not len(order):
        return lost
    sends = (events.role[order] & Role.SENDS) != 0
    small = sends & (events.peer[order] >= 0) & (events.bytes[order] < SMALL_BYTES)
    follows = small & np.concatenate([[False], small[:-1]])
    for values in (events.rank, events.thread, events.peer, events.communicator, events.site):
        follows[1:] &= values[order[1:]] == values[order[:-1]]
    run = np.cumsum(~follows) - 1
    length = np.bincount(run, weights=small)[run]
    repeated = small & (length >= FEWEST_IN_ROW)
    lost[order[repeated]] = left[order[repeated]] * (1 - 1 / length[repeated])
    blamed[order[repeated]] = events.peer[order[repeated]]
    return lost


def _blocking(events: Events, left: Floats) -> Floats:
    """Transfer time of large blocking messages that the computation after them is long enough to hide."""
    lost = np.zeros(len(left))
    order = _calls_by_thread(events)
    before, after = order[:-1], order[1:]
    same = (events.rank[after] == events.rank[before]) & (events.thread[after] == events.thread[before])
    computed = np.where(same, np.maximum(events.begin[after] - events.end[before], 0.0), 0.0)
    chosen = named(events, _BLOCKING)[before] & (events.bytes[before] >= LARGE_BYTES)
    lost[before[chosen]] = np.minimum(left[before[chosen]], computed[chosen])
    return lost


def _calls_by_thread(events: Events) -> Counts:
    """The calls, those of each thread after one another."""
    calls = np.flatnonzero((events.role & Role.CALL) != 0)
    return calls[np.lexsort((events.begin[calls], events.thread[calls], events.rank[calls]))]
