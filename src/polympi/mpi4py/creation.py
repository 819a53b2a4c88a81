"""Communicators that mpi4py makes and frees: each gets a Communicator of polympi, and gives it back.

All ranks of a communicator have called mpi4py when it is made, so that they can do this together then. Those that are
made without all ranks waiting (``Idup``), and those of two groups, get none: on these all methods are mpi4py's own.
"""

from __future__ import annotations

from functools import partial

from polympi.communicator import Communicator
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

# Methods that all ranks of a communicator call, by class; what they return is the new communicator, or COMM_NULL.
_MAKERS = {
    "Comm": ("Clone", "Dup", "Dup_with_info", "Create", "Split", "Split_type"),
    "Intracomm": (*("Create_cart", "Create_graph", "Create_dist_graph", "Create_dist_graph_adjacent"),),
    "Cartcomm": ("Sub",),
}
# Methods that only the ranks of the new communicator call, or those of two groups.
_MAKERS_WITHOUT_PARENT = {"Comm": ("Shrink",), "Intracomm": ("Create_group",), "Intercomm": ("Merge",)}
_CLASS_MAKERS = {"Intracomm": ("Create_from_group",)}
_FREEING = ("Free", "Disconnect")


def prepare(mpi: ModuleType) -> None:
    """Replace the methods that make and free communicators."""
    for table, making in (
        (_MAKERS, partial(_making, mpi, True)),
        (_MAKERS_WITHOUT_PARENT, partial(_making, mpi, False)),
    ):
        for owner, names in table.items():
            for name in names:
                _replace(mpi, owner, name, making)
    for owner, names in _CLASS_MAKERS.items():
        for name in names:
            cls = getattr(mpi, owner)
            core.mpi4py_replace(cls, name, classmethod(_making(mpi, False, vars(cls)[name].__func__)))
    for name in _FREEING:
        _replace(mpi, "Comm", name, _freeing)


def _replace(mpi: ModuleType, owner: str, name: str, by: Callable[[Any], Any]) -> None:
    cls = getattr(mpi, owner)
    before = getattr(cls, name, None)
    if before is not None:
        core.mpi4py_replace(cls, name, named(by(before), before))


def named(method: Any, before: Any) -> Any:
    """A method with the name and the documentation of the one that it replaces."""
    method.__name__, method.__qualname__, method.__doc__ = before.__name__, before.__qualname__, before.__doc__
    return method


def _making(mpi: Any, has_parent: bool, before: Any) -> Any:
    """A method that makes a communicator: then its ranks attach it, which those of the parent agree on."""

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        made = before(self, *args, **kwargs)
        member = made != mpi.COMM_NULL and not made.Is_inter()
        if has_parent and not isinstance(self, mpi.Intercomm):
            core.mpi4py_attach(Communicator, made if member else None, self)
        elif member:
            core.mpi4py_attach(Communicator, made, None)
        return made

    return named(method, before)


def _freeing(before: Any) -> Any:
    """A method that frees a communicator: before, it gives back what polympi has of it."""

    def method(self: Any, /) -> None:
        core.mpi4py_detach(self)
        before(self)

    return method
