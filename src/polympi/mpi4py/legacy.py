"""The methods of objects as mpi4py 1.x had them (1.2 of 2010): other arguments, and other defaults.

``recv()`` and the like received from rank 0 with tag 0 by default; collectives had an unused second argument for the
received object. Arguments of mpi4py 4 are accepted, too, if they are unambiguous.
"""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def prepare(mpi: Any) -> None:
    """Replace the methods."""
    for owner, methods in _methods(mpi).items():
        cls = getattr(mpi, owner)
        for name, make in methods.items():
            before = vars(cls)[name]
            core.mpi4py_replace(cls, name, _named(make(before), before))


def _named(method: Any, before: Any) -> Any:
    """A method with the name and the documentation of the one that it replaces."""
    method.__name__, method.__qualname__, method.__doc__ = before.__name__, before.__qualname__, before.__doc__
    return method


def _is_op(mpi: Any, value: Any) -> bool:
    return isinstance(value, mpi.Op) or callable(value)


def _methods(mpi: Any) -> dict[str, dict[str, Callable[[Any], Any]]]:
    def send(before: Any) -> Any:
        def method(self: Any, obj: Any = None, dest: int = 0, tag: int = 0) -> Any:
            return before(self, obj, dest, tag)

        return method

    def recv(before: Any) -> Any:
        def method(self: Any, obj: Any = None, source: int = 0, tag: int = 0, status: Any = None) -> Any:
            return before(self, None, source, tag, status)

        return method

    def sendrecv(before: Any) -> Any:
        def method(
            self: Any,
            sendobj: Any = None,
            dest: int = 0,
            sendtag: int = 0,
            recvobj: Any = None,
            source: int = 0,
            recvtag: int = 0,
            status: Any = None,
        ) -> Any:
            return before(self, sendobj, dest, sendtag, None, source, recvtag, status)

        return method

    def probe(before: Any) -> Any:
        def method(self: Any, source: int = 0, tag: int = 0, status: Any = None) -> Any:
            return before(self, source, tag, status)

        return method

    def rooted(before: Any) -> Any:
        """``gather(sendobj, recvobj, root)``; a second argument that is a number is the root of mpi4py 4."""

        def method(self: Any, sendobj: Any = None, recvobj: Any = None, root: int | None = None) -> Any:
            if root is None and isinstance(recvobj, int):
                root = recvobj
            return before(self, sendobj, root or 0)

        return method

    def bcast(before: Any) -> Any:
        def method(self: Any, obj: Any = None, root: int = 0) -> Any:
            return before(self, obj, root)

        return method

    def joint(before: Any) -> Any:
        def method(self: Any, sendobj: Any = None, recvobj: Any = None) -> Any:
            return before(self, sendobj)

        return method

    def reduce(before: Any) -> Any:
        """``reduce(sendobj, recvobj, op, root)``; with an operation in the second place it is that of mpi4py 4."""

        def method(self: Any, sendobj: Any = None, recvobj: Any = None, op: Any = None, root: int = 0) -> Any:
            if _is_op(mpi, recvobj):
                root = op if isinstance(op, int) else root
                op = recvobj
            return before(self, sendobj, mpi.SUM if op is None else op, root)

        return method

    def combine(before: Any) -> Any:
        def method(self: Any, sendobj: Any = None, recvobj: Any = None, op: Any = None) -> Any:
            if _is_op(mpi, recvobj):
                op = recvobj
            return before(self, sendobj, mpi.SUM if op is None else op)

        return method

    names = ("send", "bsend", "ssend", "isend", "ibsend", "issend")
    sends: dict[str, Callable[[Any], Any]] = dict.fromkeys(names, send)
    comm: dict[str, Callable[[Any], Any]] = {
        **sends,
        "recv": recv,
        "sendrecv": sendrecv,
        "Probe": probe,
        "Iprobe": probe,
        "bcast": bcast,
        "gather": rooted,
        "scatter": rooted,
        "allgather": joint,
        "alltoall": joint,
        "reduce": reduce,
        "allreduce": combine,
    }
    return {"Comm": comm, "Intracomm": {"scan": combine, "exscan": combine}}
