"""What ranks write, in the order of ranks."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager

from polympi.startup import init

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from polympi.communicator import Communicator


@contextmanager
def in_turn(comm: Communicator | None = None) -> Iterator[None]:
    """In a ``with`` statement: one rank after another runs its body. All ranks call it; it begins on rank 0.

    The body makes no collective call on ``comm``, in which the other ranks wait. If it raises an exception, the other
    ranks have their turn all the same, and then it goes on.

    Args:
        comm: whose ranks; default: :data:`polympi.world`.

    Raises:
        MismatchError: another rank makes another call.
        Timeout: not all ranks called it within POLYMPI_TIMEOUT.
    """
    comm = comm or init()
    for _ in range(comm.rank):
        comm.barrier()
    try:
        yield
        _flush()
    finally:
        for _ in range(comm.rank, comm.size):
            comm.barrier()


def print(  # noqa: A001  (it is used as polympi.print)
    *values: object, sep: str | None = " ", end: str | None = "\n", file: TextIO | None = None, flush: bool = True
) -> None:
    """Print what all ranks of the world give, in the order of ranks. All ranks call it, rank 0 prints.

    Args:
        values: of this rank.
        sep: between the values, as for Python's ``print``.
        end: after them.
        file: of rank 0, on which the others' don't count; default: its standard output.
        flush: whether it is there when rank 0 returns.

    Raises:
        MismatchError: another rank makes another call.
        Timeout: not all ranks called it within POLYMPI_TIMEOUT.
    """
    world = init()
    between, after = " " if sep is None else sep, "\n" if end is None else end
    texts = world.gather(between.join(map(str, values)) + after)
    if texts is not None:
        stream = sys.stdout if file is None else file
        stream.write("".join(texts))
        if flush:
            stream.flush()


def logging_filter() -> logging.Filter:
    """A filter for a handler of ``logging``, after which its format may have ``%(rank)s`` and ``%(size)s``.

    It starts MPI if it doesn't run yet, as the first use of :data:`polympi.world` does.
    """
    world = init()
    return _WithRank(world.rank, world.size)


class _WithRank(logging.Filter):
    def __init__(self, rank: int, size: int) -> None:
        super().__init__()
        self._rank, self._size = rank, size

    def filter(self, record: logging.LogRecord) -> bool:
        record.rank, record.size = self._rank, self._size
        return True


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
