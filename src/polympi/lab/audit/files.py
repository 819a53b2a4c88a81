"""Reads what the recorder has written: the mapped file of one rank, also while the rank runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polympi.lab.audit import layout
from polympi.lab.audit.layout import State
from polympi.lab.errors import ResultError

Records = NDArray[Any]  # an array of one of the structures of `layout`
ENDING = ".audit"


@dataclass(frozen=True)
class Segment:
    """What one thread has written; all parts are views that change while the rank runs."""

    thread: int
    record: Records  # one `layout.SEGMENT`
    entries: Records
    pending: Records
    peers: Records
    ring: Records

    def events(self, most: int | None = None) -> Records:
        """A copy of the timeline, oldest first, as far as the ring still has it; of at most this many of the newest."""
        written, size = int(self.record["events"]), len(self.ring)
        number = min(written, size) if most is None else min(written, size, most)
        if not number:
            return self.ring[:0].copy()
        end = (written - 1) % size + 1
        if number <= end:
            return self.ring[end - number : end].copy()
        return np.concatenate([self.ring[end - number :], self.ring[:end]])

    @property
    def lost(self) -> int:
        """How many events the ring had no room for."""
        return max(0, int(self.record["events"]) - len(self.ring))


class RankFile:
    """The file of one rank."""

    def __init__(self, path: Path) -> None:
        """Map a file. ResultError if the recorder did not write it, or of another version."""
        self.path = path
        size = path.stat().st_size
        if size < layout.HEADER.itemsize:
            raise ResultError(f"'{path}' is cut short: it has {size} bytes, less than the header of a rank's file.")
        self.data: NDArray[np.uint8] = np.memmap(path, np.uint8, mode="r")
        self.header: Records = self.data[: layout.HEADER.itemsize].view(layout.HEADER)[0]
        if self.header["magic"] != layout.MAGIC:
            raise ResultError(f"'{path}' was not written by 'polympi audit'.")
        if self.header["version"] != layout.VERSION:
            raise ResultError(
                f"'{path}' was written by another version of polympi (its format is {self.header['version']}, and this "
                f"one reads {layout.VERSION}): read it with that version."
            )
        self._check()

    def _check(self) -> None:
        tables = {"sites": layout.SITE.itemsize, "communicators": layout.COMMUNICATOR.itemsize, "strings": 1}
        for name, size in tables.items():
            if self.header[name]["size"] != size:
                raise ResultError(f"'{self.path}' is damaged: its table '{name}' has elements of another size.")
        for name in (*tables, "procedures"):
            table = self.header[name]
            if int(table["offset"]) + int(table["size"]) * int(table["used"]) > len(self.data):
                raise ResultError(f"'{self.path}' is cut short: it lacks a part of its table '{name}'.")

    @property
    def rank(self) -> int:
        """Its rank in MPI_COMM_WORLD; -1 before MPI is initialized."""
        return int(self.header["rank"])

    @property
    def state(self) -> State:
        """How far it has got."""
        return State(int(self.header["state"]))

    @property
    def host(self) -> str:
        """The name of its machine."""
        return self.header_text("host")

    def header_text(self, name: str) -> str:
        """A text of the header."""
        return bytes(self.header[name]).split(b"\0")[0].decode(errors="replace")

    def text(self, number: int) -> str:
        """The string of this number."""
        table = self.header["strings"]
        if not 0 < number < int(table["used"]):
            return ""
        begin = int(table["offset"]) + number
        end = int(table["offset"]) + int(table["used"])
        return bytes(self.data[begin:end]).split(b"\0", 1)[0].decode(errors="replace")

    @cached_property
    def procedures(self) -> tuple[str, ...]:
        """The names of all MPI procedures, which events and entries refer to."""
        table = self.header["procedures"]
        begin = int(table["offset"])
        return tuple(bytes(self.data[begin : begin + int(table["used"])]).decode().splitlines())

    def procedure(self, number: int) -> str:
        """The name of a procedure."""
        return self.procedures[number] if number < len(self.procedures) else f"procedure {number}"

    @property
    def sites(self) -> Records:
        """The places that have called MPI so far."""
        return self._table("sites", layout.SITE)

    @property
    def communicators(self) -> Records:
        """The communicators so far."""
        return self._table("communicators", layout.COMMUNICATOR)

    def _table(self, name: str, dtype: np.dtype[Any]) -> Records:
        table = self.header[name]
        begin = int(table["offset"])
        return self.data[begin : begin + int(table["used"]) * dtype.itemsize].view(dtype)

    @property
    def segments(self) -> list[Segment]:
        """What each thread has written. ResultError if the file is shorter than it says."""
        used = int(self.header["threads"]["used"])
        ranks, timeline = max(0, int(self.header["ranks"])), int(self.header["timeline"])
        found = []
        for offset in self.header["segments"][: min(used, layout.MAX_THREADS)]:
            begin = int(offset)
            parts = []
            for dtype, number in (
                (layout.SEGMENT, 1),
                (layout.ENTRY, layout.MAX_ENTRIES),
                (layout.PENDING, layout.MAX_PENDING),
                (layout.PEER, ranks),
                (layout.EVENT, timeline),
            ):
                end = begin + dtype.itemsize * number
                if end > len(self.data):
                    raise ResultError(f"'{self.path}' is cut short: it lacks what a thread has written.")
                parts.append(self.data[begin:end].view(dtype))
                begin = end
            record, entries, pending, peers, ring = parts
            ring = ring[: min(len(ring), int(record[0]["ring"]))]
            found.append(Segment(int(record[0]["thread"]), record[0], entries, pending, peers, ring))
        return found


def foremost(segments: Sequence[Segment]) -> Segment | None:
    """The thread that shows best what a rank waits for: one in a call, or else the one that called last."""

    def importance(segment: Segment) -> tuple[bool, int]:
        return bool(segment.record["current"]["inside"]), int(segment.record["current"]["since"])

    return max(segments, key=importance, default=None)
