"""mpi4py, accelerated: mpi4py's own module, with communicators that use polympi's core where that is faster.

Use it in one of three ways::

    from polympi.mpi4py import MPI                          # instead of `from mpi4py import MPI`
    import polympi.mpi4py; polympi.mpi4py.install()         # before `from mpi4py import MPI`, here or elsewhere
    mpiexec -n 2 python -m polympi --as mpi4py script.py    # an unchanged script

``MPI`` is mpi4py's module itself, and all objects are of its classes. Some methods of the classes are replaced for
the whole process: objects are sent by polympi's core, and contiguous arrays take a fast path to the MPI library.
Everything else is mpi4py's. All ranks of a job must use it alike.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from mpi4py import MPI

__all__ = ["MPI", "install"]


def install(*, version: int = 4) -> None:
    """Accelerate mpi4py, now if it is already imported, otherwise when ``mpi4py.MPI`` is imported.

    If MPI is already running, all ranks must call this together.

    Args:
        version: 1 for programs written for mpi4py 1.x, whose methods of objects have other arguments.

    Raises:
        ValueError: there is no such version.
        LibraryError: mpi4py is not installed, or uses another MPI library than polympi.
    """
    if version not in (1, 4):
        raise ValueError(f"mpi4py has the interfaces of versions 1 and 4 here, not {version}.")
    from polympi.mpi4py import imports

    imports.version = version
    module = sys.modules.get("mpi4py.MPI")
    if module is None:
        imports.watch()
    else:
        imports.prepare(module)


def _module() -> ModuleType:
    """mpi4py's module, accelerated."""
    from importlib import import_module

    from polympi.errors import LibraryError

    install()
    try:
        return import_module("mpi4py.MPI")
    except ModuleNotFoundError as error:
        raise LibraryError("mpi4py is not installed: pip install mpi4py.") from error


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """``MPI``, and the package's other names, such as ``rc``."""
        if name == "MPI":
            value = _module()
            globals()[name] = value
            return value
        if name.startswith("__"):
            raise AttributeError(f"module 'polympi.mpi4py' has no attribute '{name}'")
        from importlib import import_module

        return getattr(import_module("mpi4py"), name)
