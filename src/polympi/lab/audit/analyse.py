"""Everything that the files of a job say, put together."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from polympi.lab.audit import layout
from polympi.lab.audit.clock import Clock, clock_of
from polympi.lab.audit.communicators import Known, known_communicators
from polympi.lab.audit.files import RankFile
from polympi.lab.audit.findings import Key, findings_of, findings_of_profile
from polympi.lab.audit.job import Job, read_job
from polympi.lab.audit.layout import State
from polympi.lab.audit.look import look
from polympi.lab.audit.model import Audit, Calls, Communicator, Efficiency, Finding, Rank, Site
from polympi.lab.audit.processes import Processes
from polympi.lab.audit.profile import calls_of, messages_of
from polympi.lab.audit.recorder import WITHOUT_TIMELINE
from polympi.lab.audit.replay import ideal_seconds
from polympi.lab.audit.sites import SiteNames
from polympi.lab.audit.standing import Activity, Situation, Standing
from polympi.lab.audit.timeline import Timeline, numbers_in_job, timeline_of
from polympi.lab.audit.words import at, details

_ENDED = {
    State.FINALIZED: "finalized",
    State.EXITED: "exited",
    State.ABORTED: "exited",
    State.RUNNING: "cut",
    State.FAILED: "failed",
}
_ENOUGH = 0.5  # of the run
_COST_OF = 1000  # calls whose recording the header's `cost_ticks` is


@dataclass(frozen=True)
class _Times:
    """When a rank began and ended on rank 0's clock, and its time in MPI; seconds."""

    begin: float
    end: float
    in_mpi: float


def analyse(folder: Path) -> Audit:
    """What the newest job in a folder did. ResultError if there is none, or its files are damaged."""
    return analyse_job(read_job(folder))


def noted(audit: Audit, sentence: str) -> Audit:
    """The same with a further note in front."""
    return replace(audit, notes=(sentence, *audit.notes))


def analyse_job(job: Job) -> Audit:
    """What a job did, as far as its files say now."""
    names = SiteNames()
    clocks = [clock_of(file) for file in job.files]
    known = known_communicators(job.files)
    numbers_of = {identity: number for number, identity in enumerate(known)}
    sites: dict[Site, int] = {}
    numbers = [numbers_in_job(file, sites, names.of(file), numbers_of) for file in job.files]
    begin_ns = min(
        float(clock.ns(file.header["first"]["ticks"])) for clock, file in zip(clocks, job.files, strict=True)
    )
    timeline = timeline_of(job.files, clocks, numbers, list(sites), begin_ns)
    situation = look(job, names, Processes())
    open_seconds = [_open_seconds(situation.standings[file.rank]) for file in job.files]
    communicators = [one.name for one in known.values()]
    calls = calls_of(job.files, clocks, numbers, list(sites), communicators=communicators, open_seconds=open_seconds)
    times = [
        _times(file, clock, begin_ns, situation.standings[file.rank])
        for file, clock in zip(job.files, clocks, strict=True)
    ]
    seconds = max(one.end for one in times)
    total = sum(one.end - one.begin for one in times)
    messages, volume = messages_of(job.files, job.size)
    first = job.files[0]
    return Audit(
        folder=str(job.folder),
        program=shlex.join(first.header_text("program").splitlines()),
        library=first.header_text("library"),
        began=_began(job.files),
        seconds=seconds,
        ranks=tuple(_ranks(job, times, clocks, situation)),
        missing=job.missing,
        call_cost=_cost(job.files, clocks),
        calls=tuple(calls.values()),
        efficiency=_efficiency(times, timeline),
        findings=_findings(timeline, calls, total),
        messages=messages,
        message_bytes=volume,
        communicators=tuple(_communicators(known, calls)),
        events=timeline.events if timeline and _kept(job.files) else None,
        notes=(*job.notes, *_notes(job.files)),
    )


def _kept(files: Sequence[RankFile]) -> bool:
    """Whether a timeline was asked for; without one, a few events are there for the roll call."""
    return any(int(file.header["timeline"]) > WITHOUT_TIMELINE for file in files)


def _findings(timeline: Timeline | None, calls: Mapping[Key, Calls], total: float) -> tuple[Finding, ...]:
    """From the timeline if it covers most of the run, else from the sums."""
    if timeline is not None and timeline.covers >= _ENOUGH:
        return findings_of(timeline, calls, total)
    return findings_of_profile(list(calls.values()), total)


