"""The figures that every form of an audit shows, from its arrays: totals, and one row per procedure and site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from polympi.lab.audit.model import Audit, Calls, Counts, Floats, Site
from polympi.lab.report.audit.kinds import KINDS, Kind, kind_of
from polympi.lab.report.audit.places import Places

LONGEST_GAP = 2  # empty classes in a row that the histogram shows


_SUMS = ("calls", "seconds", "messages_sent", "bytes_sent", "messages_received", "bytes_received", "sizes")


@dataclass(frozen=True)
class Row:
    """The calls of a procedure at a site, over all ranks."""

    calls: Calls
    where: str  # the site, in short
    count: int
    seconds: float
    share: float  # of all ranks' time
    per_call: float
    busiest: int  # the rank whose calls take longest
    spread: float  # its time over the ranks' mean
    messages: int  # sent and, where none are sent, received
    bytes: int


class Figures:
    """Totals and rows of an audit, computed when they are first asked for."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit

    @cached_property
    def places(self) -> Places:
        """The short names of all sites."""
        events = self.audit.events
        return Places([one.site for one in self.audit.calls] + list(events.sites if events else ()))

    @cached_property
    def all_time(self) -> float:
        """Seconds of all ranks together."""
        return sum(rank.seconds for rank in self.audit.ranks)

    @cached_property
    def mpi_share(self) -> float:
        """The part of all ranks' time that they spend in MPI."""
        return _over(sum(rank.in_mpi for rank in self.audit.ranks), self.all_time)

    @cached_property
    def call_count(self) -> int:
        """Calls of all ranks."""
        return sum(rank.calls for rank in self.audit.ranks)

    @cached_property
    def message_count(self) -> int:
        """Messages between ranks."""
        return int(self.audit.messages.sum())

    @cached_property
    def byte_count(self) -> int:
        """Bytes of messages between ranks."""
        return int(self.audit.message_bytes.sum())

    @cached_property
    def recording(self) -> float:
        """Seconds of all ranks that recording took."""
        return self.audit.call_cost * self.call_count

    @cached_property
    def clock_error(self) -> float | None:
        """By how much a rank's clock can differ from rank 0's, at most; None if a rank's was not measured."""
        errors = [rank.clock_error for rank in self.audit.ranks]
        known = [error for error in errors if error is not None]
        return max(known) if known and len(known) == len(errors) else None

    @cached_property
    def rows(self) -> list[Row]:
        """The rows, the most time first."""
        return sorted((self._row(one) for one in self.audit.calls), key=lambda row: -row.seconds)

    @cached_property
    def sites(self) -> list[Row]:
        """The rows over all communicators: one per procedure and site, the most time first."""
        groups: dict[tuple[str, Site], list[Calls]] = {}
        for one in self.audit.calls:
            groups.setdefault((one.procedure, one.site), []).append(one)
        return sorted((self._row(_together(group)) for group in groups.values()), key=lambda row: -row.seconds)

    @cached_property
    def by_kind(self) -> dict[Kind, Floats]:
        """Seconds of each rank in each kind of procedure that occurs."""
        found: dict[Kind, Floats] = {}
        for one in self.audit.calls:
            kind = kind_of(one.procedure)
            found[kind] = found.get(kind, np.zeros(len(one.seconds))) + one.seconds
        return {kind: found[kind] for kind in KINDS if kind in found}

    @cached_property
    def sizes(self) -> list[tuple[str, int]]:
        """Messages by size, the smallest first: a range in words, and how many; of a long gap one line is left."""
        total = total_sizes(self.audit.calls)
        present = [int(k) for k in np.flatnonzero(total)]
        lines = []
        for k, following in zip(present, [*present[1:], 0], strict=False):
            lines.append((size_range(k), int(total[k])))
            gap = [(size_range(empty), 0) for empty in range(k + 1, following)]
            lines += gap if len(gap) <= LONGEST_GAP else [("…", 0)]
        return lines

    def present(self, values: Floats) -> Floats:
        """The values of those ranks that have a file, of an array with one for each rank of the job."""
        ranks = self.audit.ranks
        return values if len(values) == len(ranks) else values[[rank.rank for rank in ranks]]

    def _row(self, calls: Calls) -> Row:
        seconds, count = float(calls.seconds.sum()), int(calls.calls.sum())
        busiest = int(np.argmax(calls.seconds)) if len(calls.seconds) else 0
        mean = _over(seconds, len(calls.seconds))
        sends = bool(calls.messages_sent.sum())
        return Row(
            calls=calls,
            where=self.places.short(calls.site),
            count=count,
            seconds=seconds,
            share=_over(seconds, self.all_time),
            per_call=_over(seconds, count),
            busiest=busiest,
            spread=_over(float(calls.seconds[busiest]), mean) if len(calls.seconds) else 0.0,
            messages=int((calls.messages_sent if sends else calls.messages_received).sum()),
            bytes=int((calls.bytes_sent if sends else calls.bytes_received).sum()),
        )


def _together(calls: Sequence[Calls]) -> Calls:
    """Calls of one procedure at one site on several communicators as if on one."""
    if len(calls) == 1:
        return calls[0]
    sums = {name: np.sum([getattr(one, name) for one in calls], axis=0) for name in _SUMS}
    return replace(calls[0], communicator="", longest=max(one.longest for one in calls), **sums)


def total_sizes(calls: Sequence[Calls]) -> Counts:
    """Messages by size class over some calls."""
    longest = max((one.sizes.shape[-1] for one in calls), default=0)
    total = np.zeros(longest, np.int64)
    for one in calls:
        own = one.sizes.reshape(-1, one.sizes.shape[-1]).sum(axis=0)
        total[: len(own)] += own
    return total


def size_range(size_class: int) -> str:
    """The sizes of a class: ``0 B``, ``1 B``, ``2 to 3 B``, ``1 to 2 KiB``; the last size is not part of the class."""
    if size_class < 2:
        return f"{size_class} B"
    if size_class < 11:
        return f"{2 ** (size_class - 1)} to {2**size_class - 1} B"
    power = (size_class - 1) // 10
    unit = ("B", "KiB", "MiB", "GiB", "TiB")[min(power, 4)]
    return f"{2 ** (size_class - 1 - 10 * power)} to {2 ** (size_class - 10 * power)} {unit}"


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
