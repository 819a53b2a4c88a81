"""Text from outside, such as names and messages, written so that Markdown shows it as it is."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

# CommonMark 0.31, section 2.4: a backslash before ASCII punctuation takes its meaning away; "~" and "|" are those of
# GitHub's strikethrough and tables, "$" that of its formulae. Section 2.5: "&" begins an entity.
_SPECIAL = {c: f"\\{c}" for c in "\\`*_[]#|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_TABLE = str.maketrans(_SPECIAL)
# What begins a list, a rule or the underline of a heading where it begins a line (sections 4.1, 4.3, 5.2).
_LEADING = re.compile(r"^(?:([-+])(?=\s|$)|([-=])(?=[-=\s]*$)|(\d{1,9})([.)])(?=\s|$))")


def escape(text: str) -> str:
    """The text on one line, without control characters, every sign that Markdown or HTML would act on escaped.

    It may stand in a table, in a list, in bold, or begin a line. Addresses stay: they show what they lead to.
    """
    plain = "".join(" " if _is_control(c) else c for c in text)
    escaped = " ".join(plain.split(" ")).strip().translate(_TABLE)
    return _LEADING.sub(_quoted, escaped)


def table(headers: Sequence[str], lines: Iterable[Sequence[str]], right: Collection[int]) -> str:
    """A table of escaped cells; the columns of these numbers are aligned right."""
    rule = ["---:" if number in right else "---" for number in range(len(headers))]
    rows = [[escape(cell) for cell in line] for line in (headers, *lines)]
    rows.insert(1, rule)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _is_control(character: str) -> bool:
    """Line breaks of all kinds, tabs, escape sequences, and marks that turn the direction of writing."""
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")


def _quoted(match: re.Match[str]) -> str:
    mark = match[1] or match[2]
    return f"\\{mark}" if mark else f"{match[3]}\\{match[4]}"
