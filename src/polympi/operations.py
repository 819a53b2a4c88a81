"""Reduction operations: MPI's, as Python and NumPy compute them, and user-defined ones.

The core combines most numbers and arrays itself; the functions here are for all other values, and for calling an
operation: ``SUM(1, 2)``.
"""

from __future__ import annotations

import operator
import sys

from polympi.native import core
from polympi.native.core import BAND, BOR, BXOR, LAND, LOR, LXOR, MAX, MAXLOC, MIN, MINLOC, PROD, SUM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

__all__ = [
    "BAND",
    "BOR",
    "BXOR",
    "LAND",
    "LOR",
    "LXOR",
    "MAX",
    "MAXLOC",
    "MIN",
    "MINLOC",
    "PROD",
    "SUM",
    "op",
]


def op(function: Callable[[Any, Any], object], *, commutative: bool = False, name: str | None = None) -> core.Op:
    """Make an operation for reductions (MPI 5.0, section 6.9.5).

    Args:
        function: takes the contributions of lower and of higher ranks, each possibly a combination, and returns their
            combination. It must be associative, and leave its arguments as they are.
        commutative: a promise that the order of the two does not matter.
        name: for messages; the name of the function if not given.

    Returns:
        The operation; calling it calls the function.

    Raises:
        TypeError: the function cannot be called.
    """
    return core.Op(function, commutative, str(name or getattr(function, "__name__", "op")))


def built_in(name: str) -> core.Op:
    """The operation of this name; pickled operations are found by it."""
    found: core.Op = getattr(core, name)
    return found


def _numpy_for(*values: object) -> ModuleType | None:
    """NumPy, if one of the values is a NumPy array or number."""
    numpy = sys.modules.get("numpy")
    return numpy if numpy and any(isinstance(value, (numpy.ndarray, numpy.generic)) for value in values) else None


def _elementwise(ufunc: str, plain: Callable[[Any, Any], object]) -> Callable[[Any, Any], object]:
    """An operation: NumPy's function if a contribution is NumPy's, a plain one otherwise.

    Arrays of one dtype have a result of that dtype, as with MPI: a logical operation gives 0 or 1 in it.
    """

    def combine(left: Any, right: Any) -> object:
        numpy = _numpy_for(left, right)
        if numpy is None:
            return plain(left, right)
        return _as_given(numpy, getattr(numpy, ufunc)(left, right), left, right)

    return combine


def _as_given(numpy: Any, result: Any, left: Any, right: Any) -> object:
    """The result in the dtype of two arrays that have the same one: NumPy's is in the byte order of the machine.

    Not for text, whose sum is longer.
    """
    both = isinstance(left, numpy.ndarray) and isinstance(right, numpy.ndarray)
    alike = both and left.dtype == right.dtype and left.dtype.kind not in "SUT"
    return numpy.asanyarray(result, dtype=left.dtype) if alike else result


def _minimum(left: Any, right: Any) -> object:
    """The lesser one; NaN, which is unequal to itself, wins; of equal ones the lower rank's."""
    return right if right < left or (right != right and left == left) else left  # noqa: PLR0124


def _maximum(left: Any, right: Any) -> object:
    return right if right > left or (right != right and left == left) else left  # noqa: PLR0124


def _located(comes_before: Callable[[Any, Any], Any]) -> Callable[[Any, Any], object]:
    """MINLOC or MAXLOC: of two pairs, the one with the better value, or of equal values the one with the lower place.

    A pair is a tuple or another sequence of two, whose values and places may be arrays, or an array of structures of
    two fields (MPI 5.0, section 6.9.4). NaN is better than any number.
    """

    def is_better(value: Any, place: Any, other: Any, other_place: Any) -> Any:
        earlier = (other == value) & (other_place < place)
        return comes_before(other, value) | earlier | ((other != other) & (value == value))  # noqa: PLR0124

    def combine(left: Any, right: Any) -> object:
        names = getattr(getattr(left, "dtype", None), "names", None)
        fields = [[pair[name] for name in names] for pair in (left, right)] if names else [left, right]
        (value, place), (other, other_place) = fields
        take = is_better(value, place, other, other_place)
        numpy = _numpy_for(take)
        if numpy is None or numpy.ndim(take) == 0:
            return right if take else left
        if names:
            return _as_given(numpy, numpy.where(take, right, left), left, right)
        return tuple(
            _as_given(numpy, numpy.where(take, better, than), better, than)
            for better, than in ((other, value), (other_place, place))
        )

    return combine


def truth(value: Any) -> object:
    """The truth of a contribution, for logical operations: an array of 0 and 1 in its dtype, or True or False."""
    numpy = _numpy_for(value)
    if numpy and isinstance(value, numpy.ndarray):
        return numpy.asanyarray(value != 0, dtype=value.dtype)
    return numpy.bool_(value) if numpy else bool(value)


FUNCTIONS: dict[str, Callable[[Any, Any], object]] = {
    "SUM": _elementwise("add", operator.add),
    "PROD": _elementwise("multiply", operator.mul),
    "MIN": _elementwise("minimum", _minimum),
    "MAX": _elementwise("maximum", _maximum),
    "LAND": _elementwise("logical_and", lambda left, right: bool(left) and bool(right)),
    "LOR": _elementwise("logical_or", lambda left, right: bool(left) or bool(right)),
    "LXOR": _elementwise("logical_xor", lambda left, right: bool(left) != bool(right)),
    "BAND": _elementwise("bitwise_and", operator.and_),
    "BOR": _elementwise("bitwise_or", operator.or_),
    "BXOR": _elementwise("bitwise_xor", operator.xor),
    "MINLOC": _located(operator.lt),
    "MAXLOC": _located(operator.gt),
}
