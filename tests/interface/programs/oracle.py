"""What reductions must give, by NumPy and `operator` alone; of polympi it uses only the names of operations."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import polympi as mpi

Combine = Callable[[Any, Any], Any]

LOGICAL = (mpi.LAND, mpi.LOR, mpi.LXOR)


def _or_nan(best: Callable[..., Any]) -> Combine:
    """`min` or `max`, the first of equal ones; but NaN, the only value that is unequal to itself, wins."""

    def combine(left: Any, right: Any) -> Any:
        strange = [value for value in (left, right) if value != value]  # noqa: PLR0124
        return strange[0] if strange else best(left, right)

    return combine


OF_NUMPY: dict[Any, Any] = {
    mpi.SUM: np.add,
    mpi.PROD: np.multiply,
    mpi.MIN: np.minimum,
    mpi.MAX: np.maximum,
    mpi.LAND: np.logical_and,
    mpi.LOR: np.logical_or,
    mpi.LXOR: np.logical_xor,
    mpi.BAND: np.bitwise_and,
    mpi.BOR: np.bitwise_or,
    mpi.BXOR: np.bitwise_xor,
}
OF_PYTHON: dict[Any, Combine] = {
    mpi.SUM: operator.add,
    mpi.PROD: operator.mul,
    mpi.MIN: _or_nan(min),
    mpi.MAX: _or_nan(max),
    mpi.LAND: operator.and_,  # of what is True or False already
    mpi.LOR: operator.or_,
    mpi.LXOR: operator.xor,
    mpi.BAND: operator.and_,
    mpi.BOR: operator.or_,
    mpi.BXOR: operator.xor,
    mpi.MINLOC: min,  # of pairs: by the value, then by the place
    mpi.MAXLOC: lambda left, right: max(left, right, key=lambda pair: (pair[0], -pair[1])),
}


def combined(op: Any, left: Any, right: Any) -> Any:
    """Two contributions combined: arrays of one dtype keep it, as with MPI."""
    if not isinstance(left, (np.ndarray, np.generic)) and not isinstance(right, (np.ndarray, np.generic)):
        return OF_PYTHON[op](left, right)
    result = OF_NUMPY[op](left, right)
    arrays = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
    return np.asarray(result, left.dtype) if arrays and left.dtype == right.dtype else result


def taken(op: Any, value: Any) -> Any:
    """What a contribution counts for: to logical operations its truth, in arrays as 0 or 1 of their dtype."""
    if op not in LOGICAL:
        return value
    if isinstance(value, np.ndarray):
        return value.astype(bool).astype(value.dtype)
    return np.bool_(value) if isinstance(value, np.generic) else bool(value)


def prefixes(op: Any, values: list[Any], by: Combine | None = None) -> list[Any]:
    """The values combined from the first up to each of them; `by` this function where the operation is not MPI's."""
    results = [taken(op, values[0])]
    for value in values[1:]:
        mine = taken(op, value)
        results.append(by(results[-1], mine) if by else combined(op, results[-1], mine))
    return results
