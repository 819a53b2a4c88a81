"""What an audit found: the numbers that pages, tables and exports show. Times are seconds, sizes bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Site:
    """A place in the program that calls MPI."""

    file: str  # of Python, or the program or library
    function: str
    line: int | None  # None for native code without debugging information

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line} ({self.function})" if self.function else f"{self.file}:{self.line}"
        return f"{self.function} in {self.file}" if self.function else self.file


@dataclass(frozen=True)
class Calls:
    """The calls of one MPI procedure at one site; arrays have a value for each rank."""

    procedure: str  # as in the standard: "MPI_Send"
    site: Site
    communicator: str
    calls: Counts
    seconds: Floats
    longest: float
    messages_sent: Counts
    bytes_sent: Counts
    messages_received: Counts
    bytes_received: Counts
    sizes: Counts  # messages by size class: class k has 2^(k-1) to 2^k - 1 bytes


class Cause(Enum):
    """Why time goes at a site."""

    LATE_SENDER = "late sender"  # receivers waited for messages not yet sent
    LATE_RECEIVER = "late receiver"  # senders waited for receives not yet begun
    IMBALANCE = "imbalance"  # ranks waited in a collective for the last one
    SMALL_MESSAGES = "small messages"  # many to one rank in a row, that could be one
    BLOCKING = "blocking"  # a transfer that computation could overlap
    SERIALISATION = "serialisation"  # objects that travel as bytes made by pickle
    TRANSFER = "transfer"  # the data itself


@dataclass(frozen=True)
class Finding:
    """One of the most expensive sites, and what to do about it."""

    calls: Calls
    cause: Cause
    seconds: float  # lost to this cause, summed over ranks
    share: float  # of all ranks' time
    detail: dict[str, float | int | str] = field(default_factory=dict)  # the figures of its sentence
    known: bool = True  # False where it is inferred from the profile, without a timeline


@dataclass(frozen=True)
class Efficiency:
    """The efficiencies of the POP project, from 0 to 1; the parallel one is the product of the others.

    Source: POP Centre of Excellence, "POP Standard Metrics for Parallel Performance Analysis".
    """

    parallel: float
    load_balance: float
    communication: float
    serialisation: float | None  # None where the timeline does not hold the whole run
    transfer: float | None


@dataclass(frozen=True)
class Rank:
    """A process of the job."""

    rank: int
    host: str
    pid: int
    seconds: float  # from the end of MPI's initialization to its finalization, or to the last call
    in_mpi: float
    ended: str
    """``finalized``, ``failed`` (MPI_Finalize has returned an error), ``finalizing`` (it exited in MPI_Finalize),
    ``exited`` (without MPI_Finalize) or ``cut`` (killed, or still running)."""
    calls: int
    events_lost: int  # that the timeline had no room for
    clock_error: float | None  # to rank 0's clock, at most; None if it was not measured
    last: str  # where it was at last, in words: "in MPI_Recv at a.py:3 from rank 1, tag 5"


@dataclass(frozen=True)
class Communicator:
    """A communicator, as all its ranks know it."""

    name: str  # what the program calls it, or "world", or made from its origin
    size: int
    ranks: tuple[int, ...]  # of the world, as far as their files are there
    collectives: int
    seconds: float  # in calls on it, summed over ranks


@dataclass(frozen=True)
class Events:
    """The timeline of all ranks in the order of their beginnings; arrays of one length."""

    rank: Counts
    begin: Floats  # seconds since the first rank was initialized, on rank 0's clock
    end: Floats
    procedure: Counts  # an index into `procedures`
    site: Counts  # an index into `sites`
    peer: Counts
    tag: Counts
    bytes: Counts
    communicator: Counts
    number: Counts
    role: Counts
    thread: Counts
    procedures: tuple[str, ...]
    sites: tuple[Site, ...]
    # Messages whose two ends are known: indices of the event that sends and of the one that receives.
    sends: Counts
    receives: Counts


@dataclass(frozen=True)
class Audit:
    """All that the files of a job say."""

    folder: str
    program: str  # its command, as far as it was recorded
    library: str
    began: str  # date and time, ISO 8601
    seconds: float
    ranks: tuple[Rank, ...]
    missing: tuple[int, ...]  # ranks that have no file
    call_cost: float  # seconds that recording adds to a call, measured in this job
    calls: tuple[Calls, ...]  # the most time first
    efficiency: Efficiency
    findings: tuple[Finding, ...]
    messages: Counts  # [from, to]
    message_bytes: Counts  # [from, to]
    communicators: tuple[Communicator, ...]
    events: Events | None
    notes: tuple[str, ...] = ()  # sentences on what could not be recorded or read
