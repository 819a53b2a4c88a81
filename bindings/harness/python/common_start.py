"""The common start of collective calls, from the shared library that the plan names (``docs/protocol.md``).

Ranks agree on a moment and wait for it in C, so that Python starts its calls no later than any other language.
"""

from __future__ import annotations

import ctypes
from array import array
from statistics import median
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from callbacks import Call, Clock, Times

# Calls before each start, for the caches: ``common_start.h``, UNTIMED_CALLS.
UNTIMED = range(3)
STARTS = 101  # an odd number, for a median that is one of them


ARGUMENTS = {"latest": (ctypes.c_int64,)}  # the others have none
FUNCTIONS = {
    "begin": None,
    "agree": ctypes.c_int32,
    "wait": ctypes.c_int64,
    "mark": None,
    "next_case": None,
    "latest": ctypes.c_int64,
    "repeated": ctypes.c_int64,
    "clock_error": ctypes.c_int64,
    "end": None,
}


class CommonStart(Protocol):
    """What the harness and the timed loops need of the library; see ``common_start.h`` for each."""

    def begin(self) -> None:
        """Make ready; once, on all ranks."""

    def agree(self) -> int:
        """Hold the ranks together and agree on the next start; 0 if a rank was late for the last one, else 1."""

    def wait(self) -> int:
        """Wait for the start; the moment it was, on the clock of the harness in ns."""

    def mark(self) -> None:
        """Show a tool that records the MPI calls where the iterations of a case begin and where they end."""

    def next_case(self) -> None:
        """Compare the clocks of all hosts, and forget how long the calls of the case before took."""

    def latest(self, when: int) -> int:
        """The latest of the moments of all ranks, each given on its own clock, on the clock of rank 0; all call it."""

    def repeated(self) -> int:
        """Starts that a rank was late for, so far."""

    def clock_error(self) -> int:
        """The largest error of a compared clock so far, in ns."""

    def end(self) -> None:
        """Free what the library holds, before MPI ends."""


class StartError(Exception):
    """The library cannot be loaded; the text is one sentence that says why."""


class LoadedStart:
    """The functions of the library, which keep the GIL: nothing else shall run between a start and its call.

    Args:
        path: the library, built for the MPI that this process has started.

    Raises:
        StartError: it cannot be loaded.
    """

    def __init__(self, path: str) -> None:
        try:
            library = ctypes.PyDLL(path)
        except OSError as error:
            raise StartError(f"The library of the common start cannot be loaded: {error}.") from error
        for name, result in FUNCTIONS.items():
            function = library[f"common_start_{name}"]
            function.restype = result
            function.argtypes = ARGUMENTS.get(name, ())
            setattr(self, name, function)

    begin: Call
    agree: Call
    wait: Call
    mark: Call
    next_case: Call
    latest: Call
    repeated: Call
    clock_error: Call
    end: Call


def start_cost_ns(start: CommonStart, clock: Clock) -> int:
    """What the time of a call from a common start contains beyond the call: the median of starts without one."""
    times: Times = array("q", bytes(8 * STARTS))
    wait, agree = start.wait, start.agree
    k = 0
    agree()
    while k < len(times):
        begun = wait()
        times[k] = clock() - begun
        k += agree()
    return int(median(times))
