"""Results that are exceptions: a task's own, and those of workers that ended."""

from __future__ import annotations

import pickle
from concurrent.futures import BrokenExecutor

from polympi.errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class WorkerError(Error, BrokenExecutor):
    """A worker of a pool has ended while it had a task, or no worker is left.

    Attributes:
        peer: the worker's rank.
    """


class _Traceback(Exception):  # noqa: N818  (the cause of an exception, which shows where it was raised)
    """The traceback of a worker."""

    def __str__(self) -> str:
        return f"on rank {self.args[0]}\n\n{self.args[1]}"


def value_of(rank: int, data: bytes, buffers: Any) -> Any:
    """Unpickle the value of a task.

    Raises:
        Error: it can't be unpickled here.
    """
    try:
        return pickle.loads(data, buffers=buffers)
    except MemoryError:
        raise
    except Exception as error:
        raise Error(
            f"the result of a task of rank {rank} can't be unpickled: {type(error).__name__}: {error}", peer=rank
        ) from error


def error_of(rank: int, data: bytes) -> BaseException:
    """Unpickle the exception of a task, with the worker's traceback as its cause."""
    try:
        error, text, reason = pickle.loads(data)
    except Exception as failed:  # its class is on the worker alone
        return Error(
            f"the exception of a task of rank {rank} can't be unpickled: {type(failed).__name__}: {failed}", peer=rank
        )
    if error is None:
        last = text.strip().rpartition("\n")[2]
        error = Error(f"a task of rank {rank} raised {last}, which can't be unpickled: {reason}", peer=rank)
    error.__cause__ = _Traceback(rank, text)
    made: BaseException = error
    return made
