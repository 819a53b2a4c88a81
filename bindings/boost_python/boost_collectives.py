"""Collectives: the loops that are timed, the same on all ranks.

``call`` is a function of the module, which takes the communicator, what the rank gives, and up to two more: the
operation of a reduction, then the root. It returns what the rank gets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common_start import UNTIMED

if TYPE_CHECKING:
    from callbacks import Call, Clock, Times
    from common_start import CommonStart


def none_more(call: Call, comm: Any, given: Any, iterations: int) -> Any:
    """Calls in a row: ``all_gather``, ``all_to_all``."""
    received = None
    for _ in range(iterations):
        received = call(comm, given)
    return received


def none_more_events(call: Call, comm: Any, given: Any, start: CommonStart, clock: Clock, times: Times) -> Any:
    """The same, timed one by one from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    received = None
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call(comm, given)
        begun = wait()
        received = call(comm, given)
        times[k] = clock() - begun
        k += agree()
    return received


def one_more(call: Call, comm: Any, given: Any, more: Any, iterations: int) -> Any:
    """Calls in a row: ``all_reduce`` with its operation, ``broadcast``, ``gather`` and ``scatter`` with their root."""
    received = None
    for _ in range(iterations):
        received = call(comm, given, more)
    return received


def one_more_events(
    call: Call, comm: Any, given: Any, more: Any, start: CommonStart, clock: Clock, times: Times
) -> Any:
    """The same, timed one by one from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    received = None
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call(comm, given, more)
        begun = wait()
        received = call(comm, given, more)
        times[k] = clock() - begun
        k += agree()
    return received


def two_more(call: Call, comm: Any, given: Any, operation: Any, root: int, iterations: int) -> Any:
    """Calls in a row: ``reduce``."""
    received = None
    for _ in range(iterations):
        received = call(comm, given, operation, root)
    return received


def two_more_events(
    call: Call, comm: Any, given: Any, operation: Any, root: int, start: CommonStart, clock: Clock, times: Times
) -> Any:
    """The same, timed one by one from a common start; one that a rank began too late is made again."""
    wait, agree = start.wait, start.agree
    received = None
    k = 0
    agree()
    while k < len(times):
        for _ in UNTIMED:
            call(comm, given, operation, root)
        begun = wait()
        received = call(comm, given, operation, root)
        times[k] = clock() - begun
        k += agree()
    return received


NONE_MORE = (none_more, none_more_events)
ONE_MORE = (one_more, one_more_events)
TWO_MORE = (two_more, two_more_events)
