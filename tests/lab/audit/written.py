"""Files of ranks, written as the recorder writes them, of runs that nobody ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from polympi.lab.audit import layout
from polympi.lab.audit.layout import NO_PEER, NO_TAG, Role, State

PROCEDURES = (
    *("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Barrier", "MPI_Allreduce"),
    *("MPI_Bcast", "MPI_Reduce", "MPI_Sendrecv", "MPI_Iprobe", "MPI_Finalize", "MPI_Win_lock", "MPI_Ibarrier"),
    *("MPI_Mprobe", "MPI_Mrecv", "MPI_Get_count"),
)
WORLD = 77
TICKS_PER_S = 2_000_000_000  # not 1e9, so that ticks aren't nanoseconds
START_NS = 5_000_000_000_000


@dataclass
class Written:
    """What a rank has done; times are seconds since its MPI was initialized."""

    rank: int
    ranks: int
    state: State = State.FINALIZED
    seconds: float = 10.0  # of its last moment
    events: list[tuple[Any, ...]] = field(default_factory=list)
    entries: list[tuple[Any, ...]] = field(default_factory=list)
    pending: list[dict[str, Any]] = field(default_factory=list)
    peers: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)
    current: dict[str, Any] = field(default_factory=dict)
    sites: Sequence[tuple[str, str, int]] = (("/home/ann/heat.py", "step", 12), ("/home/ann/heat.py", "sum", 30))
    communicators: Sequence[tuple[int, int, str, int]] = ((WORLD, 0, "", 0),)  # identity, parent, name, size (0: all)
    begun: dict[int, int] = field(default_factory=dict)  # collectives by place of the communicator
    in_mpi: float = 0.0
    ring: int = 512  # more than what is kept without a timeline
    world: int = WORLD
    pid: int = 0
    offset_s: float = 0.0  # by how much its clock is behind rank 0's
    started_ns: int = 1_800_000_000_000_000_000
    header: dict[str, Any] = field(default_factory=dict)

    def call(self, name: str, begin: float, end: float, peer: int = NO_PEER, tag: int = NO_TAG, **more: Any) -> None:
        """Add an event that is a call."""
        roles = {"MPI_Send": Role.SENDS, "MPI_Isend": Role.SENDS, "MPI_Recv": Role.RECEIVES, "MPI_Mrecv": Role.RECEIVES}
        role = roles.get(name, Role(0))
        if "number" in more:
            role |= Role.COLLECTIVE
        self.event(name, begin, end, peer, tag, role=Role.CALL | role, **more)

    def event(
        self,
        name: str,
        begin: float,
        end: float,
        peer: int = NO_PEER,
        tag: int = NO_TAG,
        *,
        role: Role,
        bytes: int = 8,  # noqa: A002 - the name of the field
        number: int = 0,
        root: int = NO_PEER,
        site: int = 0,
        communicator: int = 0,
    ) -> None:
        place = PROCEDURES.index(name)
        times = ticks(begin), ticks(end)
        self.events.append((*times, bytes, number, place, communicator, peer, tag, site, int(role), root))

    def entry(self, name: str, calls: int, seconds: float, *, sent: int = 0, size: int = 8, site: int = 0) -> None:
        """Add an entry of the profile."""
        record = np.zeros(1, layout.ENTRY)[0]
        record["procedure"], record["site"], record["calls"] = PROCEDURES.index(name), site, calls
        record["ticks"], record["longest"] = int(seconds * TICKS_PER_S), int(seconds / calls * TICKS_PER_S)
        record["messages_sent"], record["bytes_sent"] = sent, sent * size
        record["sizes"][size.bit_length()] = sent
        self.entries.append(tuple(record))

    def write(self, folder: Path) -> Path:
        """Write the file."""
        parts = _Parts()
        texts = {text: parts.string(text) for one in self.sites for text in one[:2]}
        texts |= {name: parts.string(name) for _, _, name, _ in self.communicators}
        sites = np.array([(texts[a], texts[b], line, line > 0, 0x1234, 0) for a, b, line in self.sites], layout.SITE)
        communicators = np.array(
            [
                (one, parent, texts[name], size or self.ranks, 0, self.rank, self.begun.get(place, 0), 0, 0)
                for place, (one, parent, name, size) in enumerate(self.communicators)
            ],
            layout.COMMUNICATOR,
        )
        header = np.zeros(1, layout.HEADER)
        offset = layout.HEADER.itemsize
        data = b""
        names = "".join(f"{name}\n" for name in PROCEDURES).encode()
        for name, part, size, used in (
            ("strings", bytes(parts.strings), 1, len(parts.strings)),
            ("procedures", names, 1, len(names)),
            ("sites", sites.tobytes(), layout.SITE.itemsize, len(sites)),
            ("communicators", communicators.tobytes(), layout.COMMUNICATOR.itemsize, len(communicators)),
        ):
            header[0][name] = offset + len(data), size, used
            data += part + b"\0" * (-len(part) % 8)
        header[0]["threads"] = 0, layout.SEGMENT.itemsize, 1
        header[0]["segments"][0] = offset + len(data)
        self._fill(header[0])
        path = folder / f"host-{self.pid or 1000 + self.rank}.audit"
        path.write_bytes(header.tobytes() + data + self._segment())
        return path

    def _fill(self, header: Any) -> None:
        header["magic"], header["version"] = layout.MAGIC, layout.VERSION
        header["pid"], header["rank"], header["ranks"] = self.pid or 1000 + self.rank, self.rank, self.ranks
        header["state"], header["timeline"], header["world"] = self.state, self.ring, self.world
        start = START_NS - int(self.offset_s * 1e9)
        header["first"] = ticks(0), start
        header["last"] = ticks(self.seconds), start + int(self.seconds * 1e9)
        header["offset_ns"] = int(self.offset_s * 1e9)
        header["error_ns"] = 200
        header["started_ns"], header["cost_ticks"] = self.started_ns, 100_000
        header["host"], header["program"], header["library"] = b"far", b"python3 heat.py", b"MPICH 5"
        for name, value in self.header.items():
            header[name] = value

    def _segment(self) -> bytes:
        segment = np.zeros(1, layout.SEGMENT)
        segment[0]["thread"], segment[0]["ring"] = self.pid or 1000 + self.rank, self.ring
        segment[0]["events"] = len(self.events)
        segment[0]["in_mpi"] = int(self.in_mpi * TICKS_PER_S)
        current = segment[0]["current"]
        current["peer"] = current["root"] = NO_PEER
        current["tag"], current["since"] = NO_TAG, ticks(self.seconds)
        current["procedure"] = PROCEDURES.index("MPI_Finalize")
        for name, value in self.current.items():
            current[name] = PROCEDURES.index(value) if name == "procedure" else value
        entries = np.zeros(layout.MAX_ENTRIES, layout.ENTRY)
        for place, entry in enumerate(self.entries):
            entries[place] = entry
        pending = np.zeros(layout.MAX_PENDING, layout.PENDING)
        for place, one in enumerate(self.pending):
            pending[place]["request"] = place + 1
            for name, value in one.items():
                pending[place][name] = PROCEDURES.index(value) if name == "procedure" else value
        peers = np.zeros(self.ranks, layout.PEER)
        for peer, counts in self.peers.items():
            peers[peer] = counts
        ring = np.zeros(self.ring, layout.EVENT)
        for number, event in enumerate(self.events):
            ring[number % self.ring] = event
        return b"".join(part.tobytes() for part in (segment, entries, pending, peers, ring))


def ticks(seconds: float) -> int:
    """A moment as the recorder counts it."""
    return 3 * TICKS_PER_S + round(seconds * TICKS_PER_S)


class _Parts:
    def __init__(self) -> None:
        self.strings = bytearray(b"\0")

    def string(self, text: str) -> int:
        if not text:
            return 0
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text.encode()) - 1
