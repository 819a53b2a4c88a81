"""Loops that time iterations one by one, made from the loops of a binding that run many in a row.

A loop of a binding contains ``for _ in range(iterations):``, around nothing but the calls of its interface. The loop
that times each iteration has to contain the same statements; calling the first one with one iteration would add the
time of a Python call. So it is compiled from the source of the first, and the two can't differ.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common_start import UNTIMED

if TYPE_CHECKING:
    from callbacks import Call

# What takes the place of the loop, and the parameters that take the place of ``iterations``.
ONE_BY_ONE = """
for k in range(len(times)):
    began = clock()
    ITERATION
    times[k] = clock() - began
"""
FROM_COMMON_START = """
wait, agree = start.wait, start.agree
k = 0
agree()
while k < len(times):
    for _ in UNTIMED:
        ITERATION
    began = wait()
    ITERATION
    times[k] = clock() - began
    k += agree()
"""


def one_by_one(loop: Call, clock: Call | None = None) -> Call:
    """The loop with each iteration timed: takes ``clock`` and ``times`` instead of ``iterations``.

    Args:
        loop: the loop that runs many in a row.
        clock: what the loop takes the time from, for a compiler that has to know; then it takes only ``times``.
    """
    if clock is None:
        return _shared(loop, ONE_BY_ONE, ("clock", "times"))
    return _rewritten(loop, ONE_BY_ONE, ("times",), clock=clock)


def from_common_start(loop: Call) -> Call:
    """The loop with each iteration timed from a common start, and run again if a rank began it too late.

    It takes ``start``, ``clock`` and ``times`` instead of ``iterations``.
    """
    return _shared(loop, FROM_COMMON_START, ("start", "clock", "times"))


@cache  # as of any function, the interpreter adapts its code while it runs: all cases of a loop share it
def _shared(loop: Any, template: str, parameters: tuple[str, ...]) -> Call:
    return _rewritten(loop, template, parameters)


def _rewritten(loop: Any, template: str, parameters: tuple[str, ...], **known: Call) -> Call:
    code = loop.__code__
    function = _function(code.co_filename, code.co_firstlineno, code.co_name)
    places = [place for place, statement in enumerate(function.body) if isinstance(statement, ast.For)]
    if [argument.arg for argument in function.args.args][-1:] != ["iterations"] or len(places) != 1:
        raise ValueError(f"{code.co_name} is not a loop that ends with the parameter iterations.")
    [place] = places
    iteration = function.body[place]
    assert isinstance(iteration, ast.For)
    function.body[place : place + 1] = _Filled(iteration.body).visit(ast.parse(template)).body
    function.args.args[-1:] = [ast.arg(name) for name in parameters]
    module = ast.fix_missing_locations(ast.Module([function], type_ignores=[]))
    made: dict[str, Call] = {}
    exec(compile(module, code.co_filename, "exec"), {**loop.__globals__, "UNTIMED": UNTIMED, **known}, made)
    return made[code.co_name]


def _function(path: str, line: int, name: str) -> ast.FunctionDef:
    """A new tree of the function that begins at a line of a file."""
    functions = (node for node in ast.walk(ast.parse(_text(path))) if isinstance(node, ast.FunctionDef))
    return next(node for node in functions if (node.lineno, node.name) == (line, name))


@cache
def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


class _Filled(ast.NodeTransformer):
    """Puts the statements of an iteration where a template has ``ITERATION``."""

    def __init__(self, iteration: list[ast.stmt]) -> None:
        self._iteration = iteration

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | list[ast.stmt]:
        """A statement that is an expression, such as the placeholder."""
        is_placeholder = isinstance(node.value, ast.Name) and node.value.id == "ITERATION"
        return self._iteration if is_placeholder else node
