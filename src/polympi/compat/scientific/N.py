"""Scientific.N: arrays by the names and with the defaults of Numeric, on top of NumPy.

Names of NumPy that are not here are fetched from it: ``N.random``, ``N.linspace``.
"""  # noqa: N999  (its name)

from __future__ import annotations

from typing import Any

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OF_NUMERIC = """
    ArrayType Character Complex Complex32 Complex64 Float Float32 Float64 Int Int8 Int16 Int32 Int64 NewAxis
    PyObject UInt8 UInt16 UInt32 alltrue arange array array_type arrayrange asarray average compress cross_correlate
    cumproduct cumsum fromfunction fromstring innerproduct matrixmultiply nonzero ones outerproduct product rank
    repeat size sometrue sum take zeros zeros_st
""".split()  # noqa: SIM905  (a list would take a line per name)
_AS_IN_NUMPY = """
    absolute add allclose arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort bitwise_and
    bitwise_or bitwise_xor ceil choose clip concatenate conjugate convolve cos cosh diagonal divide dot e equal exp
    fabs floor floor_divide fmod greater greater_equal hypot identity indices invert left_shift less less_equal log
    log10 logical_and logical_not logical_or logical_xor maximum minimum multiply negative not_equal pi power put
    putmask ravel remainder reshape resize right_shift searchsorted shape sin sinh sort sqrt subtract swapaxes tan
    tanh trace transpose true_divide vdot where
""".split()  # noqa: SIM905
__all__ = [*_OF_NUMERIC, *_AS_IN_NUMPY]  # noqa: PLE0604  (these are strings)

DIFFERENCES = {
    "array": "Arrays are those of NumPy: a.dtype.char is what a.typecode() was, and slices share memory as before.",
    "divide": "It divides integers exactly, as / does in Python 3; floor_divide gives what it gave.",
    "zeros_st": "It takes a shape and an array, and gives zeros of the type of that array.",
}

Array = np.ndarray[Any, Any]

# Letters that NumPy has for the types, too. Int is what a C long holds, as it was.
Character = "c"
Int8, Int16, Int32, Int64 = "b", "h", "i", "l"
UInt8, UInt16, UInt32 = "B", "H", "I"
Int = "l"
Float32, Float64 = "f", "d"
Float = "d"
Complex32, Complex64 = "F", "D"  # by the bits of a part
Complex = "D"
PyObject = "O"
NewAxis = None
ArrayType = array_type = np.ndarray

innerproduct = np.inner
outerproduct = np.outer
matrixmultiply = np.dot
rank = np.ndim
size = np.size


def array(sequence: object, typecode: str | None = None, copy: int = 1, savespace: int = 0) -> Array:  # noqa: ARG001
    """A new array; without copy, an array as it is."""
    return np.array(sequence, typecode) if copy else np.asarray(sequence, typecode)


def asarray(sequence: object, typecode: str | None = None, savespace: int = 0) -> Array:  # noqa: ARG001
    """An array as it is, or a new one."""
    return np.asarray(sequence, typecode)


def zeros(shape: int | tuple[int, ...], typecode: str = Int, savespace: int = 0) -> Array:  # noqa: ARG001
    """An array of zeros; integers unless a type is given."""
    return np.zeros(shape, typecode)


def ones(shape: int | tuple[int, ...], typecode: str = Int, savespace: int = 0) -> Array:  # noqa: ARG001
    """An array of ones; integers unless a type is given."""
    return np.ones(shape, typecode)


def zeros_st(shape: int | tuple[int, ...], other: Array) -> Array:
    """An array of zeros, of the type of another array."""
    return np.zeros(shape, other.dtype)


def arange(start: float, stop: float | None = None, step: float = 1, typecode: str | None = None) -> Array:
    """Numbers from start, or 0, to below stop."""
    first, end = (0, start) if stop is None else (start, stop)
    return np.arange(first, end, step, dtype=typecode)


arrayrange = arange


def fromstring(string: str | bytes, typecode: str = Int, count: int = -1) -> Array:
    """An array of the bytes of a string."""
    raw = string.encode("latin-1") if isinstance(string, str) else string
    return np.frombuffer(raw, typecode, count).copy()


def fromfunction(function: Any, dimensions: tuple[int, ...]) -> Any:
    """What a function makes of the indices of an array, as integers."""
    return function(*np.indices(dimensions))


# Along the first axis unless another one is given, as in Numeric.


def _along(function: Callable[[Any, int], Any]) -> Callable[..., Any]:
    def along(a: Any, axis: int = 0) -> Any:
        return function(a, axis)

    return along


sum, product = _along(np.add.reduce), _along(np.multiply.reduce)  # noqa: A001
cumsum, cumproduct = _along(np.add.accumulate), _along(np.multiply.accumulate)
alltrue, sometrue = _along(np.all), _along(np.any)


def average(a: Any, axis: int = 0, weights: Any = None) -> Any:
    """Averages along an axis."""
    return np.average(a, axis, weights)


def take(a: Any, indices: Any, axis: int = 0) -> Any:
    """Those at some places of an axis."""
    return np.take(a, indices, axis)


def repeat(a: Any, repeats: Any, axis: int = 0) -> Any:
    """Each along an axis several times."""
    return np.repeat(a, repeats, axis)


def compress(condition: Any, a: Any, axis: int = -1) -> Any:
    """Those along an axis where a condition is true."""
    return np.compress(condition, a, axis)


def nonzero(a: Any) -> Array:
    """The places in an array of one axis that are not zero."""
    return np.nonzero(a)[0]


def cross_correlate(a: Any, v: Any, mode: Any = 0) -> Any:
    """The correlation of two sequences."""
    words: dict[object, Any] = {0: "valid", 1: "same", 2: "full"}
    return np.correlate(a, v, words.get(mode, mode))


globals().update({name: getattr(np, name) for name in _AS_IN_NUMPY})


def __getattr__(name: str) -> Any:
    """A name of NumPy."""
    return getattr(np, name)
