"""Several requests, in the order in which they complete."""

from __future__ import annotations

from polympi.deadline import Deadline
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from polympi.native.core import Request

    _T = TypeVar("_T")

BLOCK = 64  # requests tested between two looks at the clock and at other work: some 4 us


def wait_some(requests: Iterable[Request[_T]], *, timeout: float | None = None) -> list[tuple[int, _T]]:
    """Wait until at least one request is complete; index and value of each that is, in their order.

    Args:
        requests: those that were complete before count, so take them out.
        timeout: seconds; None means POLYMPI_TIMEOUT, or no limit.

    Raises:
        Timeout: none was complete in time.
        ValueError: requests is empty.
        Error: one of them has failed; the others keep their values.

    MPI 5.0, section 3.7.5 (MPI_Waitsome).
    """
    given = _checked(requests, "wait_some")
    if not given:
        raise ValueError("wait_some(): requests is empty")
    places = core.wait_ready([*given], 0, len(given), "wait_some", timeout)
    return [(place, given[place].wait()) for place in places]


def as_completed(requests: Iterable[Request[_T]], *, timeout: float | None = None) -> Iterator[Request[_T]]:
    """Iterate over the requests in the order in which they complete; ``wait`` then returns or raises at once.

    As with ``concurrent.futures``, a dict from requests to what belongs to them says which one it is.

    Args:
        requests: any number; the time for all of them is in proportion, unless they complete one by one and in another
            order than that in which they are given.
        timeout: seconds for all of them together, from this call on; None means POLYMPI_TIMEOUT, or no limit.

    Raises:
        Timeout: by the iterator: the next one was not complete in time.
    """
    return _completing(_checked(requests, "as_completed"), Deadline("as_completed", timeout))


def _checked(requests: Iterable[Request[_T]], function: str) -> list[Request[_T]]:
    given = list(requests)
    for place, request in enumerate(given):
        if not isinstance(request, core.Request):
            raise TypeError(f"{function}(): item {place} is a {type(request).__name__}, not a Request")
    return given


def _completing(given: list[Request[_T]], deadline: Deadline) -> Iterator[Request[_T]]:
    pending: list[Request[_T] | None] = [*given]  # None: it was yielded
    left, first = len(pending), 0
    while left:
        # From where the last one was on, since most complete in the order in which they began.
        for place in core.wait_ready(pending, first, BLOCK, "as_completed", deadline.left()):
            request = pending[place]
            assert request is not None
            pending[place] = None
            left -= 1
            first = place + 1
            yield request
        if len(pending) > 2 * left:
            first -= pending[:first].count(None)
            pending = [request for request in pending if request is not None]
