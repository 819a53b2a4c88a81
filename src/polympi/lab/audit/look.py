"""The state of all ranks now, from their files and processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from polympi.lab.audit import layout, procedures
from polympi.lab.audit.clock import Clock, clock_of, now_ns
from polympi.lab.audit.communicators import Known, known_communicators
from polympi.lab.audit.files import RankFile, Records, Segment, foremost
from polympi.lab.audit.job import Job
from polympi.lab.audit.layout import NO_PEER, Role, State
from polympi.lab.audit.model import Site
from polympi.lab.audit.processes import Processes
from polympi.lab.audit.sites import SiteNames
from polympi.lab.audit.standing import Activity, Group, Operation, Process, Situation, Standing
from polympi.lab.audit.words import site_text

_POLLS_S = 1.0  # who polls does so more often
# Of a processor from poll to poll: who computes between them takes longer, and who sleeps a tenth of it. On a busy
# machine both need many times as long by the clock.
_WORK_S = 1e-3
_NEWEST = 2000  # events of each thread: a message that is not received is seldom older


def look(job: Job, names: SiteNames, processes: Processes) -> Situation:
    """The state of all ranks of a job at this moment."""
    communicators = known_communicators(job.files)
    standings = {}
    for file in job.files:
        begun = {one.id: one.begun[file.rank] for one in communicators.values() if file.rank in one.begun}
        world = int(file.header["world"])
        if world in begun and _ends(file):  # MPI_Finalize counts as a collective, and here it isn't one
            begun[world] -= 1
        standings[file.rank] = _View(file, names.of(file), processes, begun).standing()
    groups = {one.id: Group(one.id, one.name, _members(one, job)) for one in communicators.values()}
    return Situation(job.size, standings, groups)


def progress_of(job: Job) -> tuple[tuple[int, int, int], ...]:
    """What changes when a rank does something: its calls that ended, whether it is in one, and its state."""
    found = []
    for file in job.files:
        currents = [segment.record["current"] for segment in file.segments]
        calls = sum(int(current["progress"]) for current in currents)
        inside = sum(int(current["inside"]) and not int(current["polls"]) for current in currents)
        found.append((calls, inside, int(file.state)))
    return tuple(found)


def remember(file: RankFile, processes: Processes) -> None:
    """Note what a rank has used until now, so that the next look knows what it has since."""
    processes.look(file.host, int(file.header["pid"]), 0)
    segment = foremost(file.segments)
    if segment is not None:
        _polls(file, segment.record["current"], processes)


def _polls(file: RankFile, current: Records, processes: Processes) -> float | None:
    """How often per second a rank has polled since the last look."""
    return processes.polls(file.host, int(file.header["pid"]), int(current["polls"]))


def _ends(file: RankFile) -> bool:
    """Whether a rank is in MPI_Finalize, or past it."""
    last = (file.procedure(int(one.record["current"]["procedure"])) for one in file.segments)
    return file.state in (State.FINALIZED, State.FAILED) or any(name in procedures.ENDS for name in last)


def _members(one: Known, job: Job) -> tuple[int, ...]:
    """Its ranks; those without a file are known only of a communicator of all."""
    return tuple(range(job.size)) if one.size == job.size else tuple(one.ranks)


@dataclass(frozen=True)
class _View:
    """The file of one rank, as its state is read."""

    file: RankFile
    sites: Sequence[Site]
    processes: Processes
    begun: dict[int, int]

    @cached_property
    def _clock(self) -> Clock:
        return clock_of(self.file)

    @cached_property
    def _now(self) -> float:
        return now_ns(self.file, here=self.processes.is_here(self.file.host))

    @cached_property
    def _segments(self) -> list[Segment]:
        return self.file.segments

    @cached_property
    def _events(self) -> Records:
        """The newest events of all threads, in the order in which they ended."""
        parts = [segment.events(_NEWEST) for segment in self._segments]
        events = np.concatenate(parts) if parts else np.empty(0, layout.EVENT)
        return events[np.argsort(events["end"], kind="stable")]

    def standing(self) -> Standing:
        """Where the rank stands."""
        pid = int(self.file.header["pid"])
        segment = foremost(self._segments)
        if segment is None:
            process = self.processes.look(self.file.host, pid, pid)
            return Standing(self.file.rank, self.file.state, begun=self.begun, process=process)
        current = segment.record["current"].copy()
        process = self.processes.look(self.file.host, pid, segment.thread)
        call = self._operation(current, int(current["since"]))
        inside = bool(current["inside"]) and call.procedure not in procedures.POLLS
        if inside and procedures.collective(call.procedure):
            call = replace(call, number=int(current["number"]))
        return Standing(
            rank=self.file.rank,
            state=self.file.state,
            inside=inside,
            call=call,
            progress=sum(int(one.record["current"]["progress"]) for one in self._segments),
            polls=0 if inside or self._computes(current, process) else int(current["polls"]),
            polling=self._age(int(current["first_poll"])) if current["polls"] else 0.0,
            pending=tuple(self._pending()),
            begun=self.begun,
            sent=self._having(Role.SENDS),
            received=self._having(Role.RECEIVES),
            sent_to=self._totals("messages_sent"),
            received_from=self._totals("messages_received"),
            collectives={
                (one.communicator, one.number or 0): one
                for one in self._having(Role.COLLECTIVE)
                if one.procedure not in procedures.ENDS
            },
            locked=self._locked(),
            process=process,
        )

    def _computes(self, current: Records, process: Process) -> bool:
        """Whether a rank that polls does something else between its polls, after which it may stop polling."""
        if self._age(int(current["since"])) > _POLLS_S:
            return True
        polls = _polls(self.file, current, self.processes)
        if polls is None or process.busy is None:
            return False
        if not polls and process.activity is Activity.RUNNING:
            return True  # it would do something, and may get no processor
        return process.busy > _WORK_S * max(polls, 1 / _POLLS_S)

    def _age(self, ticks: int) -> float:
        """Seconds since a moment."""
        return max(0.0, (self._now - float(self._clock.ns(ticks, corrected=False))) / 1e9)

    def _communicator(self, number: int) -> int:
        table = self.file.communicators
        return int(table[number]["id"]) if number < len(table) else 0

    def _operation(self, record: Records, since: int, number: int | None = None) -> Operation:
        """An operation from a record of the timeline, of the pending ones, or the current one."""
        site = int(record["site"])
        return Operation(
            procedure=self.file.procedure(int(record["procedure"])),
            communicator=self._communicator(int(record["communicator"])),
            peer=int(record["peer"]),
            tag=int(record["tag"]),
            bytes=int(record["bytes"]),
            site=site_text(self.sites[site]) if site < len(self.sites) else "",
            seconds=self._age(since),
            number=number,
            root=int(record["root"]) if "root" in (record.dtype.names or ()) else NO_PEER,
        )

    def _having(self, role: Role) -> tuple[Operation, ...]:
        """The newest events with a role."""
        chosen = self._events[(self._events["role"] & role) != 0]
        numbered = role == Role.COLLECTIVE
        return tuple(self._operation(one, int(one["end"]), int(one["number"]) if numbered else None) for one in chosen)

    def _pending(self) -> list[Operation]:
        """What has begun and not ended, oldest first; a collective with the number that its begin has."""
        records = np.concatenate([one.pending[one.pending["request"] != 0] for one in self._segments])
        records = records[np.argsort(records["since"], kind="stable")]
        found = []
        collectives = self._events[(self._events["role"] & Role.COLLECTIVE) != 0]
        for record in records:
            operation = self._operation(record, int(record["since"]))
            if procedures.collective(operation.procedure):
                begun = collectives[
                    (collectives["begin"] == record["since"]) & (collectives["procedure"] == record["procedure"])
                ]
                number = int(begun[-1]["number"]) if len(begun) else self.begun.get(operation.communicator, 1) - 1
                operation = replace(operation, number=number)
            found.append(operation)
        return found

    def _totals(self, name: str) -> dict[int, int]:
        """Messages to or from each rank."""
        sums = np.sum([one.peers[name].astype(np.int64) for one in self._segments], axis=0)
        return dict(enumerate(sums.tolist()))

    def _locked(self) -> tuple[Operation, ...]:
        """Locks of windows that have not been given back."""
        held: dict[tuple[int, int], Operation] = {}
        for event in self._events[(self._events["role"] & Role.CALL) != 0]:
            name = self.file.procedure(int(event["procedure"]))
            if name not in procedures.LOCKS | procedures.UNLOCKS:
                continue
            operation = self._operation(event, int(event["end"]))
            key = operation.communicator, operation.peer
            if name in procedures.LOCKS:
                held[key] = operation
            else:
                held.pop(key, None)
        return tuple(held.values())
