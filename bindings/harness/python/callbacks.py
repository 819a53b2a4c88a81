"""What a Python interface gives the harness: callbacks for each case, and the few things ranks agree on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from array import array

    from arena import Arena
    from numpy.typing import NDArray
    from plan import Case

Call = Callable[..., Any]
Clock = Callable[[], int]
Buffer: TypeAlias = "NDArray[Any]"
Times: TypeAlias = "array[int]"  # type code "q": nanoseconds, a place an iteration, made before anything is timed


class UnsupportedCaseError(Exception):
    """The interface cannot run a case; the text says why. Raised on every rank or on none."""


def nothing() -> None:
    """Do nothing."""


def nothing_of(_: object) -> None:
    """Run no iterations: what a rank does that takes no part."""


def all_is_well(_: object) -> str:
    """Find no difference: the verdict of a rank that receives nothing."""
    return ""


@dataclass(frozen=True)
class Callbacks:
    """What one rank does in one case. Loops are written out for each case, so that nothing else is inside them.

    Attributes:
        batch: runs so many iterations in a row and returns what the last one received, where that is an object.
            Not used in rooted collectives.
        events: runs one iteration a place of its argument, each between two readings of the clock, and puts the times
            there; a collective's begin at a common start. Needed on rank 0, in collectives on all ranks.
        clear: overwrites the receive buffers.
        check: compares what arrived with what was sent, given what ``batch`` or ``events`` returned; the first
            difference in words, empty if there is none.
        begin: called on rank 0 before a series of point-to-point iterations, while rank 1 runs all of them.
        finish: called on rank 0 after it.
        release: frees what they hold, after the case.
        keep_all: one iteration that returns everything it receives, if ``batch`` drops some of it; of an application
            several, whose number it returns.
        communication: of an application, ns that this rank has spent in calls of communication so far.
        communication_in_events: the same of each event that ``events`` has timed last.
    """

    batch: Callable[[int], object] = nothing_of
    events: Callable[[Times], object] = nothing_of
    clear: Callable[[], None] = nothing
    check: Callable[[object], str] = all_is_well
    begin: Callable[[], object] = nothing
    finish: Callable[[], object] = nothing
    release: Callable[[], None] = nothing
    keep_all: Callable[[], object] | None = None
    communication: Callable[[], int] | None = None
    communication_in_events: Callable[[], Times] | None = None


class Cases(Protocol):
    """What an interface makes of a plan."""

    arena: Arena

    def prepare(self, case: Case) -> Callbacks:
        """This rank's callbacks for a case.

        Raises:
            UnsupportedCaseError: the interface cannot run it; on every rank or on none.
        """


class World(Protocol):
    """All ranks of the launch, as the harness needs them outside everything timed."""

    rank: int
    size: int

    def maxima(self, times: Times) -> Times:
        """The largest of each place over all ranks, on rank 0; of no meaning elsewhere."""

    def collect(self, text: str) -> list[str]:
        """The texts of all ranks, on all ranks."""

    def abort(self, code: int) -> None:
        """End all ranks with an exit code."""
