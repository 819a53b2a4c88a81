"""Calls of all ranks of a communicator, which comes first: ``broadcast(world, value, root)``.

If the first argument isn't a communicator, it is the value, and the communicator is that of all ranks:
``all_reduce(1, add)``. Calls raise Error for a root that does not exist, a wrong number of values, and if another rank
could not send its value or its function failed.
"""

from __future__ import annotations

import operator

import polympi
from polympi.compat.boostmpi.communicator import Communicator, world
from polympi.compat.boostmpi.errors import own_errors, translated
from polympi.compat.boostmpi.skeletons import Content
from polympi.compat.unsendable import Unsendable
from polympi.native.core import Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class _Missing:
    """In the place of an argument that was not given."""

    def __repr__(self) -> str:
        return "required"


MISSING: Any = _Missing()

# Functions of Python that the core has, by their identity: not everything that can be called has a hash.
_NATIVE: dict[int, Op] = {
    id(operator.add): polympi.SUM,
    id(operator.mul): polympi.PROD,
    id(operator.and_): polympi.BAND,
    id(operator.or_): polympi.BOR,
    id(operator.xor): polympi.BXOR,
}


@own_errors
def all_gather(comm: Any = world, value: Any = None) -> tuple[Any, ...]:
    """The values of all ranks, in their order."""
    if not isinstance(comm, Communicator):
        comm, value = _arranged("all_gather", comm, value)
    return tuple(comm._comm.allgather(value))


def all_reduce(comm: Any = world, value: Any = MISSING, op: Callable[[Any, Any], Any] = MISSING) -> Any:
    """The combination of the values of all ranks, in their order.

    Args:
        comm: the communicator.
        value: that of this rank.
        op: a function of two values, which is associative and does not change them.
    """
    if not isinstance(comm, Communicator):
        comm, value, op = _arranged("all_reduce", comm, value, op)
    if value is MISSING or op is MISSING:
        raise _lacking("all_reduce", comm, value=value, op=op)
    try:
        return comm._allreduce(value, _NATIVE.get(id(op)) or _operation(op))
    except polympi.Error as error:
        raise translated(error) from None


@own_errors
def all_to_all(comm: Any = world, values: Iterable[Any] | None = None) -> tuple[Any, ...]:
    """What all ranks have for this one: the value at its place in the values of each."""
    if not isinstance(comm, Communicator):
        comm, values = _arranged("all_to_all", comm, values)
    return tuple(comm._comm.alltoall(_pieces("all_to_all", comm, values)))


def broadcast(comm: Any = world, value: Any = None, root: int = MISSING) -> Any:
    """The value of the root, on all ranks.

    The content of an array is filled with that of the root, and a skeleton of the root is a new array elsewhere.
    """
    if not isinstance(comm, Communicator):
        comm, value, root = _arranged("broadcast", comm, value, root)
    if root is MISSING:
        raise _lacking("broadcast", comm, value=value, root=root)
    try:
        if type(value) is not Content:
            return comm._bcast(value, root)
        if comm._rank == root:
            return comm._comm.bcast(value.object, root)
        return comm._comm.bcast(None, root, into=value.object)
    except polympi.Error as error:
        raise translated(error) from None


@own_errors
def gather(comm: Any = world, value: Any = None, root: int = MISSING) -> tuple[Any, ...] | None:
    """The values of all ranks, in their order, on the root; None elsewhere."""
    if not isinstance(comm, Communicator):
        comm, value, root = _arranged("gather", comm, value, root)
    if root is MISSING:
        raise _lacking("gather", comm, value=value, root=root)
    values = comm._comm.gather(value, root)
    return None if values is None else tuple(values)


def reduce(
    comm: Any = world, value: Any = MISSING, op: Callable[[Any, Any], Any] = MISSING, root: int = MISSING
) -> Any:
    """Like :func:`all_reduce`, with the combination on the root, and None elsewhere."""
    if not isinstance(comm, Communicator):
        comm, value, op, root = _arranged("reduce", comm, value, op, root)
    if value is MISSING or op is MISSING or root is MISSING:
        raise _lacking("reduce", comm, value=value, op=op, root=root)
    try:
        return comm._reduce(value, _NATIVE.get(id(op)) or _operation(op), root)
    except polympi.Error as error:
        raise translated(error) from None


@own_errors
def scan(comm: Any = world, value: Any = MISSING, op: Callable[[Any, Any], Any] = MISSING) -> Any:
    """Like :func:`all_reduce`, with the combination of the ranks up to this one."""
    if not isinstance(comm, Communicator):
        comm, value, op = _arranged("scan", comm, value, op)
    if value is MISSING or op is MISSING:
        raise _lacking("scan", comm, value=value, op=op)
    return comm._comm.scan(value, _operation(op))


@own_errors
def scatter(comm: Any = world, values: Iterable[Any] | None = None, root: int = MISSING) -> Any:
    """The value at the place of this rank in the values of the root; those of other ranks are ignored."""
    if not isinstance(comm, Communicator):
        comm, values, root = _arranged("scatter", comm, values, root)
    if root is MISSING:
        raise _lacking("scatter", comm, values=values, root=root)
    return comm._comm.scatter(_pieces("scatter", comm, values) if comm._rank == root else None, root)


# ---- what is given ----


def _arranged(call: str, value: Any, *given: Any) -> tuple[Any, ...]:
    """The arguments of a call from which the communicator was left out.

    What was given by its place, from the value on, is one place too far to the front, up to the first that is missing.
    """
    for place, other in enumerate(given):
        if other is MISSING or other is None:
            return world, value, *given[:place], *given[place + 1 :]
    raise TypeError(f"rank {world.rank}, {call}(): the communicator comes first, but {value!r} is none: give mpi.world")


def _lacking(call: str, comm: Communicator, **given: object) -> TypeError:
    """The error of a call that lacks an argument."""
    missing = next(name for name, value in given.items() if value is MISSING)
    return TypeError(f"rank {comm.rank}, {call}(): {missing} is missing: give {call}(comm, {', '.join(given)})")


def _operation(op: Callable[[Any, Any], Any]) -> Op:
    """An operation of polympi for a function."""
    return _NATIVE.get(id(op)) or (op if isinstance(op, Op) else polympi.op(op))


def _pieces(call: str, comm: Communicator, values: Iterable[Any] | None) -> list[Any]:
    """The values for the ranks.

    If there are none, what is to be sent fails with the reason, and the call on all ranks: no other rank waits.
    """
    try:
        return list(values)  # type: ignore[arg-type]
    except Exception as error:
        reason: Exception = error
        if not hasattr(values, "__iter__"):
            reason = TypeError(
                f"rank {comm.rank}, {call}(): values must have one for each of the {comm.size} ranks, but is {values!r}"
            )
        return [Unsendable(reason)] * comm.size
