"""The package of Boost for Python, as far as scripts for MPI import it: ``boost.mpi``, ``boost.parallel.mpi``.

The package alone starts nothing; the first use of ``boost.mpi`` starts MPI.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import the facade when it is first used."""
    if name == "mpi":
        return import_module("polympi.compat.boostmpi")
    if name == "parallel":
        return import_module("polympi.compat.boost")  # the older place, boost.parallel.mpi
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}: of Boost, only boost.mpi is here")
