"""Reductions: the operators, and what calls do with them."""

from __future__ import annotations

import functools
import itertools

import polympi
from polympi.compat.pympi.errors import MPIError
from polympi.compat.unsendable import Unsendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from polympi.native.core import Op

PAIR = 2  # a value and the rank that has it


class Operator:
    """One of pyMPI's operators, by which polympi combines what the ranks give. It may be called: ``mpi.SUM(2, 3)``.

    This class itself changes neither what ranks give nor the result, so that calls can go to polympi at once.
    """

    def __init__(self, op: Op) -> None:
        self.op = op
        self.name = op.name

    def __call__(self, left: Any, right: Any) -> Any:
        """The combination of two values."""
        return self.result(self.op(left, right))

    def contribution(self, value: Any, _rank: int) -> Any:
        """What a rank gives."""
        return value

    def result(self, value: Any) -> Any:
        """What a caller gets."""
        return value

    def __repr__(self) -> str:
        return f"<pyMPI operator {self.name}>"

    def __reduce__(self) -> str:
        return self.name


class Logical(Operator):
    """An operator of truth: 1 or 0, or arrays of these."""

    def result(self, value: Any) -> Any:
        """1 or 0."""
        return int(value) if isinstance(value, bool) else value


class Located(Operator):
    """An operator of pairs of a value and a rank."""

    def contribution(self, value: Any, _rank: int) -> Any:
        """A pair, as it is; any other value with the rank that gives it."""
        return value if isinstance(value, (tuple, list)) and len(value) == PAIR else (value, _rank)

    def result(self, value: Any) -> Any:
        """A pair as a tuple."""
        return tuple(value) if isinstance(value, list) else value


SUM, PROD, MAX, MIN = map(Operator, (polympi.SUM, polympi.PROD, polympi.MAX, polympi.MIN))
BAND, BOR, BXOR = map(Operator, (polympi.BAND, polympi.BOR, polympi.BXOR))
LAND, LOR, LXOR = map(Logical, (polympi.LAND, polympi.LOR, polympi.LXOR))
MINLOC, MAXLOC = map(Located, (polympi.MINLOC, polympi.MAXLOC))


class Reduction:
    """What a call of reduce, allreduce or scan has in common with the others.

    Functions of the user are called on the root, from the lowest rank to the highest, as in pyMPI: they need not be
    associative. Operators are those of polympi.
    """

    def __init__(
        self,
        comm: polympi.Communicator,
        operator: Operator | Callable[[Any, Any], Any],
        root: int,
        ground: Any,
        kind: type | None,
    ) -> None:
        if not callable(operator):
            raise TypeError(
                f"rank {comm.rank}: the operator of a reduction is {operator!r}, but must be one like mpi.SUM, or a "
                "function of two values."
            )
        self.comm = comm
        self.operator = operator
        self.root = root
        self.ground = ground
        self.kind = kind

    def _given(self, message: Any) -> Any:
        """What this rank contributes."""
        try:
            value = self.kind(message) if self.kind in (int, float) else message
        except Exception as error:
            return Unsendable(error)
        return self.operator.contribution(value, self.comm.rank) if isinstance(self.operator, Operator) else value

    def _native(self, call: Callable[..., Any], given: Any, *root: int) -> Any:
        """A reduction by an operator of polympi."""
        try:
            return call(given, self.operator.op, *root)  # type: ignore[union-attr]
        except polympi.Error:
            if isinstance(given, Unsendable):
                raise given.reason from None
            raise

    def _after_ground(self, operator: Operator, value: Any) -> Any:
        """The result of an operator, to which the ground is the first value."""
        if self.ground is None:
            return operator.result(value)
        return operator(operator.contribution(self.ground, -1), value)

    def reduce(self, message: Any) -> Any:
        """The combination on the root, None elsewhere."""
        given = self._given(message)
        if isinstance(self.operator, Operator):
            value = self._native(self.comm.reduce, given, self.root)
            return self._after_ground(self.operator, value) if self.comm.rank == self.root else None
        values = self.comm.gather(given, self.root)
        if values is None:
            return None
        return functools.reduce(self.operator, values if self.ground is None else [self.ground, *values])

    def allreduce(self, message: Any) -> Any:
        """The combination, on all ranks."""
        if isinstance(self.operator, Operator) and self.ground is None:
            return self.operator.result(self._native(self.comm.allreduce, self._given(message)))
        return self._shared("allreduce", lambda: self.reduce(message))

    def scan(self, message: Any) -> Any:
        """The combination of the ranks up to this one."""
        given = self._given(message)
        if isinstance(self.operator, Operator):
            return self._after_ground(self.operator, self._native(self.comm.scan, given))
        function = self.operator

        def running() -> list[Any]:
            values = self.comm.gather(given, self.root)
            combined = itertools.accumulate(values or [], function, initial=self.ground)
            return list(combined)[self.ground is not None :]

        return self._shared("scan", running)[self.comm.rank]

    def _shared(self, call: str, work: Callable[[], Any]) -> Any:
        """What work gives on the root, on all ranks; where it fails, all ranks raise an error."""
        failure: Exception | None = None
        try:
            outcome = True, work()
        except polympi.RankError:  # no root: on all ranks
            raise
        except Exception as error:
            failure = error
            outcome = False, f"{type(error).__name__}: {error}"
        shared: Any = self.comm.bcast(outcome, self.root)
        succeeded, value = shared
        if failure is not None:
            raise failure
        if not succeeded:
            raise MPIError(
                f"rank {self.comm.rank}, {call}(): rank {self.root} could not combine what the ranks gave: {value}"
            )
        return value
