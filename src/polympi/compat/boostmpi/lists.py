"""Several requests at once: wait for one, for some or for all of them.

Calls raise Error if a request failed, ValueError for an empty list, and TypeError if the list cannot be reordered.
"""

from __future__ import annotations

import polympi
from polympi.compat.boostmpi.errors import own_errors
from polympi.compat.boostmpi.requests import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from polympi.compat.boostmpi.status import Status


class RequestList(list[Request]):
    """A list of requests. Other lists are as good."""


def wait_any(requests: Iterable[Request]) -> tuple[Any, Status, int]:
    """Wait for one of the requests that no call has found complete yet.

    Returns:
        Its value, which is None for a send, its status, and its index in the list.

    Raises:
        ValueError: there is none.
        Error: it failed.
    """
    asked = _asked("wait_any", requests)
    active = _active("wait_any", asked)
    index = active[_first_complete([asked[place] for place in active])]
    return *asked[index]._result(), index


def test_any(requests: Iterable[Request]) -> tuple[Any, Status, int] | None:
    """What :func:`wait_any` returns, if a request is complete that no call has found complete yet; else None.

    Raises:
        ValueError: all have been found complete, or the list is empty.
        Error: a request failed.
    """
    asked = _asked("test_any", requests)
    for index in _active("test_any", asked):
        if asked[index]._is_complete():
            return *asked[index]._result(), index
    return None


@own_errors
def wait_all(requests: Iterable[Request], callable: Callable[[Any, Status], object] | None = None) -> None:  # noqa: A002  (its name)
    """Wait for all requests, and then call a function with the value and the status of each, in their order."""
    asked = _asked("wait_all", requests)
    polympi.wait_all([request._request for request in asked])
    _tell(asked, callable)


@own_errors
def test_all(requests: Iterable[Request], callable: Callable[[Any, Status], object] | None = None) -> bool:  # noqa: A002, PT028  (no test of pytest)
    """Whether all requests are complete. If they are, call a function as :func:`wait_all` does."""
    asked = _asked("test_all", requests)
    if not polympi.test_all([request._request for request in asked]):
        return False
    _tell(asked, callable)
    return True


def wait_some(requests: list[Request], callable: Callable[[Any, Status], object] | None = None) -> int:  # noqa: A002
    """Wait until one request or more are complete, and move these to the end of the list.

    A function is called with the value and the status of each that no call has found complete before.

    Returns:
        The index of the first complete one, which is also the number of the others: ``del requests[index:]`` keeps
        what is to be waited for.
    """
    active = [request for request in _reorderable("wait_some", requests) if not request._is_known]
    if active:
        _first_complete(active)
    return _partition(requests, callable)


def test_some(requests: list[Request], callable: Callable[[Any, Status], object] | None = None) -> int:  # noqa: A002, PT028
    """Like :func:`wait_some`, without waiting: where none is complete, it gives the length of the list."""
    _reorderable("test_some", requests)
    return _partition(requests, callable)


def _partition(requests: list[Request], callable: Callable[[Any, Status], object] | None) -> int:  # noqa: A002
    """Move complete requests to the end, those that were known to be complete last; see :func:`wait_some`."""
    known = [request for request in requests if request._is_known]
    pending: list[Request] = []
    complete: list[Request] = []
    for request in requests:
        if not request._is_known:
            (complete if request._is_complete() else pending).append(request)
    requests[:] = [*pending, *complete, *known]
    _tell(complete, callable)
    return len(pending)


def _tell(requests: list[Request], callable: Callable[[Any, Status], object] | None) -> None:  # noqa: A002
    """Take the results of requests that are complete, and call a function with each."""
    results = [request._result() for request in requests]
    if callable is not None:
        for value, status in results:
            callable(value, status)


def _asked(call: str, requests: Iterable[Request]) -> list[Request]:
    """The requests that a call is about."""
    asked = list(requests)
    if not asked:
        raise ValueError("cannot wait on an empty request vector")
    for request in asked:
        if not isinstance(request, Request):
            raise TypeError(f"{call}(): {request!r} isn't a request: give what isend and irecv return")
    return asked


def _reorderable(call: str, requests: list[Request]) -> list[Request]:
    """The requests that a call is about, which reorders the list of them."""
    if not isinstance(requests, list):
        raise TypeError(f"{call}() moves complete requests to the end: give a RequestList or another list")
    return _asked(call, requests)


def _active(call: str, requests: list[Request]) -> list[int]:
    """The indices of the requests that no call has found complete yet."""
    active = [index for index, request in enumerate(requests) if not request._is_known]
    if not active:
        raise ValueError(f"{call}(): earlier calls have found all requests of the list complete: take these out of it")
    return active


@own_errors
def _first_complete(requests: list[Request]) -> int:
    """Wait for one of the requests; its index."""
    return polympi.wait_any([request._request for request in requests])[0]
