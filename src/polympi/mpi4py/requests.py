"""``MPI.Message.probe`` and ``iprobe``, which find messages of objects as ``mprobe`` and ``improbe`` do."""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def prepare(mpi: Any) -> None:
    """Let ``MPI.Message.probe(comm)`` be ``comm.mprobe()``."""

    def probe(_cls: type, comm: Any, source: int = mpi.ANY_SOURCE, tag: int = mpi.ANY_TAG, status: Any = None) -> Any:
        return comm.mprobe(source, tag, status)

    def iprobe(_cls: type, comm: Any, source: int = mpi.ANY_SOURCE, tag: int = mpi.ANY_TAG, status: Any = None) -> Any:
        return comm.improbe(source, tag, status)

    for method in (probe, iprobe):
        method.__doc__ = getattr(mpi.Message, method.__name__).__doc__
        core.mpi4py_replace(mpi.Message, method.__name__, classmethod(method))
