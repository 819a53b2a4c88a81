"""The shape of an array apart from its elements: sent once, while the elements are sent again and again."""

from __future__ import annotations

import sys

from polympi.compat.boostmpi.errors import ObjectWithoutSkeletonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    Array = np.ndarray[Any, Any]


class SkeletonProxy:
    """Type and shape of an array: what travels if it is sent or broadcast.

    Attributes:
        object: the array. At a receiver it is a new one, of which the elements are not set yet.
    """

    def __init__(self, object: Array) -> None:  # noqa: A002  (its name)
        self.object = object

    def __reduce__(self) -> tuple[object, ...]:
        array = self.object
        return _shaped, (array.dtype, array.shape, "F" if array.flags.fnc else "C")

    def __repr__(self) -> str:
        return f"<boostmpi skeleton of shape {self.object.shape} and type {self.object.dtype}>"


class Content:
    """The elements of an array: what travels if it is sent, and where a message is received into.

    Attributes:
        object: the array.
    """

    def __init__(self, object: Array) -> None:  # noqa: A002
        self.object = object

    def __repr__(self) -> str:
        return f"<boostmpi content of shape {self.object.shape} and type {self.object.dtype}>"


def skeleton(object: Array) -> SkeletonProxy:  # noqa: A002
    """Type and shape of an array, to be sent or broadcast.

    Raises:
        ObjectWithoutSkeletonError: it is no array, or one of objects.
    """
    return SkeletonProxy(_array("skeleton", object))


def get_content(object: Array) -> Content:  # noqa: A002
    """The elements of an array, to be sent, broadcast or received.

    Raises:
        ObjectWithoutSkeletonError: it is no array, or one of objects.
    """
    return Content(_array("get_content", object))


def _shaped(dtype: np.dtype[Any], shape: tuple[int, ...], order: Any) -> SkeletonProxy:
    """What a receiver gets: an array of this shape."""
    import numpy as np  # noqa: PLC0415  (scripts without arrays do not wait for it)

    return SkeletonProxy(np.empty(shape, dtype, order))


def _array(call: str, given: object) -> Array:
    """What is given, if it is an array of elements that have a fixed size."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(given, numpy.ndarray) and not given.dtype.hasobject:
        array: Array = given
        return array
    raise ObjectWithoutSkeletonError(
        f"{call}(): only NumPy arrays of numbers or other elements of a fixed size have a skeleton and a content here, "
        f"and not {type(given).__name__}: send the object itself",
        given,
    )
