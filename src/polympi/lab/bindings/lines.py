"""Lines of code: how long a binding's smallest program is, and its timed part."""

import ast
import re
import textwrap
from collections.abc import Collection
from pathlib import Path

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, String, _TokenType, is_token_subtype
from pygments.util import ClassNotFound

from polympi.lab.bindings.manifest import Binding, unusable
from polympi.lab.bindings.sources import files_meant
from polympi.lab.catalogue import MEASURED
from polympi.lab.records import CodeLines

# What an application in Python has in order to run alone: its arguments, its picture, and what it prints.
ALONE = ("Parser", "options", "plot", "run", "main")
_ALSO = {".inc": "part.F90"}  # suffixes of which Pygments thinks otherwise than the bindings: a file of that language


def lines_of_code(text: str, lexer: Lexer) -> int:
    """How many lines hold code: neither blank nor comment alone. What documents in Python is a comment, too."""
    found, line = set(), 0
    for kind, value in lexer.get_tokens(text):
        silent = _is_one(kind, Comment, String.Doc) and not _is_one(kind, Comment.Preproc, Comment.PreprocFile)
        for part in value.splitlines(keepends=True):
            if part.strip() and not silent:
                found.add(line)
            line += part.endswith("\n")
    return len(found)


def solver(text: str, without: Collection[str] = ()) -> str:
    """An application in Python without what only the program alone takes; lines that go are left blank."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        guarded = isinstance(node, ast.If) and "__main__" in ast.dump(node.test)
        if guarded or getattr(node, "name", None) in (*ALONE, *without):
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
            for number in range(first - 1, node.end_lineno or node.lineno):
                lines[number] = "\n"
    return "".join(lines)


def functions(text: str, names: Collection[str], suffix: str) -> str:
    """The functions and classes of these names, one after the other, in a source in Python, or in C by clang-format."""
    if suffix == ".py":
        lines = text.splitlines(keepends=True)
        found = [
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names
        ]
        return "".join("".join(lines[node.lineno - 1 : node.end_lineno]) for node in found)
    wanted = "|".join(map(re.escape, names))
    return "".join(
        found[0]
        for found in re.finditer(
            rf"^\w[^;{{}}]*\b(?:{wanted})\([^;{{}}]*\{{\n.*?^\}}\n", text, re.MULTILINE | re.DOTALL
        )
    )


def code_lines(binding: Binding) -> CodeLines | None:
    """The lines that a binding takes; None where its manifest names neither a timed part nor a ``hello``."""
    hello, timed = binding.hello, binding.timed
    if hello is None and not timed and not binding.entry.applications:
        return None
    parts = {path for pattern in timed for path in files_meant(binding, pattern, "timed")}
    return CodeLines(
        hello=0 if hello is None else _of_files(binding, set(files_meant(binding, hello.source, "hello.source"))),
        timed=_of_files(binding, parts),
        combinations=sum(binding.covered(benchmark) for benchmark in MEASURED if not benchmark.application),
        applications={name: _of_solver(binding, patterns) for name, patterns in binding.entry.applications.items()},
        communication={name: _of_calls(binding, name, called) for name, called in binding.entry.communication.items()},
    )


def _is_one(kind: _TokenType, *kinds: _TokenType) -> bool:
    return any(is_token_subtype(kind, one) for one in kinds)


def _of_solver(binding: Binding, patterns: list[str]) -> int:
    paths = {path for pattern in patterns for path in files_meant(binding, pattern, "applications")}
    without = binding.entry.not_counted
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    return _counted(binding, {p: solver(text, without) if p.suffix == ".py" else text for p, text in texts.items()})


def _of_calls(binding: Binding, application: str, names: list[str]) -> int:
    patterns = binding.entry.applications[application]
    paths = {path for pattern in patterns for path in files_meant(binding, pattern, "applications")}
    texts = {path: functions(path.read_text(encoding="utf-8"), names, path.suffix) for path in paths}
    return _counted(binding, {path: textwrap.dedent(text) for path, text in texts.items()})


def _of_files(binding: Binding, paths: set[Path]) -> int:
    return _counted(binding, {path: path.read_text(encoding="utf-8") for path in paths})


def _counted(binding: Binding, texts: dict[Path, str]) -> int:
    total = 0
    for path, text in texts.items():
        try:
            lexer = get_lexer_for_filename(_ALSO.get(path.suffix, path.name), stripnl=False)
        except ClassNotFound as error:
            raise unusable(
                binding.folder / "manifest.toml",
                f"the lines of '{path.name}' cannot be counted, since Pygments knows no language of such a file",
            ) from error
        total += lines_of_code(text, lexer)
    return total
