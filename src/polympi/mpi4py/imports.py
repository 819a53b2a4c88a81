"""Preparing mpi4py's module as soon as any code imports it.

The classes here are not those of importlib.abc, whose import would double the time.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

NAME = "mpi4py.MPI"
version = 4
"""Whose arguments the methods have: those of mpi4py 4, or 1."""


class _Preparing:
    """Loads the module as another loader does, and prepares it."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """See importlib."""
        made: ModuleType | None = self.loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """See importlib."""
        self.loader.exec_module(module)
        prepare(module)


class _Watch:
    """Finds mpi4py's module by the finders that come after it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See importlib."""
        if fullname != NAME:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Preparing(spec.loader)  # type: ignore[assignment]
                return spec
        return None


def watch() -> None:
    """Prepare the module when it is imported."""
    if not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


def prepare(module: ModuleType) -> None:
    """Replace the methods, and give existing communicators polympi's Communicators; once."""
    from polympi.mpi4py import methods

    methods.prepare(module, version)
