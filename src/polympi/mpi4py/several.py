"""Waiting for several requests, some of them of objects. Requests of mpi4py alone never get here.

Each function implements the method of ``MPI.Request`` of the same name.
"""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_mpi: Any = None


def prepare(mpi: Any) -> None:
    """Store mpi4py's module."""
    global _mpi  # noqa: PLW0603  (a process has one mpi4py)
    _mpi = mpi


def _until(look: Callable[[], Any], operation: str) -> Any:
    """What ``look`` returns, as soon as that is not None."""
    found = look()
    return core.mpi4py_wait_until(look, operation) if found is None else found


def _check(statuses: Sequence[Any] | None, requests: Sequence[Any]) -> None:
    """Refuse anything but a sequence of statuses, before any request is completed."""
    if statuses is None:
        return
    for i in range(min(len(statuses), len(requests))):
        if not isinstance(statuses[i], _mpi.Status):
            raise TypeError(f"Cannot convert {type(statuses[i]).__name__} to mpi4py.MPI.Status")


def _give(statuses: Sequence[Any] | None, found: Sequence[Any]) -> None:
    """Fill the given statuses; a list is extended, other sequences are filled as far as they go."""
    if statuses is None:
        return
    if isinstance(statuses, list):
        statuses += [_mpi.Status() for _ in range(len(statuses), len(found))]
    for i in range(min(len(statuses), len(found))):
        core.mpi4py_copy_status(statuses[i], found[i])


class _Errors:
    """Collects the library's errors of some of the requests, and completes the others."""

    def __init__(self) -> None:
        self._first: Exception | None = None

    def note(self, error: Any, status: Any) -> None:
        """Let the status of a request have its error."""
        self._first = self._first or error
        status.Set_error(error.Get_error_code())

    def tell(self) -> None:
        """Raise MPI's error that the statuses have the errors (MPI 5.0, section 3.7.5)."""
        if self._first is not None:
            raise _mpi.Exception(_mpi.ERR_IN_STATUS) from self._first


# ---- all ----


def waitall(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> list[Any]:
    """Those of objects first: their waits also make progress on all others."""
    requests = list(requests)
    _check(statuses, requests)
    values: list[Any] = [None] * len(requests)
    found = [_mpi.Status() for _ in requests]
    errors = _Errors()
    ours = [core.mpi4py_is_of_object(request) for request in requests]
    for of_object in (True, False):
        for i, request in enumerate(requests):
            if ours[i] is of_object:
                try:
                    values[i] = request.wait(found[i])
                except _mpi.Exception as error:
                    errors.note(error, found[i])
    _give(statuses, found)
    errors.tell()
    return values


def testall(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> tuple[bool, list[Any] | None]:
    """All or none of them are completed."""
    requests = list(requests)
    _check(statuses, requests)
    if not get_status_all(requests):
        return False, None
    return True, waitall(requests, statuses)


def get_status_all(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> bool:
    """Whether all are complete."""
    requests = list(requests)
    _check(statuses, requests)
    found = [_mpi.Status() for _ in requests]
    complete = [request.Get_status(status) for request, status in zip(requests, found, strict=True)]
    if not all(complete):
        return False
    _give(statuses, found)
    return True


# ---- any ----


def testany(requests: Sequence[Any], status: Any = None) -> tuple[int, bool, Any]:
    """The first that is complete; (UNDEFINED, True, None) if none is pending."""
    under_way = False
    for i, request in enumerate(requests):
        if request:
            under_way = True
            complete, value = request.test(status)
            if complete:
                return i, True, value
    return _mpi.UNDEFINED, not under_way, None


def waitany(requests: Sequence[Any], status: Any = None) -> tuple[int, Any]:
    """The first that is complete."""
    requests = list(requests)

    def look() -> tuple[int, Any] | None:
        index, complete, value = testany(requests, status)
        return (index, value) if complete else None

    found: tuple[int, Any] = _until(look, "waitany")
    return found


def get_status_any(requests: Sequence[Any], status: Any = None) -> tuple[int, bool]:
    """The first that is complete; none is completed by this."""
    active = [(i, request) for i, request in enumerate(requests) if request]
    for i, request in active:
        if request.Get_status(status):
            return i, True
    return _mpi.UNDEFINED, not active


# ---- some ----


def testsome(
    requests: Sequence[Any], statuses: Sequence[Any] | None = None
) -> tuple[list[int] | None, list[Any] | None]:
    """Those that are complete, possibly none; None if none is pending."""
    requests = list(requests)
    _check(statuses, requests)
    indices, values, found, under_way = [], [], [], False
    errors = _Errors()
    for i, request in enumerate(requests):
        if request:
            under_way, status, complete, value = True, _mpi.Status(), True, None
            try:
                complete, value = request.test(status)
            except _mpi.Exception as error:
                errors.note(error, status)
            if complete:
                indices.append(i)
                values.append(value)
                found.append(status)
    if not under_way:
        return None, None
    _give(statuses, found)
    errors.tell()
    return indices, values


def waitsome(
    requests: Sequence[Any], statuses: Sequence[Any] | None = None
) -> tuple[list[int] | None, list[Any] | None]:
    """Those that are complete, at least one."""
    requests = list(requests)

    def look() -> tuple[list[int] | None, list[Any] | None] | None:
        found = testsome(requests, statuses)
        return None if found[0] == [] else found

    some: tuple[list[int] | None, list[Any] | None] = _until(look, "waitsome")
    return some


def get_status_some(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> list[int] | None:
    """Those that are complete; none is completed by this."""
    requests = list(requests)
    _check(statuses, requests)
    active = [(i, request, _mpi.Status()) for i, request in enumerate(requests) if request]
    complete = [(i, status) for i, request, status in active if request.Get_status(status)]
    _give(statuses, [status for _, status in complete])
    return [i for i, _ in complete] if active else None


# ---- the same without values ----


def Waitall(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> bool:
    """See waitall."""
    waitall(requests, statuses)
    return True


def Testall(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> bool:
    """See testall."""
    return testall(requests, statuses)[0]


def Waitany(requests: Sequence[Any], status: Any = None) -> int:
    """See waitany."""
    return waitany(requests, status)[0]


def Testany(requests: Sequence[Any], status: Any = None) -> tuple[int, bool]:
    """See testany."""
    return testany(requests, status)[:2]


def Waitsome(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> list[int] | None:
    """See waitsome."""
    return waitsome(requests, statuses)[0]


def Testsome(requests: Sequence[Any], statuses: Sequence[Any] | None = None) -> list[int] | None:
    """See testsome."""
    return testsome(requests, statuses)[0]


Get_status_all = get_status_all
Get_status_any = get_status_any
Get_status_some = get_status_some
