"""What a job waits for: the judgement on the state of all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """Why ranks wait."""

    MISMATCH = "different collectives"
    ROOTS = "different roots"
    COUNTS = "different counts"
    STOPPED = "stopped"
    GONE = "gone"  # its process has ended, without MPI_Finalize
    FINALIZED = "finalized"  # it is in MPI_Finalize or has left it
    NOT_STARTED = "not started"  # it has no file
    COMPUTING = "outside MPI"
    READING = "reading"  # outside MPI, in a system call for data
    UNFINISHED = "request not waited for"  # a collective that has begun, and makes no progress outside MPI
    TAKEN = "message taken by another request"
    WRONG_TAG = "wrong tag"
    WRONG_COMMUNICATOR = "wrong communicator"
    LOCKED = "lock held"
    NOBODY_SENDS = "nobody sends"
    POLLING = "polling"
    ELSEWHERE = "elsewhere"  # not in the collective that the others are in
    CROSSED = "crossed collectives"
    CYCLE = "cycle"
    UNKNOWN = "unknown"


NOTICES = frozenset({Kind.COMPUTING, Kind.READING, Kind.UNFINISHED, Kind.NOT_STARTED, Kind.UNKNOWN})


@dataclass(frozen=True)
class Verdict:
    """Why ranks wait, and which rank is the reason."""

    kind: Kind
    ranks: tuple[int, ...]  # those that are the reason: the odd ones, or all of a cycle
    waiting: tuple[int, ...]  # those that wait for them
    sentence: str

    @property
    def hang(self) -> bool:
        """Whether nothing can happen any more; False where a rank may still come back to MPI."""
        return self.kind not in NOTICES
