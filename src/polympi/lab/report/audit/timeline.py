"""The timeline as the page holds it: columns of numbers, compressed, of as many events as there is room for."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polympi.lab.audit.layout import Role
from polympi.lab.audit.model import Audit, Events
from polympi.lab.conclusions.phrases import percent
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.audit.kinds import KINDS, kind_of

ROOM = 1_000_000  # characters of the page; with styles and scripts it stays below 2 MB
MOST_EVENTS = 250_000  # that a browser draws while one drags


@dataclass(frozen=True)
class Timeline:
    """The events in the page: what its script reads, how many they are, and what was left out, as a sentence."""

    data: dict[str, Any]
    shown: int
    left_out: str


def timeline(figures: Figures, room: int = ROOM) -> Timeline | None:
    """The timeline of an audit; None if it has no events. The longest events stay where there isn't room for all."""
    events = figures.audit.events
    if events is None or not len(events.rank):
        return None
    total = len(events.rank)
    number = min(total, MOST_EVENTS)
    while True:
        kept = _longest(events, number)
        data = _packed(events, kept, figures)
        if len(data["columns"]) <= room or number < 1000:
            return Timeline(data, number, _left_out(figures.audit, events, kept))
        number = int(number * min(0.9, room / len(data["columns"])))


def _longest(events: Events, number: int) -> NDArray[np.int64]:
    """The longest events, by rank and beginning."""
    order: NDArray[np.int64] = np.lexsort((events.begin, events.rank))
    if number >= len(order):
        return order
    duration = events.end - events.begin
    keep = np.zeros(len(order), bool)
    keep[np.argpartition(-duration, number - 1)[:number]] = True
    return order[keep[order]]


def _left_out(audit: Audit, events: Events, kept: NDArray[np.int64]) -> str:
    parts = []
    if len(kept) < len(events.rank):
        calls = (events.role & Role.CALL) != 0
        duration = np.where(calls, events.end - events.begin, 0.0)
        rest = 1.0 - float(duration[kept].sum()) / (float(duration.sum()) or 1.0)
        parts.append(
            f"It has the {len(kept):,} longest of {len(events.rank):,} events; those left out take {percent(rest)} of "
            "the time in MPI."
        )
    if lost := sum(rank.events_lost for rank in audit.ranks):
        parts.append(f"The recorder had no room for {lost:,} earlier events, so the timeline shows the end of the run.")
    return " ".join(parts)


def _packed(events: Events, kept: NDArray[np.int64], figures: Figures) -> dict[str, Any]:
    """What ``events.js`` reads: `columns` is the base64 of zlib's stream of all columns, by planes of bytes."""
    first, last = float(events.begin[kept].min()), float(events.end[kept].max())
    tick = max((last - first) / (2**32 - 2), 1e-9)  # seconds
    begin = np.round((events.begin[kept] - first) / tick).astype(np.uint32)
    # A message can arrive before its receive began, by clocks that are set differently.
    length = np.round(np.maximum(events.end[kept] - events.begin[kept], 0.0) / tick).astype(np.uint32)
    calls = np.stack([events.procedure[kept], events.site[kept], events.communicator[kept]], axis=1)
    kinds, kind = np.unique(calls, axis=0, return_inverse=True)
    ranks, counts = np.unique(events.rank[kept], return_counts=True)
    place = np.full(len(events.rank), -1, np.int64)
    place[kept] = np.arange(len(kept))
    sends, receives = place[events.sends], place[events.receives]
    both = (sends >= 0) & (receives >= 0)
    columns = {
        "begin": np.diff(begin, prepend=np.uint32(0)).astype("<u4"),  # modulo 2^32
        "length": length.astype("<u4"),
        "call": kind.reshape(-1).astype("<u4"),
        "peer": events.peer[kept].astype("<i4"),
        "tag": events.tag[kept].astype("<i4"),
        "bytes": events.bytes[kept].astype("<f8"),
        "role": events.role[kept].astype("u1"),
        "lane": _lanes(events)[kept].astype("u1"),
        "send": sends[both].astype("<u4"),
        "receive": receives[both].astype("<u4"),
    }
    raw = b"".join(_planes(column) for column in columns.values())
    names = [kind.name for kind in KINDS]
    return {
        "tick": tick,
        "first": first,
        "ranks": [[int(rank), int(number)] for rank, number in zip(ranks, counts, strict=True)],
        "events": len(kept),
        "messages": int(both.sum()),
        "types": [[name, column.dtype.str[1:]] for name, column in columns.items()],
        "columns": base64.b64encode(zlib.compress(raw, 9)).decode("ascii"),
        "calls": [[int(p), int(s), int(c), names.index(kind_of(events.procedures[p]).name)] for p, s, c in kinds],
        "procedures": list(events.procedures),
        "sites": [figures.places.short(site) for site in events.sites],
        "functions": [site.function for site in events.sites],
        "communicators": [one.name for one in figures.audit.communicators],
    }


def _planes(column: NDArray[Any]) -> bytes:
    """The first bytes of all numbers, then their second ones, and so on: like next to like compresses well."""
    return column.view(np.uint8).reshape(len(column), column.dtype.itemsize).T.tobytes()


def _lanes(events: Events) -> NDArray[np.int64]:
    """The threads of each rank, numbered from 0 in the order of their first events."""
    lanes = np.zeros(len(events.rank), np.int64)
    pairs, inverse = np.unique(np.stack([events.rank, events.thread], axis=1), axis=0, return_inverse=True)
    if len(pairs) == len(np.unique(events.rank)):
        return lanes
    inverse = inverse.reshape(-1)
    first = np.full(len(pairs), len(inverse))
    np.minimum.at(first, inverse, np.arange(len(inverse)))
    number = np.zeros(len(pairs), np.int64)
    for rank in np.unique(pairs[:, 0]):
        own = np.flatnonzero(pairs[:, 0] == rank)
        number[own[np.argsort(first[own])]] = np.arange(len(own))
    return number[inverse]
