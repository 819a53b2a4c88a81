"""The timeline as a trace for Perfetto: a process per rank, a track per thread, an arrow per message.

Fields are those of ``protos/perfetto/trace`` in Perfetto's source.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from polympi.lab.audit.layout import NO_PEER, NO_TAG
from polympi.lab.audit.model import Audit, Events
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.report.audit.kinds import kind_of
from polympi.lab.report.audit.places import Places
from polympi.lab.report.audit.steps import Line, Step, What, columns, events_of, steps
from polympi.lab.report.audit.wire import block, fixed64, integer

# Numbers of fields: of Trace; of TracePacket; of the descriptors of tracks, processes and threads; of TrackEvent;
# of InternedData; of DebugAnnotation.
_PACKET = 1
_TIMESTAMP, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _TRACK = 8, 10, 11, 12, 13, 60
_TRACK_UUID, _TRACK_NAME, _TRACK_PROCESS, _TRACK_THREAD, _TRACK_PARENT = 1, 2, 3, 4, 5
_PROCESS_PID, _PROCESS_NAME, _THREAD_PID, _THREAD_TID, _THREAD_NAME = 1, 6, 1, 2, 5
_EVENT_NOTE, _EVENT_TYPE, _EVENT_NAME_ID, _EVENT_TRACK, _EVENT_CATEGORY = 4, 9, 10, 11, 22
_EVENT_NAME, _EVENT_FLOWS, _EVENT_LAST_FLOWS = 23, 47, 48
_INTERNED_NAMES, _INTERNED_TEXTS = 2, 29
_NOTE_NAME, _NOTE_INTEGER, _NOTE_TEXT_ID = 10, 4, 17
_BEGIN, _END, _INSTANT = 1, 2, 3
_CLEARED, _NEEDS_STATE = 1, 2  # of the names that packets refer to by number


def write_perfetto(audit: Audit, path: Path) -> Path:
    """Write the trace; a UsageError if the audit has none, or the file can't be written."""
    events = events_of(audit, "a Perfetto trace")
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as stream:
            stream.writelines(block(_PACKET, packet) for packet in _packets(audit, events))
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"Cannot write '{path}': {system_reason(error)}.") from error
    return path


def _packets(audit: Audit, events: Events) -> Iterator[bytes]:
    threads = steps(events)
    yield _names(audit, events)
    hosts = {rank.rank: rank.host for rank in audit.ranks}
    for rank in sorted({rank for rank, _ in threads}):
        # Perfetto tells processes apart by their numbers, which several hosts can have: ranks are unique.
        name = f"rank {rank} on {hosts[rank]}" if rank in hosts else f"rank {rank}"
        process = integer(_PROCESS_PID, rank + 1) + block(_PROCESS_NAME, name)
        yield block(_TRACK, integer(_TRACK_UUID, _process(rank)) + block(_TRACK_PROCESS, process))
    made = _Packets(events)
    for number, ((rank, thread), own) in enumerate(threads.items()):
        track = number + 1
        # Threads of different hosts may have the same number.
        body = integer(_THREAD_PID, rank + 1) + integer(_THREAD_TID, 10**6 + number)
        described = integer(_TRACK_UUID, track) + integer(_TRACK_PARENT, _process(rank))
        yield block(_TRACK, described + block(_TRACK_THREAD, body + block(_THREAD_NAME, f"thread {thread}")))
        for step in own:
            yield made.packet(step, track)


def _process(rank: int) -> int:
    return 2**32 + rank


def _names(audit: Audit, events: Events) -> bytes:
    """The first packet: the names that the others refer to by number, from 1 on; and what wrote this."""
    names = [integer(1, i + 1) + block(2, name) for i, name in enumerate(events.procedures)]
    places = Places(events.sites)
    texts = [f"made by polympi {metadata.version('polympi')}", *(places.short(site) for site in events.sites)]
    texts += [one.name for one in audit.communicators]
    interned = b"".join(
        [
            *(block(_INTERNED_TEXTS, integer(1, i + 1) + block(2, text)) for i, text in enumerate(texts)),
            *(block(_INTERNED_NAMES, name) for name in names),
        ]
    )
    return integer(_SEQUENCE, 1) + integer(_FLAGS, _CLEARED | _NEEDS_STATE) + block(_INTERNED, interned)


class _Flows:
    """The arrows that begin at a send, or end where its message has arrived. Perfetto wants them to point forward."""

    def __init__(self, events: Events) -> None:
        self.leaving: dict[int, list[int]] = {}
        self.arriving: dict[int, list[int]] = {}
        for number, (send, receive) in enumerate(zip(events.sends.tolist(), events.receives.tolist(), strict=True)):
            if events.begin[send] < events.end[receive]:
                self.leaving.setdefault(send, []).append(number + 1)
                self.arriving.setdefault(receive, []).append(number + 1)


class _Packets:
    """The packets of single steps."""

    def __init__(self, events: Events) -> None:
        self.columns = columns(events)
        self.flows = _Flows(events)
        self.first_communicator = 2 + len(events.sites)
        self.categories = [block(_EVENT_CATEGORY, kind_of(name).name) for name in events.procedures]

    def packet(self, step: Step, track: int) -> bytes:
        """One step of a thread."""
        parts = [integer(_EVENT_TRACK, track)]
        if step.what is What.END:
            parts.append(integer(_EVENT_TYPE, _END))
        elif step.what is What.ARRIVED:
            parts += self._arrived(self.columns[step.event], step.event)
        else:
            parts += self._begun(self.columns[step.event], step.event)
        head = integer(_TIMESTAMP, step.nanoseconds) + _FROM_US
        return head + block(_EVENT, b"".join(parts))

    def _arrived(self, one: Line, event: int) -> list[bytes]:
        name = f"from rank {one.peer}" if one.peer >= 0 else "a message"
        flows = [fixed64(_EVENT_LAST_FLOWS, flow) for flow in self.flows.arriving.get(event, ())]
        return [_INSTANT_MESSAGE, block(_EVENT_NAME, name), *flows, _number("bytes", one.bytes)]

    def _begun(self, one: Line, event: int) -> list[bytes]:
        """The call, and what a click on it shows."""
        parts = [_BEGINS, integer(_EVENT_NAME_ID, one.procedure + 1), self.categories[one.procedure]]
        parts += [fixed64(_EVENT_FLOWS, flow) for flow in self.flows.leaving.get(event, ())]
        parts.append(_text("site", 2 + one.site))
        if one.peer != NO_PEER:
            parts.append(_number("peer", one.peer))
        if one.tag != NO_TAG:
            parts.append(_number("tag", one.tag))
        if one.bytes:
            parts.append(_number("bytes", one.bytes))
        if one.communicator >= 0:
            parts.append(_text("communicator", self.first_communicator + one.communicator))
        return parts


_FROM_US = integer(_SEQUENCE, 1) + integer(_FLAGS, _NEEDS_STATE)
_BEGINS = integer(_EVENT_TYPE, _BEGIN)
_INSTANT_MESSAGE = integer(_EVENT_TYPE, _INSTANT) + block(_EVENT_CATEGORY, "message")


@lru_cache(maxsize=10_000)
def _number(name: str, value: int) -> bytes:
    return block(_EVENT_NOTE, block(_NOTE_NAME, name) + integer(_NOTE_INTEGER, value))


@lru_cache(maxsize=10_000)
def _text(name: str, number: int) -> bytes:
    return block(_EVENT_NOTE, block(_NOTE_NAME, name) + integer(_NOTE_TEXT_ID, number))
