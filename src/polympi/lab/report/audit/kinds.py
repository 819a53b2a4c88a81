"""Kinds of MPI procedures by what they do: a colour each, in bars and in the timeline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from polympi.lab.audit.procedures import collective, plain


@dataclass(frozen=True)
class Kind:
    """A kind of procedure."""

    name: str
    colour: str  # CSS, about 3 : 1 on a light and on a dark page


SEND = Kind("send", "#2b7fd4")
RECEIVE = Kind("receive", "#0f9b78")
WAIT = Kind("wait and test", "#b88a00")
COLLECTIVE = Kind("collective", "#a864c9")
ONE_SIDED = Kind("one-sided", "#c8447c")
FILES = Kind("files", "#3aa5c9")
OTHER = Kind("other", "#747b87")
KINDS = (SEND, RECEIVE, WAIT, COLLECTIVE, ONE_SIDED, FILES, OTHER)

# The first that fits a name without "MPI_", the mark of large counts, and that of a persistent operation.
_RULES = (
    (FILES, r"file_\w+"),
    (ONE_SIDED, r"win_\w+|r?put|r?get|r?(get_)?accumulate|fetch_and_op|compare_and_swap"),
    (WAIT, r"(wait|test)(all|any|some)?|request_get_status\w*|parrived"),
    (RECEIVE, r"i?m?recv|precv|i?m?probe"),
    (SEND, r"i?[bsr]?send|psend|i?sendrecv(_replace)?|start(all)?|pready\w*"),
    (COLLECTIVE, r"init|init_thread|finalize|session_\w+"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _RULES)


@cache
def kind_of(procedure: str) -> Kind:
    """The kind of a procedure by its name in the standard, such as ``MPI_Send``."""
    name = plain(procedure).lower().removeprefix("mpi_").removesuffix("_init")
    known = next((kind for kind, pattern in _COMPILED if pattern.fullmatch(name)), OTHER)
    return COLLECTIVE if known is OTHER and collective(procedure) else known
