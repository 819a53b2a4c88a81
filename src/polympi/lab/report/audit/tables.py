"""The tables of an audit: the words of each cell, the same in every form."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.audit.model import Audit
from polympi.lab.conclusions.phrases import first_few, percent
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.audit.words import (
    SHOWN,
    advice,
    cause,
    efficiencies,
    loss,
    seconds_text,
    spread_text,
)
from polympi.lab.report.projection.tables import Table
from polympi.lab.units import format_bytes

MOST_COMMUNICATORS = 200


def total_lines(figures: Figures) -> list[tuple[str, str]]:
    """The figures of the whole program, each with its name."""
    return [
        ("time in MPI", percent(figures.mpi_share)),
        ("run time", seconds_text(figures.audit.seconds)),
        ("ranks", f"{len(figures.audit.ranks):,}"),
        ("calls", f"{figures.call_count:,}"),
        ("messages", f"{figures.message_count:,}"),
        ("bytes in messages", format_bytes(figures.byte_count)),
        ("recording, per call", seconds_text(figures.audit.call_cost)),
    ]


def efficiency_table(audit: Audit) -> Table:
    """The efficiencies, each with what it means."""
    lines = [
        (one.name, one.meaning, "unknown" if one.value is None else percent(one.value)) for one in efficiencies(audit)
    ]
    return Table("Efficiencies", ("efficiency", "meaning", "value"), lines)


def finding_table(figures: Figures) -> Table:
    """The most expensive sites, why, and what to do."""
    lines = [(cause(one, figures), loss(one), advice(one)) for one in figures.audit.findings[:SHOWN]]
    return Table("Where it goes", ("cause", "costs", "what to do"), lines, words=3)


def call_table(figures: Figures, most: int | None = None) -> Table:
    """Procedures and sites, the most time first."""
    headers = (
        "procedure",
        "site",
        "calls",
        "time",
        "share",
        "per call",
        "longest",
        "busiest rank",
        "messages",
        "bytes",
    )
    lines = [
        (
            row.calls.procedure,
            row.where,
            f"{row.count:,}",
            seconds_text(row.seconds),
            percent(row.share),
            seconds_text(row.per_call),
            seconds_text(row.calls.longest),
            f"{row.busiest} ({spread_text(row.spread)})",
            f"{row.messages:,}" if row.messages else "",
            format_bytes(row.bytes) if row.messages or row.bytes else "",
        )
        for row in figures.sites[:most]
    ]
    return Table("Calls", headers, lines)


def rank_table(audit: Audit) -> Table:
    """The ranks: where they ran, how they ended, where they were at last."""
    headers = ("rank", "host", "ended", "last", "calls", "in MPI", "outside", "clock error")
    lines = [
        (
            str(rank.rank),
            rank.host,
            rank.ended,
            rank.last,
            f"{rank.calls:,}",
            seconds_text(rank.in_mpi),
            seconds_text(rank.seconds - rank.in_mpi),
            "not measured" if rank.clock_error is None else seconds_text(rank.clock_error),
        )
        for rank in audit.ranks
    ]
    return Table("Ranks", headers, lines, words=4)


def communicator_table(audit: Audit) -> Table:
    """The communicators on which most time was spent, the most first."""
    chosen = sorted(audit.communicators, key=lambda one: -one.seconds)[:MOST_COMMUNICATORS]
    lines = [
        (one.name, _ranks(one.ranks), f"{one.size:,}", f"{one.collectives:,}", seconds_text(one.seconds))
        for one in chosen
    ]
    return Table("Communicators", ("communicator", "ranks", "size", "collective calls", "time"), lines)


def _ranks(ranks: Sequence[int]) -> str:
    """Ranks in words: ``0 to 7``, ``0, 2, 4 and 5 more``."""
    if len(ranks) > 2 and list(ranks) == list(range(ranks[0], ranks[-1] + 1)):
        return f"{ranks[0]} to {ranks[-1]}"
    return first_few([str(rank) for rank in ranks])
