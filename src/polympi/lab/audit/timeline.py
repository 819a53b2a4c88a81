"""The events of all ranks on one clock, with the messages between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polympi.lab.audit import layout, procedures
from polympi.lab.audit.clock import Clock
from polympi.lab.audit.files import RankFile
from polympi.lab.audit.layout import Role
from polympi.lab.audit.matching import Messages, match
from polympi.lab.audit.model import Counts, Events, Site

_COLUMNS = ("procedure", "site", "peer", "tag", "bytes", "communicator", "number", "role", "thread", "root")


@dataclass(frozen=True)
class Timeline:
    """The events, and what else the analysis needs of them."""

    events: Events
    root: Counts  # of collectives, in MPI_COMM_WORLD
    covers: float  # the share of the run that all ranks' events cover: 1 if none was lost

    @property
    def whole(self) -> bool:
        """Whether no event was lost."""
        return self.covers == 1.0


@dataclass(frozen=True)
class Numbers:
    """What the numbers in a rank's file are in those of the job."""

    sites: Counts
    communicators: Counts  # by their place in the file; -1 for none


def numbers_in_job(
    file: RankFile, sites: dict[Site, int], own: Sequence[Site], communicators: dict[int, int]
) -> Numbers:
    """Numbers of a rank's sites and communicators in the job; `sites` grows by those that are new."""
    of_sites = np.array([sites.setdefault(site, len(sites)) for site in own], np.int64)
    of_communicators = np.full(layout.NO_COMMUNICATOR + 1, -1, np.int64)
    known = [communicators[int(record["id"])] for record in file.communicators]
    of_communicators[: len(known)] = known
    return Numbers(of_sites, of_communicators)


def timeline_of(
    files: Sequence[RankFile],
    clocks: Sequence[Clock],
    numbers: Sequence[Numbers],
    sites: Sequence[Site],
    begin_ns: float,
) -> Timeline | None:
    """The events of all ranks in the order of their beginnings; None if no rank has any."""
    parts = [_events_of(*each, begin_ns) for each in zip(files, clocks, numbers, strict=True)]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if not len(columns["begin"]):
        return None
    order = np.lexsort((columns["end"], columns["begin"]))
    columns = {name: values[order] for name, values in columns.items()}
    names = files[0].procedures
    lost = [any(segment.lost for segment in file.segments) for file in files]
    sends, receives = _messages(columns, names, from_end=any(lost))
    root = columns.pop("root")
    events = Events(**columns, procedures=names, sites=tuple(sites), sends=sends, receives=receives)
    return Timeline(events, root, _covered(parts, lost))


def _covered(parts: Sequence[dict[str, np.ndarray]], lost: Sequence[bool]) -> float:
    """The share of the run for which the rings of all ranks have their events."""
    begin = max((part["begin"].min() for part, some in zip(parts, lost, strict=True) if some), default=0.0)
    end = max(part["end"].max() for part in parts if len(part["end"]))
    return float((end - begin) / end) if any(lost) and end > 0 else 1.0


def _events_of(file: RankFile, clock: Clock, numbers: Numbers, begin_ns: float) -> dict[str, np.ndarray]:
    parts, threads = [], []
    for segment in file.segments:
        parts.append(segment.events())
        threads.append(np.full(len(parts[-1]), segment.thread, np.int64))
    events = np.concatenate(parts) if parts else np.empty(0, layout.EVENT)
    found: dict[str, np.ndarray] = {name: events[name].astype(np.int64) for name in _COLUMNS if name != "thread"}
    found["thread"] = np.concatenate(threads) if threads else np.empty(0, np.int64)
    found["site"] = numbers.sites[found["site"]] if len(numbers.sites) else found["site"]
    found["communicator"] = numbers.communicators[found["communicator"]]
    found["rank"] = np.full(len(events), file.rank, np.int64)
    for name in ("begin", "end"):
        found[name] = (clock.ns(events[name]) - begin_ns) / 1e9
    return found


def _messages(columns: dict[str, np.ndarray], names: Sequence[str], *, from_end: bool) -> tuple[Counts, Counts]:
    """Indices of the events at both ends of each message."""
    one_sided = np.array([procedures.plain(name) in procedures.OF_WINDOWS for name in names])
    usual = (columns["peer"] >= 0) & (columns["communicator"] >= 0) & ~one_sided[columns["procedure"]]
    sends, receives = (np.flatnonzero(usual & ((columns["role"] & role) != 0)) for role in (Role.SENDS, Role.RECEIVES))

    def ends(chosen: Counts, sender: str, receiver: str) -> Messages:
        return Messages(*(columns[name][chosen] for name in ("communicator", sender, receiver, "tag")))

    sent, received = match(ends(sends, "rank", "peer"), ends(receives, "peer", "rank"), from_end=from_end)
    return sends[sent], receives[received]
