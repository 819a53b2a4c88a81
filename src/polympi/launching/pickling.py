"""Functions, arguments and results as bytes: by cloudpickle if it is installed, else by pickle."""

from __future__ import annotations

import io
import pickle
from collections import ChainMap
from types import CodeType
from typing import TYPE_CHECKING

from polympi.wheels import install_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

PROTOCOL = 5


def pickled_call(function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]) -> bytes:
    """A call, for the ranks.

    Raises:
        pickle.PicklingError: the function or an argument can't be pickled.
    """
    name = name_of(function)
    try:
        return dumps((function, args, kwargs))
    except Exception as error:
        if missing := _missing(error):
            raise pickle.PicklingError(f"{name} can't be sent to the ranks: {missing}") from None
        culprit = _culprit({name: function, **{f"argument {n}": x for n, x in enumerate(args)}, **kwargs})
        raise pickle.PicklingError(
            f"{culprit} can't be pickled, and so not sent to the ranks ({type(error).__name__}: {error}): make it "
            "there, inside of the function"
        ) from error


def dumps(value: object) -> bytes:
    """Pickle by value what ranks can't import: functions and classes of scripts and notebooks, lambdas, closures."""
    try:
        import cloudpickle
    except ImportError:
        buffer = io.BytesIO()
        _Importable(buffer, PROTOCOL).dump(value)
        return buffer.getvalue()

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # it has no types
        dispatch_table: ClassVar[Any] = ChainMap({CodeType: _named_code}, cloudpickle.Pickler.dispatch_table)

    buffer = io.BytesIO()
    Pickler(buffer, protocol=PROTOCOL).dump(value)
    return buffer.getvalue()


def _named_code(value: CodeType) -> tuple[object, ...]:
    """As cloudpickle does, but with the name of the file, which tracebacks show."""
    import cloudpickle

    kind, arguments, *rest = cloudpickle.Pickler.dispatch_table[CodeType](value)
    named = tuple(value.co_filename if part == "<dynamic-code>" else part for part in arguments)
    return (kind, named, *rest)


def name_of(function: object) -> str:
    """A function by its name, for sentences."""
    return str(getattr(function, "__qualname__", None) or type(function).__name__)


class _NotImportableError(Exception):
    pass


class _Importable(pickle.Pickler):
    """Refuses functions and classes that pickle would send as the name of something that the ranks don't have."""

    def reducer_override(self, value: Any) -> Any:
        named = getattr(value, "__module__", None) == "__main__" or "<" in getattr(value, "__qualname__", "")
        if named and (isinstance(value, type) or callable(value)) and hasattr(value, "__qualname__"):
            raise _NotImportableError(value.__qualname__)
        return NotImplemented


def _missing(error: Exception) -> str:
    if not isinstance(error, _NotImportableError):
        return ""
    return (
        f"{error} is defined in a script, a notebook or a function, from where only cloudpickle sends it: "
        f"{install_command('notebook')}, or put it into a module"
    )


def _culprit(values: dict[str, object]) -> str:
    """Which of some values can't be pickled."""
    for name, value in values.items():
        try:
            dumps(value)
        except Exception:
            return name
    return "the call"