def _times(file: RankFile, clock: Clock, begin_ns: float, standing: Standing) -> _Times:
    """The rank's end is that of MPI, or the last thing that its file knows of; now if it still runs."""
    segments = file.segments
    last = max((int(segment.record["current"]["since"]) for segment in segments), default=0)
    ticks = last if _runs(standing) and last else max(int(file.header["last"]["ticks"]), last)
    begin, end = ((float(clock.ns(moment)) - begin_ns) / 1e9 for moment in (file.header["first"]["ticks"], ticks))
    inside = max((float(clock.seconds(segment.record["in_mpi"])) for segment in segments), default=0.0)
    if standing.call is not None and _runs(standing):
        end += standing.call.seconds
        inside += _open_seconds(standing)
    return _Times(begin, max(begin, end), min(inside, max(0.0, end - begin)))


def _runs(standing: Standing) -> bool:
    return standing.state == State.RUNNING and standing.process.activity not in (Activity.GONE, Activity.UNKNOWN)


def _open_seconds(standing: Standing) -> float:
    """How long a rank has been in a call that has not ended."""
    return standing.call.seconds if standing.call is not None and standing.inside and _runs(standing) else 0.0


def _efficiency(times: Sequence[_Times], timeline: Timeline | None) -> Efficiency:
    """The efficiencies; useful time is that outside of MPI. Source: see :class:`Efficiency`."""
    length = max(one.end for one in times) - min(one.begin for one in times)
    useful = np.array([one.end - one.begin - one.in_mpi for one in times])
    if length <= 0 or useful.max() <= 0:
        return Efficiency(0.0, 1.0, 0.0, None, None)
    balance, communication = float(useful.mean() / useful.max()), float(useful.max() / length)
    serialisation = transfer = None
    if timeline is not None and timeline.whole:
        events = timeline.events
        ideal, real = ideal_seconds(timeline), float(events.end.max() - events.begin.min())
        if ideal is not None and real > 0:
            # What the timeline does not cover, before the first call and after the last, is the same in both.
            transfer = min(1.0, max(communication, (length - real + ideal) / length))
            serialisation = communication / transfer
    return Efficiency(balance * communication, balance, communication, serialisation, transfer)


def _ranks(job: Job, times: Sequence[_Times], clocks: Sequence[Clock], situation: Situation) -> list[Rank]:
    found = []
    for file, time, clock in zip(job.files, times, clocks, strict=True):
        segments = file.segments
        found.append(
            Rank(
                rank=file.rank,
                host=file.host,
                pid=int(file.header["pid"]),
                seconds=time.end - time.begin,
                in_mpi=time.in_mpi,
                ended=_ended(situation.standings[file.rank]),
                calls=sum(int(segment.entries["calls"].sum()) for segment in segments),
                events_lost=sum(segment.lost for segment in segments),
                clock_error=None if clock.error_ns is None else clock.error_ns / 1e9,
                last=_last(situation, file.rank),
            )
        )
    return found


def _ended(standing: Standing) -> str:
    ended = _ENDED[standing.state]
    return "finalizing" if ended == "exited" and standing.inside_finalize else ended


def _last(situation: Situation, rank: int) -> str:
    standing = situation.standings[rank]
    if standing.call is None:
        return ""
    more = details(standing.call, situation)
    text = f"{at(standing.call)}{f' ({more})' if more else ''}"
    return f"in {text}" if standing.inside else f"after {text}"


def _began(files: Sequence[RankFile]) -> str:
    moment = min(int(file.header["started_ns"]) for file in files) / 1e9
    return datetime.datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")


def _cost(files: Sequence[RankFile], clocks: Sequence[Clock]) -> float:
    costs = [float(clock.seconds(file.header["cost_ticks"])) for file, clock in zip(files, clocks, strict=True)]
    return float(np.median(costs)) / _COST_OF


def _communicators(known: Mapping[int, Known], calls: Mapping[Key, Calls]) -> list[Communicator]:
    seconds: dict[int, float] = {}
    for (_, _, communicator), one in calls.items():
        seconds[communicator] = seconds.get(communicator, 0.0) + float(one.seconds.sum())
    return [
        Communicator(one.name, one.size, tuple(one.ranks), max(one.begun.values()), seconds.get(number, 0.0))
        for number, one in enumerate(known.values())
    ]


def _notes(files: Sequence[RankFile]) -> list[str]:
    """What the recorder had no room for."""
    notes = []
    entries, pending = (
        sum(int(segment.record[name]) for file in files for segment in file.segments)
        for name in ("dropped_entries", "dropped_pending")
    )
    if entries:
        notes.append(f"The profile had no room for the sites of {entries} calls, which count as one site.")
    if pending:
        notes.append(f"{pending} requests were not followed, as too many were open at once.")
    if any(len(file.sites) >= layout.MAX_SITES for file in files):
        notes.append("A rank has called MPI from more places than its file can name.")
    return notes
