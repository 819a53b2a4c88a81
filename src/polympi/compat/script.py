"""A script: its source, and what it takes of the modules that it imports."""

from __future__ import annotations

import ast
import tokenize
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from polympi.compat import python2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

    from polympi.compat.python2 import Idiom


class ScriptError(Exception):
    """The script cannot be read or compiled; in one sentence.

    Attributes:
        idioms: all that a script of Python 2 has that Python 3 does not read; empty where it is none.
    """

    def __init__(self, sentence: str, idioms: Sequence[Idiom] = ()) -> None:
        super().__init__(sentence)
        self.idioms = idioms


@dataclass
class Use:
    """A name of a module, where a script uses it."""

    module: str
    name: str
    line: int
    starred: bool = False  # it may be of the module, which is imported by `from module import *`


@dataclass
class Script:
    """A script that Python 3 understands.

    Attributes:
        path: of the file as it was given; -c of code that was given itself.
        source: its text.
        tree: the same, parsed.
        filename: what tracebacks name, and ``__file__``, which is absolute as Python makes it.
        spec: of a module that is run by its name.
        imports: the modules that it imports, anywhere, with their full names.
    """

    path: str
    source: str
    tree: ast.Module
    filename: str
    spec: ModuleSpec | None = None
    imports: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.imports.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                self.imports.add(node.module)
                self.imports.update(f"{node.module}.{alias.name}" for alias in node.names)

    def uses(self, modules: set[str]) -> list[Use]:
        """The names of some modules that the script uses, with the line of each use, in order."""
        found = _Uses(modules)
        found.visit(self.tree)
        return sorted(found.uses, key=lambda use: (use.line, use.name))


def read(path: str) -> Script:
    """Read and parse a script.

    Raises:
        ScriptError: there is no such file, or Python 3 does not understand it.
    """
    try:
        with tokenize.open(path) as file:
            source = file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ScriptError(f"{path} cannot be read: {reason}.") from None
    except SyntaxError as error:  # the encoding that it names
        raise ScriptError(f"{path} cannot be read: {error.msg}.") from None
    return parse(path, source, str(Path(path).absolute()))


def of_module(name: str) -> Script:
    """Read a module, or the module ``__main__`` of a package, as `python -m name` finds it.

    Raises:
        ScriptError: there is none of this name whose source can be read.
    """
    try:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as error:
        raise ScriptError(f"there is no module {name}: {error}.") from None
    if spec is None:
        raise ScriptError(f"there is no module {name}, or it is a package without __main__.")
    if not spec.has_location or spec.origin is None:
        raise ScriptError(f"the module {name} has no source: it cannot be run.")
    script = read(spec.origin)
    script.spec = spec
    return script


def parse(path: str, source: str, filename: str) -> Script:
    """Parse the text of a script.

    Raises:
        ScriptError: Python 3 does not understand it.
    """
    try:
        return Script(path, source, ast.parse(source, filename), filename)
    except SyntaxError as error:
        reason = python2.sentence(path, source, error)
        if reason:
            raise ScriptError(reason, python2.syntax_idioms(source)) from None
        raise ScriptError(f"{path} isn't a Python script: line {error.lineno}: {error.msg}.") from None
    except ValueError as error:  # null bytes
        raise ScriptError(f"{path} isn't a Python script: {error}.") from None


class _Uses(ast.NodeVisitor):
    """Finds names of modules: after `import m as x` those of `x.name`; after `from m import name` those of `name`."""

    def __init__(self, modules: set[str]) -> None:
        self.modules = modules
        self.bound: dict[str, str] = {}  # what a name of the script stands for: a module
        self.taken: dict[str, tuple[str, str]] = {}  # or a name of one
        self.starred: list[str] = []
        self.uses: list[Use] = []

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self.bound[alias.asname] = alias.name
            else:
                first = alias.name.partition(".")[0]
                self.bound[first] = first

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for alias in node.names:
            known = alias.asname or alias.name
            if alias.name == "*":
                self.starred.append(module)
            elif f"{module}.{alias.name}" in self.modules:
                self.bound[known] = f"{module}.{alias.name}"
            elif module in self.modules:
                self.taken[known] = (module, alias.name)
                self.uses.append(Use(module, alias.name, node.lineno))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        module = self._module(node.value)
        if module in self.modules and f"{module}.{node.attr}" not in self.modules:
            self.uses.append(Use(module, node.attr, node.lineno))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.taken:
            self.uses.append(Use(*self.taken[node.id], node.lineno))
        elif node.id not in self.bound:
            self.uses.extend(Use(m, node.id, node.lineno, True) for m in self.starred if m in self.modules)

    def _module(self, node: ast.expr) -> str | None:
        """The module that an expression stands for, like `a.b` after `import a.b`."""
        if isinstance(node, ast.Name):
            return self.bound.get(node.id)
        if isinstance(node, ast.Attribute) and (outer := self._module(node.value)):
            inner = f"{outer}.{node.attr}"
            return inner if any(name == inner or name.startswith(f"{inner}.") for name in self.modules) else None
        return None
