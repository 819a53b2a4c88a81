"""Let an import of an older module find its facade."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType


class _Alias(Loader):
    """Loads another module under a name: the very same module object."""

    def __init__(self, target: str) -> None:
        self.target = target

    def exec_module(self, module: ModuleType) -> None:
        """Put the other one in the place of the module, which importlib takes from there."""
        sys.modules[module.__name__] = import_module(self.target)


class Aliases(MetaPathFinder):
    """Finds modules by other names, before any that are installed under these."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self.modules = modules

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See importlib."""
        aimed = self.modules.get(fullname)
        if aimed is None:
            return None
        package = any(name.startswith(f"{fullname}.") for name in self.modules)
        return ModuleSpec(fullname, _Alias(aimed), is_package=package)


def install(modules: Mapping[str, str]) -> None:
    """Let each name import the module that it is mapped to; what was imported by the name before is forgotten."""
    for name in modules:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Aliases(modules))
