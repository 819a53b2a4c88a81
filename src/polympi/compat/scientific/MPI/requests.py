"""Pending sends and receives."""

from __future__ import annotations

import polympi
from polympi.compat.scientific.MPI.errors import MPIError, own_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from polympi.compat.scientific.MPI.elements import Received


class Request:
    """A send; it is active until it was found complete, and then expired."""

    def __init__(self, request: polympi.Request) -> None:
        self._request: polympi.Request | None = request

    @own_errors
    def wait(self) -> Any:
        """Wait until it is complete.

        Returns:
            Nothing for a send; for a receive the array, source, tag and count.

        Raises:
            MPIError: an earlier call has found it complete, or the message does not fit.
        """
        request = self._active()
        result = self._result(request)
        self._request = None
        return result

    def test(self) -> Any:
        """Whether it is complete.

        Returns:
            0 if not; else True for a send, and for a receive what :meth:`wait` returns.

        Raises:
            MPIError: as :meth:`wait`.
        """
        if not self._active().test():
            return 0
        result = self.wait()
        return True if result is None else result

    def _result(self, request: polympi.Request) -> Received | None:
        request.wait()
        return None

    def _active(self) -> polympi.Request:
        return self._request or _refuse()

    def __repr__(self) -> str:
        return f"<PyMPIRequest at {id(self):#x}: {'active' if self._request else 'expired'}>"


class ReceiveRequest(Request):
    """A receive."""

    def __init__(self, request: polympi.Request, result: Callable[[Any, polympi.Status], Received]) -> None:
        super().__init__(request)
        self._put = result

    def _result(self, request: polympi.Request) -> Received:
        return self._put(*request.wait(status=True))


def _refuse() -> NoReturn:
    raise MPIError("Cannot wait on expired request: a call before has found it complete, and given its result")
