"""What of an older module a script uses, what of that differs here, and what it still has of Python 2."""

from __future__ import annotations

import ast

from polympi.compat import division, python2
from polympi.compat.python2 import Idiom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.facades import Facade
    from polympi.compat.script import Script, Use


def report(script: Script, facade: Facade) -> list[str]:
    """Lines of text: the names that the script uses and that differ or are missing; idioms of Python 2."""
    names, differences = facade.names(), facade.differences()
    lines = [f"{script.path} is written for {facade.of}: --as {facade.name}"]
    used = _by_name(facade.uses(script), names)
    for name, numbers in used.items():
        if name not in names:
            lines.append(f"  {name} ({numbers}): is not there. {differences.get(name, '')}".rstrip())
        elif name in differences:
            lines.append(f"  {name} ({numbers}): {differences[name]}")
    same = len(used) - (len(lines) - 1)
    if not used:
        lines.append("  It uses no name of the module.")
    elif same:
        others = "All names" if same == len(used) else "All other names"
        lines.append(f"  {others} that it uses are as before.")
    for idiom in idioms(script):
        remedy = f": {idiom.remedy}" if idiom.remedy else ""
        mended = python2.advice(script.path, idiom.fixer) if idiom.fixer else f"No fixer of 2to3 mends it{remedy}"
        lines.append(f"  line {idiom.line}: {idiom.what} is of Python 2. {mended}.")
    return lines


def of_python_2(path: str, idioms: Sequence[Idiom]) -> list[str]:
    """Lines of text: what a script has that Python 3 cannot parse, so that nothing else can be checked."""
    found: dict[tuple[str, str], set[int]] = {}
    for idiom in idioms:
        found.setdefault((idiom.what, idiom.fixer), set()).add(idiom.line)
    lines = [f"{path} has the following. After that is fixed, --check reports which calls it uses:"]
    return lines + [f"  {what} ({_words(sorted(at))}): 2to3 -f {fixer}" for (what, fixer), at in found.items()]


def _by_name(uses: list[Use], names: set[str]) -> dict[str, str]:
    """The lines of each name, in words. After `from m import *`, names that the module does not have are others."""
    lines: dict[str, set[int]] = {}
    for use in uses:
        if use.name in names or not use.starred:
            lines.setdefault(use.name, set()).add(use.line)
    return {name: _words(sorted(numbers)) for name, numbers in sorted(lines.items())}


def _words(lines: list[int]) -> str:
    return f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"


def idioms(script: Script) -> list[Idiom]:
    """What Python 3 reads, but stops at when it comes there, or computes otherwise."""
    assigned = {
        node.id for node in ast.walk(script.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    imported = {
        alias.asname or alias.name
        for node in ast.walk(script.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found = []
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Name) and node.id in python2.NAMES and node.id not in assigned | imported:
            found.append(Idiom(node.lineno, f"the name {node.id}", python2.NAMES[node.id]))
        elif isinstance(node, ast.Attribute) and node.attr in ("has_key", "iteritems", "itervalues", "iterkeys"):
            found.append(Idiom(node.lineno, f"the method {node.attr}", "has_key" if node.attr == "has_key" else "dict"))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in python2.MODULES:
                    found.append(Idiom(node.lineno, f"the module {alias.name}", python2.MODULES[alias.name]))
    found += [
        Idiom(use.line, f"string.{use.name}", "", python2.STRING[use.name])
        for use in script.uses({"string"})
        if use.name in python2.STRING and (not use.starred or use.name not in assigned | imported)
    ]
    found += division.idioms(script.tree)
    return sorted(set(found), key=lambda idiom: (idiom.line, idiom.what))
