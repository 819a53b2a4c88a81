"""The sentences of an audit: what takes the time, what each efficiency means, what to do about a site."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePath

from polympi.lab.audit.model import Audit, Cause, Finding
from polympi.lab.audit.procedures import ENDS, plain
from polympi.lab.audit.words import ranks_text
from polympi.lab.conclusions.phrases import count, percent, plain_ratio
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.audit.kinds import COLLECTIVE, kind_of
from polympi.lab.units import format_bytes, format_ns

LITTLE = 0.05  # below this share of the time there is little to gain
SMALL = 4096  # bytes: below, a message costs about the same whatever its size
SHOWN = 3  # findings on the first screen
_LEFT = {
    "exited": "ended without MPI_Finalize",
    "finalizing": "ended in MPI_Finalize, which had not returned",
    "failed": "got an error from MPI_Finalize",
}
PLACES = 4  # where ranks were that had not ended


def program_name(audit: Audit) -> str:
    """The name of the program, or of the script that Python runs."""
    try:
        first, *rest = shlex.split(audit.program) or ["program"]
    except ValueError:  # a quotation that is not closed
        first, *rest = audit.program.split()
    name = PurePath(first).name
    scripts = [word for word in rest if not word.startswith("-")] if name.startswith("python") else []
    return PurePath(scripts[0]).name if scripts else name


def seconds_text(seconds: float) -> str:
    """A time, as :func:`polympi.lab.units.format_ns` writes it."""
    return format_ns(1e9 * seconds)


@dataclass(frozen=True)
class Measure:
    """An efficiency: its name, its value from 0 to 1, None if it is not known, and what it means."""

    name: str
    value: float | None
    meaning: str


def efficiencies(audit: Audit) -> list[Measure]:
    """The efficiencies of the POP project, the product first."""
    found = audit.efficiency
    parts = [
        Measure("Parallel", found.parallel, "how much of the ranks' time is computation"),
        Measure("Load balance", found.load_balance, "how evenly the computation is spread over the ranks"),
    ]
    if found.serialisation is None and found.transfer is None:
        why = "below 100 % where ranks wait or data travels; only a whole timeline shows which"
        return [*parts, Measure("Communication", found.communication, why)]
    return [
        *parts,
        Measure("Serialisation", found.serialisation, "below 100 % where ranks wait, even if messages took no time"),
        Measure("Transfer", found.transfer, "below 100 % where data takes time to travel"),
    ]


def headline(figures: Figures) -> str:
    """The audit in one sentence."""
    audit, share = figures.audit, figures.mpi_share
    if not audit.calls:
        return "No MPI call was recorded."
    begin = f"MPI takes {percent(share)} of the time"
    if not audit.findings or not share:
        return f"{begin}."
    first = audit.findings[0]
    if share < LITTLE:
        little = f"{begin}, so there is little to gain; the largest part, {percent(first.share)}"
        return f"{little}, is {cause(first, figures)}."
    part = "most of it" if first.share > 0.5 * share else "the largest part"
    return f"{begin}; {part}, {percent(first.share)}, is {'' if first.known else 'probably '}{cause(first, figures)}."


def cause(finding: Finding, figures: Figures) -> str:
    """Why a site takes time, as a noun: ``rank 3 arriving late at MPI_Allreduce in solver.py:42``."""
    calls = finding.calls
    at = f"{plain(calls.procedure)} in {figures.places.short(calls.site)}"
    rank = finding.detail.get("rank")
    if finding.cause is Cause.IMBALANCE:
        return f"rank {rank} arriving late at {at}" if rank is not None else f"ranks waiting for each other at {at}"
    if finding.cause is Cause.LATE_SENDER:
        sender = f" of rank {rank}" if rank is not None else ""
        return f"waiting for late messages{sender} at {at}"
    if finding.cause is Cause.LATE_RECEIVER:
        receiver = f"rank {rank}, which receives late," if rank is not None else "receivers that come late"
        return f"waiting for {receiver} at {at}"
    if finding.cause is Cause.SMALL_MESSAGES:
        return f"many small messages{f' to rank {rank}' if rank is not None else ''} at {at}"
    if finding.cause is Cause.TRANSFER:
        return f"MPI's own work at {at}" if _is_small(finding) else f"data on its way at {at}"
    return f"{'a blocking transfer' if finding.cause is Cause.BLOCKING else 'pickled objects'} at {at}"


def _is_small(finding: Finding) -> bool:
    """Whether a call moves so little data that its size hardly matters. How much a wait completes isn't known."""
    size = float(finding.detail.get("mean_bytes", 0))
    return size < SMALL and (size > 0 or kind_of(finding.calls.procedure) is COLLECTIVE)


