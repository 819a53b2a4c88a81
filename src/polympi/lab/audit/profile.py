"""Calls by site, and messages between ranks: the sums that each rank has kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polympi.lab.audit import layout
from polympi.lab.audit.clock import Clock
from polympi.lab.audit.files import RankFile, foremost
from polympi.lab.audit.findings import Key
from polympi.lab.audit.model import Calls, Counts, Site
from polympi.lab.audit.timeline import Numbers

_SUMS = ("calls", "messages_sent", "bytes_sent", "messages_received", "bytes_received")


def calls_of(
    files: Sequence[RankFile],
    clocks: Sequence[Clock],
    numbers: Sequence[Numbers],
    sites: Sequence[Site],
    *,
    communicators: Sequence[str],
    open_seconds: Sequence[float],
) -> dict[Key, Calls]:
    """The calls of each procedure at each site on each communicator, those that took the most time first.

    Args:
        files: of all ranks.
        clocks: theirs.
        numbers: of their sites and communicators.
        sites: of the job.
        communicators: their names.
        open_seconds: how long each rank has been in a call that has not ended; 0 if it is in none.
    """
    parts = []
    for order, file in enumerate(files):
        ticks = int(open_seconds[order] * 1e9 / clocks[order].ns_per_tick)
        parts.append(_entries(file, numbers[order], order, ticks))
    keys = np.concatenate([key for key, _, _ in parts])
    entries = np.concatenate([part for _, part, _ in parts])
    place = np.concatenate([places for _, _, places in parts])
    if not len(keys):
        return {}
    kinds, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.reshape(-1)
    shape = len(kinds), len(files)
    sums = {name: np.zeros(shape, np.int64) for name in _SUMS}
    for name, into in sums.items():
        np.add.at(into, (group, place), entries[name].astype(np.int64))
    per_tick = np.array([clock.ns_per_tick / 1e9 for clock in clocks])
    seconds, longest = np.zeros(shape), np.zeros(len(kinds))
    np.add.at(seconds, (group, place), entries["ticks"] * per_tick[place])
    np.maximum.at(longest, group, entries["longest"] * per_tick[place])
    sizes = np.zeros((len(kinds), layout.SIZE_CLASSES), np.int64)
    np.add.at(sizes, group, entries["sizes"].astype(np.int64))
    names = files[0].procedures
    found = {}
    for number in np.argsort(-seconds.sum(axis=1), kind="stable"):
        procedure, site, communicator = kinds[number].tolist()
        found[procedure, site, communicator] = Calls(
            procedure=names[procedure],
            site=sites[site],
            communicator=communicators[communicator] if communicator >= 0 else "",
            calls=sums["calls"][number],
            seconds=seconds[number],
            longest=float(longest[number]),
            messages_sent=sums["messages_sent"][number],
            bytes_sent=sums["bytes_sent"][number],
            messages_received=sums["messages_received"][number],
            bytes_received=sums["bytes_received"][number],
            sizes=sizes[number],
        )
    return found


def _entries(file: RankFile, numbers: Numbers, place: int, open_ticks: int) -> tuple[Counts, np.ndarray, Counts]:
    """The entries of all threads of a rank with their keys, and the rank's place among the files."""
    parts = [segment.entries[segment.entries["calls"] > 0] for segment in file.segments]
    segment = foremost(file.segments)
    if open_ticks and segment is not None:
        current, entry = segment.record["current"], np.zeros(1, layout.ENTRY)
        for name in ("procedure", "communicator", "site"):
            entry[name] = current[name]
        entry["calls"], entry["ticks"], entry["longest"] = 1, open_ticks, open_ticks
        parts.append(entry)
    entries = np.concatenate(parts) if parts else np.empty(0, layout.ENTRY)
    site = entries["site"].astype(np.int64)
    keys = np.stack(
        [
            entries["procedure"].astype(np.int64),
            numbers.sites[site] if len(numbers.sites) else site,
            numbers.communicators[entries["communicator"].astype(np.int64)],
        ],
        axis=1,
    )
    return keys, entries, np.full(len(entries), place, np.int64)


def messages_of(files: Sequence[RankFile], size: int) -> tuple[Counts, Counts]:
    """Messages and bytes from each rank of MPI_COMM_WORLD to each, as their senders counted them."""
    number, volume = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    for file in files:
        for segment in file.segments:
            number[file.rank] += segment.peers["messages_sent"].astype(np.int64)
            volume[file.rank] += segment.peers["bytes_sent"].astype(np.int64)
    return number, volume
