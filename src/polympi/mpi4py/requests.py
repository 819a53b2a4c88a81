"""Requests and matched messages of objects, as classes below those of mpi4py."""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make(mpi: Any) -> tuple[type, type, type]:
    """The classes: requests of objects, requests of arrays, and matched messages. The core adds methods."""

    class ObjectRequest(mpi.Request):  # type: ignore[misc]
        """A message of an object that is under way. To the MPI library it is no request."""

        __slots__ = ("_inner",)  # the request of the core; None or not there: it was waited for

        def __bool__(self) -> bool:
            return getattr(self, "_inner", None) is not None

        def __eq__(self, other: object) -> bool:
            return self is other or (not self and super().__eq__(other) and not _is_active(other))

        def __ne__(self, other: object) -> bool:
            return not self == other

        __hash__ = mpi.Request.__hash__

        def Free(self) -> None:
            """Forget it: a send goes on, a receive is given up."""
            self._inner = None

        def free(self) -> None:
            """Forget it: a send goes on, a receive is given up."""
            self._inner = None

    class ArrayRequest(mpi.Request):  # type: ignore[misc]
        """A message of an array that is under way."""

        __slots__ = ("_memory",)

    class ObjectMessage(mpi.Message):  # type: ignore[misc]
        """A message of an object that was matched, and is being received."""

        __slots__ = ("_inner",)

        def __bool__(self) -> bool:
            return getattr(self, "_inner", None) is not None

        def __eq__(self, other: object) -> bool:
            return self is other or (not self and super().__eq__(other) and not _is_active(other))

        def __ne__(self, other: object) -> bool:
            return not self == other

        __hash__ = mpi.Message.__hash__

        def recv(self, status: Any = None) -> Any:
            """Receive it."""
            return self.irecv().wait(status)

        def irecv(self) -> Any:
            """Begin to receive it."""
            request = ObjectRequest()
            request._inner, self._inner = getattr(self, "_inner", None), None
            return request

        def _refuse(self, *_args: object) -> None:
            raise mpi.Exception(mpi.ERR_REQUEST)

        Recv = Irecv = _refuse

    _name(mpi, ObjectRequest, "Request")
    _name(mpi, ArrayRequest, "Request")
    _name(mpi, ObjectMessage, "Message")
    return ObjectRequest, ArrayRequest, ObjectMessage


def prepare(mpi: Any) -> None:
    """Let ``MPI.Message.probe(comm)`` be ``comm.mprobe()``."""

    def probe(_cls: type, comm: Any, source: int = mpi.ANY_SOURCE, tag: int = mpi.ANY_TAG, status: Any = None) -> Any:
        return comm.mprobe(source, tag, status)

    def iprobe(_cls: type, comm: Any, source: int = mpi.ANY_SOURCE, tag: int = mpi.ANY_TAG, status: Any = None) -> Any:
        return comm.improbe(source, tag, status)

    for method in (probe, iprobe):
        method.__doc__ = getattr(mpi.Message, method.__name__).__doc__
        core.mpi4py_replace(mpi.Message, method.__name__, classmethod(method))


def _name(mpi: Any, cls: type, name: str) -> None:
    cls.__module__, cls.__qualname__ = mpi.__name__, name


def _is_active(other: Any) -> bool:
    return getattr(other, "_inner", None) is not None
