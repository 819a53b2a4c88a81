"""Pending sends and receives."""

from __future__ import annotations

import polympi
from polympi.compat.boostmpi.errors import own_errors
from polympi.compat.boostmpi.status import Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Request:
    """A pending send; what :meth:`wait` and :meth:`test` of it give is its status."""

    __slots__ = ("_cancelled", "_request", "_status", "_value")

    def __init__(self, request: polympi.Request) -> None:
        self._request = request
        self._value: Any = None
        self._status: Status | None = None
        self._cancelled = False

    def wait(self) -> Any:
        """Wait until it is complete.

        Returns:
            Its status.
        """
        return self._result()[1]

    def test(self) -> Any:
        """What :meth:`wait` returns, if it is complete; else None. Never waits."""
        return self.wait() if self._is_complete() else None

    @own_errors
    def cancel(self) -> None:
        """Give up a receive that no message has arrived for; sends go on."""
        self._cancelled = self._request.cancel() or self._cancelled

    @property
    def _is_known(self) -> bool:
        """Whether a call has found it complete, and has given its result."""
        return self._status is not None

    @own_errors
    def _is_complete(self) -> bool:
        """Whether it is complete; looks, without waiting."""
        return self._is_known or self._request.test()

    @own_errors
    def _result(self) -> tuple[Any, Status]:
        """Wait for it, and give its value, which is None for a send, and its status."""
        if self._status is None:
            self._value, found = self._request.wait(status=True)
            self._status = Status(found.source, found.tag, self._cancelled)
        return self._value, self._status

    def __repr__(self) -> str:
        return f"<boostmpi {type(self).__name__}, {'complete' if self._is_known else 'pending'}>"


class RequestWithValue(Request):
    """A pending receive; what :meth:`wait` and :meth:`test` of it give is its value and its status."""

    __slots__ = ()

    def wait(self) -> tuple[Any, Status]:
        """Wait until the message has arrived.

        Returns:
            The message, which is None after a successful :meth:`cancel`, and its status.
        """
        return self._result()
