"""Kinds of MPI procedures by what they do: a colour each, in bars and in the timeline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


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

# After "MPI_", without the suffixes of large counts and of the start of a persistent operation. The chapters of the
# standard are the order: the first that fits counts.
_COLLECTIVES = (
    "barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|(all)?reduce|reduce_scatter(_block)?|(ex)?scan"
)
_RULES = (
    (COLLECTIVE, rf"i?(neighbor_)?({_COLLECTIVES})"),
    (
        COLLECTIVE,
        r"comm_(dup|idup|split|create|spawn|accept|connect|disconnect|free|shrink|agree)\w*|(graph|cart)_create",
    ),
    (COLLECTIVE, r"dist_graph_create\w*|intercomm_(create|merge)\w*|init\w*|finalize|session_finalize"),
    (WAIT, r"(wait|test)(all|any|some)?|request_get_status\w*|parrived|iflush_buffer|.*flush_buffer"),
    (RECEIVE, r"i?m?recv|precv|i?m?probe"),
    (SEND, r"(i?[bsr]?|p)send|i?sendrecv(_replace)?|start(all)?|pready\w*|[bsr]send"),
    (ONE_SIDED, r"win_\w+|r?put|r?get|r?(get_)?accumulate|fetch_and_op|compare_and_swap"),
    (FILES, r"file_\w+"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _RULES)


@lru_cache(maxsize=None)
def kind_of(procedure: str) -> Kind:
    """The kind of a procedure by its name in the standard, such as ``MPI_Send``."""
    name = procedure.lower().removeprefix("mpi_").removesuffix("_c").removesuffix("_init")
    return next((kind for kind, pattern in _COMPILED if pattern.fullmatch(name)), OTHER)
