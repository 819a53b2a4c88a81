"""The sentences of an audit: what takes the time, what each efficiency means, what to do about a site."""

from __future__ import annotations

from dataclasses import dataclass

from polympi.lab.audit.model import Audit, Cause, Finding
from polympi.lab.conclusions.phrases import count, first_few, percent, plain_ratio
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.audit.kinds import COLLECTIVE, kind_of
from polympi.lab.units import format_bytes, format_ns

LITTLE = 0.05  # below this share of the time there is little to gain
SHOWN = 3  # findings on the first screen


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
        Measure("Parallel", found.parallel, "the share of the ranks' time that is computation"),
        Measure("Load balance", found.load_balance, "how evenly the computation is spread over the ranks"),
    ]
    if found.serialisation is None and found.transfer is None:
        why = "what waiting and transfer leave; the timeline isn't whole, so they can't be told apart"
        return [*parts, Measure("Communication", found.communication, why)]
    return [
        *parts,
        Measure("Serialisation", found.serialisation, "what would remain if messages took no time: ranks still wait"),
        Measure("Transfer", found.transfer, "what the time that data takes to travel leaves"),
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
        return f"{begin}, so there is little to gain; the largest part, {percent(first.share)}, is {cause(first, figures)}."
    part = "most of it" if first.share > 0.5 * share else "the largest part"
    return f"{begin}; {part}, {percent(first.share)}, is {'' if first.known else 'probably '}{cause(first, figures)}."


def cause(finding: Finding, figures: Figures) -> str:
    """Why a site takes time, as a noun: ``rank 3 arriving late at MPI_Allreduce in solver.py:42``."""
    calls = finding.calls
    at = f"{calls.procedure} in {figures.places.short(calls.site)}"
    rank = finding.detail.get("rank")
    if finding.cause is Cause.IMBALANCE:
        return f"rank {rank} arriving late at {at}" if rank is not None else f"ranks waiting for each other at {at}"
    if finding.cause is Cause.LATE_SENDER:
        sender = f" of rank {rank}" if rank is not None else ""
        return f"waiting for late messages{sender} at {at}"
    if finding.cause is Cause.LATE_RECEIVER:
        receiver = f"rank {rank}, which receives late," if rank is not None else "receivers that come late"
        return f"waiting for {receiver} at {at}"
    words = {
        Cause.SMALL_MESSAGES: "many small messages at",
        Cause.BLOCKING: "a blocking transfer at",
        Cause.SERIALISATION: "pickled objects at",
        Cause.TRANSFER: "data on its way at",
    }
    return f"{words[finding.cause]} {at}"


def advice(finding: Finding) -> str:
    """What to do about a finding."""
    procedure, rank = finding.calls.procedure, finding.detail.get("rank")
    if finding.cause is Cause.IMBALANCE:
        who = f"Give rank {rank} less to do before it" if rank is not None else "Spread the work before it more evenly"
        collective = kind_of(procedure) is COLLECTIVE and not procedure.startswith("MPI_I")
        later = f", or begin it earlier with MPI_I{procedure[4:].lower()} and compute meanwhile" if collective else ""
        return f"{who}{later}."
    if finding.cause is Cause.LATE_SENDER:
        who = f"Let rank {rank} send" if rank is not None else "Send"
        return (
            f"{who} before the work that the message doesn't depend on, or post MPI_Irecv and compute until it arrives."
        )
    if finding.cause is Cause.LATE_RECEIVER:
        who = f"Let rank {rank} post" if rank is not None else "Post"
        return f"{who} MPI_Irecv before the message is sent, or send with MPI_Isend and wait for it later."
    return {
        Cause.SMALL_MESSAGES: "Combine the messages to a rank into one; each costs as much as many kilobytes.",
        Cause.BLOCKING: "Use MPI_Isend and MPI_Irecv, compute what doesn't depend on the data, and wait after that.",
        Cause.SERIALISATION: "Send arrays as buffers (with mpi4py: Send, not send), which need no pickle.",
        Cause.TRANSFER: "Send less, such as fewer copies or smaller types, or overlap the transfer with computation.",
    }[finding.cause]


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


def troubles(audit: Audit) -> list[str]:
    """What must be known before any figure: ranks that were cut, ranks without a file, what could not be recorded."""
    found = []
    cut = [rank for rank in audit.ranks if rank.ended == "cut"]
    if cut:
        found.append(
            f"{count(len(cut), 'rank')} had not ended: {first_few([_where(rank.rank, rank.last) for rank in cut], 3)}."
        )
    left = [str(rank.rank) for rank in audit.ranks if rank.ended == "exited"]
    if left:
        found.append(f"{'Rank' if len(left) == 1 else 'Ranks'} {first_few(left)} ended without MPI_Finalize.")
    if audit.missing:
        found.append(
            f"No record was found of {count(len(audit.missing), 'rank')}: {first_few([str(r) for r in audit.missing])}."
        )
    return [*found, *audit.notes]


def _where(rank: int, last: str) -> str:
    return f"rank {rank} {last}" if last else f"rank {rank}"


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
    error = figures.clock_error
    if error is None:
        return "The clocks of some ranks were not compared, so times of different ranks may be shifted."
    if not error:
        return "All ranks use the same clock."
    return f"Times of different ranks are comparable to within {seconds_text(error)}, the error of their clocks."


def spread_text(spread: float) -> str:
    """The busiest rank's time over the mean."""
    return f"{plain_ratio(spread)}×"
