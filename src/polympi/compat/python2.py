"""What a script has that only Python 2 understands, and what mends it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Idioms at which Python 3 stops, by a pattern of the line, with the fixer of 2to3 that mends them.
_SYNTAX = (
    (r"^\s*print\b(?!\s*\()(?!\s*$)", "a print statement", "print"),
    (r"^\s*print\s*$", "a print statement", "print"),
    (r"^\s*print\s*>>", "a print statement", "print"),
    (r"^\s*except\b[^:#]*,[^:#]*:", "except with a comma", "except"),
    (r"^\s*raise\b[^#(]*,", "raise with a comma", "raise"),
    (r"^\s*exec\s+[^(\s]", "an exec statement", "exec"),
    (r"<>", "the operator <>", "ne"),
    (r"`[^`]*`", "backticks", "repr"),
    (r"(?<![\w.])0[0-9]+(?![\w.])", "an octal number with a leading 0", "numliterals"),
    (r"(?<![\w.])(0[xX][0-9a-fA-F]+|[0-9]+)[lL]\b", "a long number with an L", "numliterals"),
    (r"(?<!\w)[uU][rR]['\"]", "a raw Unicode string", "unicode"),
)
# A comment, or a string from its first quote on.
_TEXT = re.compile(
    r"""#[^\n]*|(?P<long>'{3}|"{3})(?:\\.|[^\\])*?(?P=long)|(?P<short>['"])(?:\\.|(?!(?P=short))[^\\\n])*(?P=short)""",
    re.DOTALL,
)
# Names at which a script stops only when it comes to them, with what mends them.
NAMES = {
    "xrange": "xrange",
    "raw_input": "raw_input",
    "unicode": "unicode",
    "basestring": "basestring",
    "long": "long",
    "reduce": "reduce",
    "execfile": "execfile",
    "unichr": "unicode",
    "apply": "apply",
    "cmp": "",
}
# What the module string had.
_OF_STRINGS = (
    "capitalize center count expandtabs find index ljust lower lstrip replace rfind rindex rjust rsplit rstrip split "
    "strip swapcase translate upper zfill"
)
STRING = {
    **{name: f"write text.{name}(...)" for name in _OF_STRINGS.split()},
    **dict.fromkeys(("join", "joinfields"), "write separator.join(words)"),
    **{name: f"write string.ascii_{name}" for name in ("letters", "lowercase", "uppercase")},
    **dict.fromkeys(("atoi", "atol"), "write int(text)"),
    **dict.fromkeys(("index_error", "atof_error", "atoi_error", "atol_error"), "catch ValueError"),
    "atof": "write float(text)",
    "splitfields": "write text.split(separator)",
    "maketrans": "write str.maketrans(before, after)",
}
MODULES = {"cPickle": "imports", "StringIO": "imports", "Queue": "imports", "commands": "imports", "urllib2": "urllib"}


@dataclass(frozen=True)
class Idiom:
    """Something of Python 2 in a script.

    Attributes:
        line: its number.
        what: in words.
        fixer: of 2to3, which mends it; empty: none does.
        remedy: what to do where no fixer mends it.
    """

    line: int
    what: str
    fixer: str
    remedy: str = ""


def idiom_at(source: str, line: int) -> Idiom | None:
    """What of Python 2 stands at a line, at which Python 3 has stopped, or on the one before."""
    lines = source.splitlines()
    for number in (line, line - 1):
        if 1 <= number <= len(lines):
            for found in _idioms_of_line(number, lines[number - 1]):
                return found
    return None


def syntax_idioms(source: str) -> list[Idiom]:
    """All that Python 3 does not read, line by line; what is in strings and comments does not count."""
    lines = _TEXT.sub(_blank, source).splitlines()
    return [found for number, line in enumerate(lines, 1) for found in _idioms_of_line(number, line)]


def _idioms_of_line(number: int, line: str) -> list[Idiom]:
    return [Idiom(number, what, fixer) for pattern, what, fixer in _SYNTAX if re.search(pattern, line)]


def _blank(text: re.Match[str]) -> str:
    """A string or comment with its ends and its lines, and nothing else."""
    within = text["long"] or text["short"]
    return "" if within is None else within[0] + re.sub(r"[^\n]", " ", text[0][1:-1]) + within[0]


def advice(script: str, fixer: str = "") -> str:
    """What mends a script."""
    chosen = f" -f {fixer}" if fixer else ""
    return (
        f"2to3{chosen} -w -n {script} mends it (2to3 came with Python up to 3.12; for newer ones pip install fissix, "
        "whose command is fissix)"
    )


def sentence(script: str, source: str, error: SyntaxError) -> str | None:
    """Why a script does not run, if that is because it is one of Python 2; None: for another reason."""
    if isinstance(error, TabError):  # to Python 2 a tab was eight columns, as it is to expand
        mended = f"expand {script} > new.py makes one that Python 3 reads"
        return f"{script} is a script of Python 2: line {error.lineno} mixes tabs and spaces. {mended}."
    found = idiom_at(source, error.lineno or 0)
    if found is None:
        return None
    return f"{script} is a script of Python 2: line {found.line} has {found.what}. {advice(script)}."
