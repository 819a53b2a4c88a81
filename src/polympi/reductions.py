"""Reductions of objects: what the core cannot combine itself, by trees of messages between the ranks.

The core runs these generators on all ranks, after the ranks have agreed to: waiting in between, or step by step while
the rank does something else. Contributions are combined in rank order, so operations need not be commutative. A rank
that fails (its operation raises, its object can't be sent) propagates this, so that no other rank waits for it.
"""

from __future__ import annotations

import sys

from polympi.errors import Error, MismatchError
from polympi.native import core
from polympi.native.core import LAND, LOR, LXOR, PROC_NULL
from polympi.operations import truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    # What the core does next: send this to that rank, and receive from that one, at the same time. PROC_NULL stands for
    # no rank; the generator gets what was received.
    Exchange = tuple[object, int, int]
    Steps = Generator[Exchange, Any, object]


class Failed:
    """Instead of a contribution: the rank that has none, and the reason.

    Attributes:
        mismatch: the reason is that the operation does not combine the contributions, whichever rank tries.
    """

    __slots__ = ("mismatch", "rank", "reason")

    def __init__(self, rank: int, reason: str, mismatch: bool = False) -> None:
        self.rank = rank
        self.reason = reason
        self.mismatch = mismatch


class _Reduction:
    """One reduction on one rank.

    Attributes:
        error: what went wrong here.
    """

    def __init__(self, name: str, comm: core.Communicator, op: core.Op) -> None:
        self.name = name
        self.comm = comm
        self.op = op
        self.error: Exception | None = None

    def contribution(self, value: object) -> object:
        """The contribution of this rank: the value, or its truth for a logical operation, also with one rank."""
        if self.op not in (LAND, LOR, LXOR):
            return value
        try:
            return truth(value)
        except Exception as error:
            return self.failed(error)

    def failed(self, error: Exception) -> Failed:
        """Record an error of this rank, and return what to send to the others."""
        self.error = self.error or error
        return Failed(self.comm.rank, f"{type(self.error).__name__}: {self.error}")

    def combine(self, lower: object, higher: object) -> object:
        """Apply the operation, unless a contribution is missing."""
        for contribution in (lower, higher):
            if isinstance(contribution, Failed):
                return contribution
        try:
            return self.op(lower, higher)
        except TypeError as error:
            return self.refused(error) if getattr(core, self.op.name, None) is self.op else self.failed(error)
        except Exception as error:
            return self.failed(error)

    def refused(self, error: TypeError) -> Failed:
        """Record that a built-in operation does not combine such values."""
        reason = f"{self.op.name} does not combine such values: {error}"
        mismatch = self.placed(MismatchError, reason)
        mismatch.__cause__ = error
        self.failed(mismatch)
        return Failed(self.comm.rank, reason, mismatch=True)

    def placed(self, kind: type[Error], reason: str, consequence: bool = False) -> Error:
        """An exception of this rank in this call."""
        rank = self.comm.rank
        sentence = f"{core.rank_and_host(self.comm, rank)}, {self.name}(): {reason}"
        return kind(sentence, operation=self.name, rank=rank, consequence=consequence)

    def collect(self, value: object) -> Steps:
        """All contributions, combined up the tree; meaningful at rank 0 only."""
        parent, children = self.comm._tree()
        value = self.contribution(value)
        for child in children:
            value = self.combine(value, (yield None, PROC_NULL, child))
        if parent != PROC_NULL:
            yield value, parent, PROC_NULL
        return value

    def spread(self, value: object) -> Steps:
        """The result of rank 0 for all ranks, down the same tree."""
        parent, children = self.comm._tree()
        if parent != PROC_NULL:
            value = yield None, PROC_NULL, parent
        for child in reversed(children):
            yield value, child, PROC_NULL
        return value

    def accumulate(self, value: object) -> Steps:
        """The contributions of the ranks up to this one: round k adds those of 2^k more ranks."""
        rank, size = self.comm.rank, self.comm.size
        value = self.contribution(value)
        distance = 1
        while distance < size:
            source = rank - distance if rank >= distance else PROC_NULL
            dest = rank + distance if rank + distance < size else PROC_NULL
            lower = yield value, dest, source
            if source != PROC_NULL:
                value = self.combine(lower, value)
            distance *= 2
        return value

    def finish(self, result: object) -> object:
        """The result, unless there was an error on any rank."""
        if self.error is not None:
            raise self.error
        if not isinstance(result, Failed):
            return result
        if result.mismatch:
            raise self.placed(MismatchError, result.reason, consequence=True)
        there = core.rank_and_host(self.comm, result.rank)
        raise self.placed(Error, f"{there} could not do its part: {result.reason}", consequence=True)


def reduce(reduction: _Reduction, value: object, root: int) -> Steps:
    """``Communicator.reduce``: the result at root, None elsewhere."""
    rank = reduction.comm.rank
    result = yield from reduction.collect(value)
    if root and rank == 0:
        yield result, root, PROC_NULL
    elif root and rank == root:
        result = yield None, PROC_NULL, 0
    return reduction.finish(result if rank == root else None)


def allreduce(reduction: _Reduction, value: object, _root: int) -> Steps:
    """``Communicator.allreduce``: combined once, and sent to all, so that all have the same."""
    result = yield from reduction.collect(value)
    return reduction.finish((yield from reduction.spread(result)))


def scan(reduction: _Reduction, value: object, _root: int) -> Steps:
    """``Communicator.scan``."""
    return reduction.finish((yield from reduction.accumulate(value)))


def exscan(reduction: _Reduction, value: object, _root: int) -> Steps:
    """``Communicator.exscan``: what the rank below has accumulated."""
    comm = reduction.comm
    accumulated = yield from reduction.accumulate(value)
    dest = comm.rank + 1 if comm.rank + 1 < comm.size else PROC_NULL
    source = comm.rank - 1 if comm.rank else PROC_NULL
    return reduction.finish((yield accumulated, dest, source))


def reduce_scatter(reduction: _Reduction, value: Any, _root: int) -> Steps:
    """``Communicator.reduce_scatter``: every rank receives its pieces from all, and combines them."""
    rank, size = reduction.comm.rank, reduction.comm.size
    pieces: Sequence[object] = (
        value if isinstance(value, (list, tuple)) else sys.modules["numpy"].array_split(value, size)
    )
    contributions: list[object] = [reduction.contribution(pieces[rank])] * size
    for distance in range(1, size):
        dest, source = (rank + distance) % size, (rank - distance) % size
        contributions[source] = yield reduction.contribution(pieces[dest]), dest, source
    result = contributions[0]
    for contribution in contributions[1:]:
        result = reduction.combine(result, contribution)
    return reduction.finish(result)


STEPS = {"reduce": reduce, "allreduce": allreduce, "scan": scan, "exscan": exscan, "reduce_scatter": reduce_scatter}


def begin(
    name: str, comm: core.Communicator, value: object, op: core.Op, root: int
) -> tuple[Steps, Callable[[Exception], Failed]]:
    """The steps of a reduction, and what makes of an exception what is sent and received instead of a contribution."""
    reduction = _Reduction(name, comm, op)
    return STEPS[name](reduction, value, root), reduction.failed
