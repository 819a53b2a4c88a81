"""Programs with their own pickling: ``MPI.pickle.__init__(dill.dumps, dill.loads)``."""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_pickle: Any = None


class Pickled:
    """An object pickled by the program's function. The receiver replaces it with the object, unpickled by its own."""

    __slots__ = ("data",)

    def __init__(self, value: object) -> None:
        self.data = _pickle.dumps(value)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return unpickled, (bytes(self.data),)


def unpickled(data: bytes) -> Any:
    """The object in such a pickle."""
    return _pickle.loads(data)


def prepare(mpi: ModuleType) -> None:
    """Notice when ``MPI.pickle`` is given functions of the program."""
    global _pickle  # noqa: PLW0603
    _pickle = mpi.pickle
    cls = type(_pickle)
    before = cls.__init__

    def method(self: Any, dumps: Any = None, loads: Any = None, *args: Any, **kwargs: Any) -> None:
        before(self, dumps, loads, *args, **kwargs)
        if self is _pickle:
            own = dumps is not None or loads is not None
            core.mpi4py_pickled(Pickled if own else None)

    method.__name__, method.__qualname__, method.__doc__ = "__init__", before.__qualname__, before.__doc__
    core.mpi4py_replace(cls, "__init__", method)
