"""The public names of a facade: all that its module imports or defines, except what begins with an underscore."""

from __future__ import annotations

import ast
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OTHERS = {"DIFFERENCES", "TYPE_CHECKING", "annotations"}


def public(module: Mapping[str, object], without: str = "") -> Iterator[str]:
    """The ``__all__`` of a module, from its global names; submodules do not count.

    Args:
        module: ``globals()`` at the end of the module.
        without: a name that would hide Python's own after `from module import *`.
    """
    for name, value in module.items():
        if _is_public(name) and name != without and not isinstance(value, ModuleType):
            yield name


def bound(tree: ast.Module) -> set[str]:
    """The same names from the source of the module, and that left out of ``__all__``; the module is not imported."""
    return {name for node in tree.body for name in _names(node) if _is_public(name)}


def _is_public(name: str) -> bool:
    return (name[0] != "_" and name not in _OTHERS) or name == "__version__"


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
