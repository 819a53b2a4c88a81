"""Tasks and results as messages: a pickle, and its large buffers next to it, which are sent without a copy."""

from __future__ import annotations

import pickle
import threading
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from polympi.workers.store import Store

APART = 1 << 16  # bytes of a buffer that is worth a separate message


class Packed(NamedTuple):
    """A pickle.

    Attributes:
        data: without the large buffers.
        buffers: the large ones, in the order in which ``pickle.loads`` wants them.
        needs: the keys of shared data that it refers to.
    """

    data: bytes
    buffers: list[memoryview]
    needs: set[int]


class _Current(threading.local):
    """What the pickle that this thread makes or reads belongs to."""

    needs: set[int] | None = None
    store: Store | None = None  # of the worker that this thread is


current = _Current()


def pack(value: object, what: str, apart: bool = True) -> Packed:
    """Pickle something.

    Args:
        value: to be pickled.
        what: to call it in errors.
        apart: whether large buffers may stay where they are, until the message is sent.

    Raises:
        pickle.PicklingError: it can't be pickled.
    """
    buffers: list[memoryview] = []

    def keep(buffer: pickle.PickleBuffer) -> bool:
        memory = buffer.raw()
        if memory.nbytes < APART:
            return True
        buffers.append(memory)
        return False

    outer, needs = current.needs, set[int]()
    current.needs = needs
    try:
        data = _dumps(value, what, buffers, keep if apart else None)
    finally:
        current.needs = outer
    return Packed(data, buffers, needs)


def _dumps(
    value: object, what: str, buffers: list[memoryview], keep: Callable[[pickle.PickleBuffer], bool] | None
) -> bytes:
    try:
        return pickle.dumps(value, 5, buffer_callback=keep)
    except MemoryError:
        raise
    except Exception as error:
        failed, advice = error, "define functions and classes at the top of a module, or install cloudpickle"
    if find_spec("cloudpickle"):
        buffers.clear()
        try:
            made: bytes = import_module("cloudpickle").dumps(value, 5, buffer_callback=keep)
        except Exception as error:
            failed, advice = error, "cloudpickle can't do it, either"
        else:
            return made
    raise pickle.PicklingError(f"{what} can't be pickled: {type(failed).__name__}: {failed}; {advice}") from failed


def by_reference(function: object) -> bool:
    """Whether every pickle of a function is the same: its name in a module."""
    try:
        pickle.dumps(function, 5)
    except Exception:
        return False
    return True
