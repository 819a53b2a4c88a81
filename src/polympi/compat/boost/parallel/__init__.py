"""The older place of Boost.MPI's module: ``boost.parallel.mpi``. Its first use starts MPI."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import the facade when it is first used."""
    if name == "mpi":
        return import_module("polympi.compat.boostmpi")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}: it has only mpi")
