"""Where a rank stands: its call, what it has begun, what it has sent, and what its process does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from polympi.lab.audit.layout import ANY_SOURCE, ANY_TAG, NO_PEER, NO_TAG, NOBODY, State
from polympi.lab.audit.procedures import ENDS


class Activity(Enum):
    """What the thread of a rank does, as the system knows it."""

    RUNNING = "running"
    ASLEEP = "asleep"  # in a system call
    READING = "reading"  # in one that waits for data of a file, a pipe or a socket
    STOPPED = "stopped"  # by a signal or a debugger
    GONE = "gone"
    UNKNOWN = "unknown"  # on another host


@dataclass(frozen=True)
class Process:
    """The process of a rank."""

    host: str = ""
    pid: int = 0
    activity: Activity = Activity.UNKNOWN
    busy: float | None = None  # processors in use since it was last looked at
    doing: str = ""  # "read of pipe /tmp/steps", if known


@dataclass(frozen=True)
class Operation:
    """A call, or what a call has begun."""

    procedure: str
    communicator: int = 0  # its identity, the same for all ranks
    peer: int = NO_PEER
    tag: int = NO_TAG
    bytes: int = 0
    site: str = ""
    seconds: float = 0.0  # since it began, or since it ended if it has
    number: int | None = None  # of a collective on its communicator
    root: int = NO_PEER

    @property
    def from_anyone(self) -> bool:
        """Whether it takes a message of any rank."""
        return self.peer == ANY_SOURCE

    @property
    def has_peer(self) -> bool:
        """Whether it names a rank."""
        return self.peer not in (NO_PEER, ANY_SOURCE, NOBODY)

    def takes(self, message: Operation, sender: int) -> bool:
        """Whether a receive takes a message that a rank sends."""
        return (
            self.communicator == message.communicator
            and self.peer in (sender, ANY_SOURCE)
            and self.tag in (message.tag, ANY_TAG)
        )


@dataclass(frozen=True)
class Standing:
    """Where a rank stands."""

    rank: int
    state: State = State.RUNNING
    inside: bool = False
    call: Operation | None = None  # the current one, or else the last one
    progress: int = 0  # calls that ended, but for polls
    polls: int = 0  # tests and probes that found nothing since then
    polling: float = 0.0  # seconds since the first of these
    pending: tuple[Operation, ...] = ()
    begun: Mapping[int, int] = field(default_factory=dict)  # collectives by communicator
    sent: tuple[Operation, ...] = ()  # the newest messages, oldest first
    received: tuple[Operation, ...] = ()  # likewise; the peer is the sender
    sent_to: Mapping[int, int] = field(default_factory=dict)  # how many messages in all
    received_from: Mapping[int, int] = field(default_factory=dict)
    collectives: Mapping[tuple[int, int], Operation] = field(default_factory=dict)  # the newest by communicator, number
    locked: tuple[Operation, ...] = ()  # locks of windows that it holds; the peer is whose window
    process: Process = field(default_factory=Process)

    @property
    def outside(self) -> bool:
        """Whether it is alive, and neither in a call nor polling."""
        return not self.inside and not self.polls and not self.left

    @property
    def left(self) -> bool:
        """Whether it no longer calls MPI."""
        return self.state != State.RUNNING or self.process.activity == Activity.GONE

    @property
    def inside_finalize(self) -> bool:
        """Whether it is in MPI_Finalize, or was when its process ended."""
        return self.inside and self.call is not None and self.call.procedure in ENDS

    @property
    def how_ended(self) -> str:
        """How a rank ended that MPI_Finalize hasn't ended: what follows "has"."""
        if self.state == State.FAILED:
            return "failed in MPI_Finalize"
        if self.inside_finalize:
            return "ended in MPI_Finalize, which had not returned"
        return "ended without MPI_Finalize"


@dataclass(frozen=True)
class Group:
    """A communicator as it matters here."""

    id: int
    name: str
    ranks: tuple[int, ...]  # of MPI_COMM_WORLD, as far as known


@dataclass(frozen=True)
class Situation:
    """All ranks of a job at one moment."""

    size: int
    standings: Mapping[int, Standing]
    communicators: Mapping[int, Group]

    def members(self, communicator: int) -> tuple[int, ...]:
        """The ranks of a communicator; all of the job if it is not known."""
        group = self.communicators.get(communicator)
        return group.ranks if group else tuple(range(self.size))

    def name(self, communicator: int) -> str:
        """What a communicator is called."""
        group = self.communicators.get(communicator)
        return group.name if group else "an unknown communicator"
