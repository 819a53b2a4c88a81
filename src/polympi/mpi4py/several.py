"""Waiting for several requests, some of them of objects. Those of mpi4py's alone never come here.

Each function has the name of the method of ``MPI.Request`` that it does the work of.
"""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_mpi: Any = None
_ours: Any = None


def prepare(mpi: Any, object_request: type) -> None:
    """Know mpi4py's module, and the class of requests of objects."""
    global _mpi, _ours
    _mpi, _ours = mpi, object_request


def _until(look: Callable[[], Any], operation: str) -> Any:
    """What ``look`` returns, as soon as that is not None."""
    found = look()
    return core.mpi4py_wait_until(look, operation) if found is None else found


def _give(statuses: list[Any] | None, found: Sequence[Any]) -> None:
    """Put statuses into those that were given; a list grows, as mpi4py has it."""
    if statuses is None:
        return
    if isinstance(statuses, list):
        statuses += [_mpi.Status() for _ in range(len(statuses), len(found))]
    for i in range(min(len(statuses), len(found))):
        statuses[i] = found[i]


# ---- all ----


def waitall(requests: Sequence[Any], statuses: list[Any] | None = None) -> list[Any]:
    """Those of objects first: their waits move on all others, too."""
    requests = list(requests)
    values: list[Any] = [None] * len(requests)
    found = [_mpi.Status() for _ in requests]
    for last in (False, True):
        for i, request in enumerate(requests):
            if isinstance(request, _ours) is not last:
                values[i] = request.wait(found[i])
    _give(statuses, found)
    return values


def testall(requests: Sequence[Any], statuses: list[Any] | None = None) -> tuple[bool, list[Any] | None]:
    """All or none of them are completed."""
    if not get_status_all(requests):
        return False, None
    return True, waitall(requests, statuses)


def get_status_all(requests: Sequence[Any], statuses: list[Any] | None = None) -> bool:
    """Whether all are complete."""
    found = [_mpi.Status() for _ in requests]
    complete = [request.Get_status(status) for request, status in zip(requests, found, strict=True)]
    if not all(complete):
        return False
    _give(statuses, found)
    return True


# ---- any ----


def testany(requests: Sequence[Any], status: Any = None) -> tuple[int, bool, Any]:
    """The first that is complete; (UNDEFINED, True, None) where none is under way."""
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


def testsome(requests: Sequence[Any], statuses: list[Any] | None = None) -> tuple[list[int] | None, list[Any] | None]:
    """Those that are complete, perhaps none; None where none is under way."""
    indices, values, found, under_way = [], [], [], False
    for i, request in enumerate(requests):
        if request:
            under_way, status = True, _mpi.Status()
            complete, value = request.test(status)
            if complete:
                indices.append(i)
                values.append(value)
                found.append(status)
    if not under_way:
        return None, None
    _give(statuses, found)
    return indices, values


def waitsome(requests: Sequence[Any], statuses: list[Any] | None = None) -> tuple[list[int] | None, list[Any] | None]:
    """Those that are complete, at least one."""
    requests = list(requests)

    def look() -> tuple[list[int] | None, list[Any] | None] | None:
        found = testsome(requests, statuses)
        return None if found[0] == [] else found

    some: tuple[list[int] | None, list[Any] | None] = _until(look, "waitsome")
    return some


def get_status_some(requests: Sequence[Any], statuses: list[Any] | None = None) -> list[int] | None:
    """Those that are complete; none is completed by this."""
    active = [(i, request, _mpi.Status()) for i, request in enumerate(requests) if request]
    complete = [(i, status) for i, request, status in active if request.Get_status(status)]
    _give(statuses, [status for _, status in complete])
    return [i for i, _ in complete] if active else None


# ---- the same without values ----


def Waitall(requests: Sequence[Any], statuses: list[Any] | None = None) -> bool:
    """See waitall."""
    waitall(requests, statuses)
    return True


def Testall(requests: Sequence[Any], statuses: list[Any] | None = None) -> bool:
    """See testall."""
    return testall(requests, statuses)[0]


def Waitany(requests: Sequence[Any], status: Any = None) -> int:
    """See waitany."""
    return waitany(requests, status)[0]


def Testany(requests: Sequence[Any], status: Any = None) -> tuple[int, bool]:
    """See testany."""
    return testany(requests, status)[:2]


def Waitsome(requests: Sequence[Any], statuses: list[Any] | None = None) -> list[int] | None:
    """See waitsome."""
    return waitsome(requests, statuses)[0]


def Testsome(requests: Sequence[Any], statuses: list[Any] | None = None) -> list[int] | None:
    """See testsome."""
    return testsome(requests, statuses)[0]


Get_status_all = get_status_all
Get_status_any = get_status_any
Get_status_some = get_status_some
