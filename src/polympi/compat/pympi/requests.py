"""Statuses, and requests: pending sends and receives."""

from __future__ import annotations

import polympi
from polympi.compat.pympi.errors import own_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Status(tuple[int, int, int]):
    """Where a message came from: ``(source, tag, error)``, also by name."""

    __slots__ = ()

    @property
    def source(self) -> int:
        """The rank that sent it."""
        return self[0]

    @property
    def tag(self) -> int:
        """Its tag."""
        return self[1]

    @property
    def error(self) -> int:
        """0: an error is an exception."""
        return self[2]

    def __repr__(self) -> str:
        return f'<MPI_Status Source="{self[0]}" Tag="{self[1]}" Error="{self[2]}" \\>'


class _Statuses(dict[tuple[int, ...], Status]):
    """Statuses by source and tag: most programs have few, and a new one would take longer than to look it up."""

    def __missing__(self, where: tuple[int, ...]) -> Status:
        made = Status((where[0], where[1], 0))
        if len(self) < MOST_KEPT:
            self[where] = made
        return made


MOST_KEPT = 1024  # for a program whose tags go on counting; a status takes some 200 bytes
statuses = _Statuses()


class Request:
    """A pending send.

    Its attributes ask MPI again whenever they are read, as pyMPI's did: ``request.test``, without a call.
    """

    __slots__ = ("_cancelled", "_message", "_request", "_status")

    def __init__(self, request: polympi.Request) -> None:
        self._request = request
        self._status: Status | None = None
        self._message: Any = None
        self._cancelled = False

    @own_errors
    def wait(self) -> Status:
        """Wait until it is complete."""
        if self._status is None:
            self._message, found = self._request.wait(status=True)
            self._status = Status((found.source, found.tag, 0))
        return self._status

    def cancel(self) -> None:
        """Give up a receive that no message has arrived for; sends go on."""
        self._cancelled = self._request.cancel() or self._cancelled

    @property
    def test(self) -> tuple[int, Status | None]:
        """Whether it is complete, as 1 or 0, and its status then."""
        return (1, self.wait()) if self._is_complete() else (0, None)

    @property
    def status(self) -> Status:
        """Its status; waits until it is complete."""
        return self.wait()

    @property
    def test_cancelled(self) -> int:
        """Whether it was cancelled, as 1 or 0."""
        return int(self._cancelled)

    @own_errors
    def _is_complete(self) -> bool:
        """Look, without waiting."""
        if self._status is None:
            if not self._request.test():
                return False
            self.wait()
        return True

    def __bool__(self) -> bool:
        return self._is_complete()

    def __repr__(self) -> str:
        return f"<pyMPI request, {'complete' if self._status else 'pending'}>"


class ReceiveRequest(Request):
    """A pending receive."""

    __slots__ = ()

    @property
    def ready(self) -> int:
        """Whether the message has arrived, as 1 or 0."""
        return int(self._is_complete())

    @property
    def message(self) -> Any:
        """The message; waits until it has arrived. None after the receive was cancelled."""
        self.wait()
        return self._message


def test(request: Request) -> tuple[int, Status | None]:
    """Whether a request is complete, as 1 or 0, and its status then."""
    (asked,) = _all_of((request,))
    return asked.test


def test_cancelled(request: Request) -> int:
    """Whether a request was cancelled, as 1 or 0."""
    (asked,) = _all_of((request,))
    return asked.test_cancelled


def wait(request: Request) -> Status:
    """Wait for a request."""
    (asked,) = _all_of((request,))
    return asked.wait()


def cancel(request: Request) -> None:
    """Give up a receive that no message has arrived for; sends go on."""
    (asked,) = _all_of((request,))
    asked.cancel()


def waitall(*requests: Request | Iterable[Request]) -> list[Status]:
    """Wait for all requests, given one by one or as a list; their statuses."""
    return [request.wait() for request in _all_of(requests)]


def testall(*requests: Request | Iterable[Request]) -> list[Status]:
    """The statuses of all requests if all are complete, and an empty list otherwise."""
    asked = _all_of(requests)
    complete = [request._is_complete() for request in asked]  # all are asked, so that all make progress
    return [request.wait() for request in asked] if all(complete) else []


@own_errors
def waitany(*requests: Request | Iterable[Request]) -> tuple[int, Status] | tuple[None, None]:
    """Wait for one of the requests that are not known to be complete yet: its index and its status.

    Raises:
        ValueError: no requests are given.
    """
    asked = _all_of(requests)
    if not asked:
        raise ValueError("waitany needs a request, but got none.")
    waiting = [index for index, request in enumerate(asked) if request._status is None]
    if not waiting:
        return None, None
    place, _ = polympi.wait_any([asked[index]._request for index in waiting])
    return waiting[place], asked[waiting[place]].wait()


def testany(*requests: Request | Iterable[Request]) -> tuple[int, Status] | tuple[None, None]:
    """The index and the status of a request that has become complete; ``(None, None)`` if none has."""
    for index, request in enumerate(_all_of(requests)):
        if request._status is None and request._is_complete():
            return index, request.wait()
    return None, None


def waitsome(*requests: Request | Iterable[Request]) -> tuple[list[int], list[Status]]:
    """Wait for at least one of the requests that are not known to be complete yet; the indices and statuses of all."""
    asked = _all_of(requests)
    index, status = waitany(asked) if asked else (None, None)
    if index is None or status is None:
        return [], []
    others, found = testsome(asked)
    both = sorted([(index, status), *zip(others, found, strict=True)])
    return [index for index, _ in both], [status for _, status in both]


def testsome(*requests: Request | Iterable[Request]) -> tuple[list[int], list[Status]]:
    """The indices and the statuses of the requests that have become complete."""
    asked = _all_of(requests)
    waiting = [index for index, request in enumerate(asked) if request._status is None]
    done = [index for index in waiting if asked[index]._is_complete()]
    return done, [asked[index].wait() for index in done]


def _all_of(given: Sequence[Request | Iterable[Request]]) -> list[Request]:
    """Requests that are given one by one, or as one list."""
    first = given[0] if len(given) == 1 else None
    listed: Iterable[object] = given if first is None or isinstance(first, Request) else first
    requests = []
    for request in listed:
        if not isinstance(request, Request):
            raise TypeError(f"{request!r} isn't a request: give what isend and irecv return.")
        requests.append(request)
    return requests
