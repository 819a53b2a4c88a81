"""Scientific.N: arrays by the names and with the defaults of Numeric, on top of NumPy.

Names of NumPy that are not here are fetched from it: ``N.random``, ``N.linspace``.
"""  # noqa: N999  (its name)

# ruff: noqa: F822  (most names are taken from NumPy, below)

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "ArrayType",
    "Character",
    "Complex",
    "Complex32",
    "Complex64",
    "Float",
    "Float32",
    "Float64",
    "Int",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "NewAxis",
    "PyObject",
    "UInt8",
    "UInt16",
    "UInt32",
    "absolute",
    "add",
    "allclose",
    "alltrue",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "array_type",
    "arrayrange",
    "asarray",
    "average",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "ceil",
    "choose",
    "clip",
    "compress",
    "concatenate",
    "conjugate",
    "convolve",
    "cos",
    "cosh",
    "cross_correlate",
    "cumproduct",
    "cumsum",
    "diagonal",
    "divide",
    "dot",
    "e",
    "equal",
    "exp",
    "fabs",
    "floor",
    "floor_divide",
    "fmod",
    "fromfunction",
    "fromstring",
    "greater",
    "greater_equal",
    "hypot",
    "identity",
    "indices",
    "innerproduct",
    "invert",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matrixmultiply",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nonzero",
    "not_equal",
    "ones",
    "outerproduct",
    "pi",
    "power",
    "product",
    "put",
    "putmask",
    "rank",
    "ravel",
    "remainder",
    "repeat",
    "reshape",
    "resize",
    "right_shift",
    "searchsorted",
    "shape",
    "sin",
    "sinh",
    "size",
    "sometrue",
    "sort",
    "sqrt",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "tan",
    "tanh",
    "trace",
    "transpose",
    "true_divide",
    "vdot",
    "where",
    "zeros",
    "zeros_st",
]

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


def sum(a: Any, axis: int = 0) -> Any:  # noqa: A001
    """Sums along an axis."""
    return np.add.reduce(a, axis)


def product(a: Any, axis: int = 0) -> Any:
    """Products along an axis."""
    return np.multiply.reduce(a, axis)


def cumsum(a: Any, axis: int = 0) -> Any:
    """Sums up to each place of an axis."""
    return np.add.accumulate(a, axis)


def cumproduct(a: Any, axis: int = 0) -> Any:
    """Products up to each place of an axis."""
    return np.multiply.accumulate(a, axis)


def alltrue(a: Any, axis: int = 0) -> Any:
    """Whether all along an axis are true."""
    return np.all(a, axis)


def sometrue(a: Any, axis: int = 0) -> Any:
    """Whether some along an axis are true."""
    return np.any(a, axis)


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


globals().update({name: getattr(np, name) for name in __all__ if name not in globals()})  # as they are


def __getattr__(name: str) -> Any:
    """A name of NumPy."""
    return getattr(np, name)
