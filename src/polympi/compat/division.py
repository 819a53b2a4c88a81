"""Divisions of integers whose result has to be an integer: in Python 3 ``/`` gives a float, and no fixer mends it."""

from __future__ import annotations

import ast

from polympi.compat.python2 import Idiom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

REMEDY = "write //, which rounds as before"
_RANGES = {"range", "xrange"}
_SHAPES = {"zeros", "ones", "empty", "full", "eye", "identity", "reshape", "resize", "repeat", "array_split"}
_KEEPING = {"abs", "max", "min", "sum"}  # calls whose result is a float if an argument is one


def idioms(tree: ast.Module) -> list[Idiom]:
    """The divisions that reach a range, an index, a slice or a shape, by their lines."""
    if _is_true_division(tree):
        return []
    sources = _Sources(tree)
    found = set()
    for node in ast.walk(tree):
        for what, expression in _needing_integers(node):
            for line in sources.of(expression):
                place = "" if line == expression.lineno else f" in line {expression.lineno}"
                found.add(Idiom(line, f"the division that reaches {what}{place}", "", REMEDY))
    return sorted(found, key=lambda idiom: (idiom.line, idiom.what))


def _is_true_division(tree: ast.Module) -> bool:
    """Whether the script has asked Python 2 for the division of Python 3."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(n.name == "division" for n in node.names)
        for node in tree.body
    )


def _needing_integers(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What of a node must be an integer: in words, and the expression."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        what = "a range" if name in _RANGES else "a shape" if name in _SHAPES else ""
        arguments = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "shape")]
        for argument in arguments if what else ():
            yield from ((what, expression) for expression in _parts(argument))
    elif isinstance(node, ast.Subscript):
        for part in _parts(node.slice):
            bounds = (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else ()
            yield from (("a slice", bound) for bound in bounds if bound is not None)
            if not isinstance(part, ast.Slice):
                yield "an index", part
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for items, times in ((node.left, node.right), (node.right, node.left)):
            if isinstance(items, ast.List) or (isinstance(items, ast.Constant) and isinstance(items.value, str)):
                yield "a length", times


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else [node]


class _Sources:
    """Which divisions the value of an expression, or of a name, may come from without being rounded."""

    def __init__(self, tree: ast.Module) -> None:
        self._names: dict[str, set[int]] = {}
        assigned = list(_assignments(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div) and not _is_float(node.value):
                self._names.setdefault(ast.unparse(node.target), set()).add(node.lineno)
        count = -1
        while count != (count := sum(map(len, self._names.values()))):  # until no name has got another one
            for target, value in assigned:
                if lines := self.of(value):
                    self._names.setdefault(target, set()).update(lines)

    def of(self, node: ast.expr) -> set[int]:
        """The lines of these divisions."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._names.get(ast.unparse(node), set())
        if isinstance(node, ast.BinOp):
            own = isinstance(node.op, ast.Div) and not (_is_float(node.left) or _is_float(node.right))
            return self.of(node.left) | self.of(node.right) | ({node.lineno} if own else set())
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.IfExp):
            return self.of(node.body) | self.of(node.orelse)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KEEPING:
            return set().union(*(self.of(argument) for argument in node.args))
        return set()


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names and attributes that are assigned to, with the expressions."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            yield from ((ast.unparse(t), v) for t, v in pairs if isinstance(t, (ast.Name, ast.Attribute)))


def _is_float(node: ast.expr) -> bool:
    """Whether a division by it, or of it, is one of floats in Python 2, too."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.BinOp):
        return _is_float(node.left) or _is_float(node.right)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float"