def advice(finding: Finding) -> str:
    """What to do about a finding."""
    name, rank = plain(finding.calls.procedure), finding.detail.get("rank")
    if finding.cause is Cause.IMBALANCE:
        who = f"Give rank {rank} less to do before it" if rank is not None else "Spread the work before it more evenly"
        later = f", or begin it earlier with {_nonblocking(name)} and compute meanwhile" if _nonblocking(name) else ""
        return f"{who}{later}."
    if finding.cause is Cause.LATE_SENDER:
        who = f"Let rank {rank} send" if rank is not None else "Send"
        early = "post MPI_Irecv and compute until it arrives" if name == "MPI_Recv" else "compute more before waiting"
        return f"{who} before the work that the message doesn't depend on, or {early}."
    if finding.cause is Cause.LATE_RECEIVER:
        who = f"Let rank {rank} post" if rank is not None else "Post"
        return f"{who} MPI_Irecv before the message is sent, or send with MPI_Isend and wait for it later."
    if finding.cause is Cause.TRANSFER and _is_small(finding):
        if name in ENDS or name.startswith("MPI_Init"):
            return "Starting and ending MPI takes its time; in a longer run it is a smaller share."
        size = float(finding.detail.get("mean_bytes", 0))
        moved = f"Each call moves only {format_bytes(size)}: call it less often, for several values at once."
        few = moved if size else "It moves no data: call it less often."
        return f"{few} Where ranks share a processor, they wait for it here."
    return {
        Cause.SMALL_MESSAGES: "Combine messages to the same rank into one: below a few kilobytes, size hardly matters.",
        Cause.BLOCKING: "Use MPI_Isend and MPI_Irecv, compute what doesn't depend on the data, and wait after that.",
        Cause.SERIALISATION: "Send arrays as buffers (with mpi4py: Send, not send), which need no pickle.",
        Cause.TRANSFER: "Send less, such as fewer copies or smaller types, or compute while the data travels.",
    }[finding.cause]


def _nonblocking(procedure: str) -> str:
    """The nonblocking variant of a blocking collective: ``MPI_Iallreduce``; empty if there is none."""
    name = procedure.removeprefix("MPI_")
    has_one = re.fullmatch(r"Neighbor_\w+|Barrier|Bcast|\w*(gatherv?|scatterv?|reduce|scan|toall[vw]?)(_block)?", name)
    return f"MPI_I{name.lower()}" if has_one and name != "Reduce_local" else ""


def loss(finding: Finding) -> str:
    """What a finding costs, in words."""
    sure = "" if finding.known else ", estimated from the profile"
    return f"{percent(finding.share)} of the time, {seconds_text(finding.seconds)} over all ranks{sure}"


def evidence(finding: Finding) -> str:
    """The figures behind a finding."""
    calls = finding.calls
    parts = [count(int(calls.calls.sum()), "call"), f"longest {seconds_text(calls.longest)}"]
    sent = int(calls.messages_sent.sum())
    if sent:
        parts.append(f"{count(sent, 'message')}, {format_bytes(int(calls.bytes_sent.sum()))}")
    return ", ".join(parts)


def troubles(figures: Figures) -> list[str]:
    """What must be known before any figure: ranks that were cut, ranks without a file, what could not be recorded."""
    audit, found = figures.audit, []
    if cut := [rank for rank in audit.ranks if rank.ended == "cut"]:
        places: dict[str, list[int]] = {}
        for rank in cut:
            places.setdefault(rank.last or "without a call", []).append(rank.rank)
        groups = sorted(places.items(), key=lambda one: -len(one[1]))
        where = [f"{ranks_text(ranks)} {last}" for last, ranks in groups[:PLACES]]
        others = sum(len(ranks) for _, ranks in groups[PLACES:])
        where += [f"{count(others, 'rank')} elsewhere"] if others else []
        found.append(f"{count(len(cut), 'rank')} had not ended: {'; '.join(where)}.")
    for ended, text in _LEFT.items():
        if left := [rank.rank for rank in audit.ranks if rank.ended == ended]:
            found.append(f"{ranks_text(left).capitalize()} {text}.")
    if audit.missing:
        found.append(f"Nothing was recorded of {ranks_text(audit.missing)}.")
    return [*found, *audit.notes]


def recording_sentence(figures: Figures) -> str:
    """What recording cost."""
    if not figures.audit.call_cost:
        return "What recording a call costs was not measured."
    share = figures.recording / figures.all_time if figures.all_time else 0.0
    part = percent(share) if share >= 0.0005 else "less than 0.1 %"
    return f"Recording adds {seconds_text(figures.audit.call_cost)} per call, {part} of the time."


def clock_sentence(figures: Figures) -> str:
    """How well times of different ranks can be compared."""
    if len(figures.audit.ranks) < 2:
        return "One rank, one clock."
    if len({rank.host for rank in figures.audit.ranks}) == 1:
        return "All ranks ran on one host, and share its clock."
    error = figures.clock_error
    if error is None:
        return "The clocks of some ranks were not compared, so times of different ranks may be shifted."
    return f"Times of different ranks are comparable to within {seconds_text(error)}, the error of their clocks."


def spread_text(spread: float) -> str:
    """The busiest rank's time over the mean."""
    return f"{plain_ratio(spread)}×"
