"""Reads the output of OMB-Py, the Python programs of OSU Micro-Benchmarks."""

from __future__ import annotations

import re

from polympi.lab.importers.osu_tables import Title, read_tables, statistic_of
from polympi.lab.importers.rows import UNSTATED, Collector, Imported

TOOL = "OMB-Py"

_TITLE = re.compile(r"^.*?#\s*OMB[ -]Py(?:thon)? (?P<name>MPI \S.*?) Test$")

_OURS = {
    "MPI Latency": ("latency", "bytes", 2),
    "MPI Bandwidth": ("bandwidth", "bytes", 2),
    "MPI Bi-Directional Bandwidth": ("bibandwidth", "bytes", 2),
    "MPI Barrier Latency": ("barrier", "none", None),
    "MPI Barrier": ("barrier", "none", None),
}
_COLLECTIVES = {
    "Broadcast": "bcast",
    "Bcast": "bcast",
    "Reduce": "reduce",
    "Allreduce": "allreduce",
    "Gather": "gather",
    "Scatter": "scatter",
    "Allgather": "allgather",
    "All-to-All": "alltoall",
    "Alltoall": "alltoall",
}
_COLLECTIVE = re.compile(r"MPI (?P<name>[\w-]+?)(?: Personalized Exchange)?(?: Latency)?")


def recognises(line: str) -> bool:
    """Whether a line is the title of a table of OMB-Py."""
    return _TITLE.match(line) is not None


def read_omb_py(text: str, source: str) -> Imported:
    """Rows of what one or several OMB-Py programs printed; columns as those of the C programs.

    Args:
        text: the output.
        source: name of the file, for the rows.
    """
    collector = Collector(TOOL, source)
    read_tables(text, collector, _parse_title)
    return collector.imported()


def _parse_title(line: str) -> Title | None:
    match = _TITLE.match(line)
    if not match:
        return None
    name = match["name"]
    if name in _OURS:
        benchmark, payload, ranks = _OURS[name]
        return Title(TOOL, benchmark, "standard", payload, statistic_of(name), ranks)
    collective = _COLLECTIVE.fullmatch(name)
    benchmark = _COLLECTIVES.get(collective["name"], name) if collective else name
    payload = UNSTATED if "reduce" in name.lower() else "bytes"  # what the sums are made of is not printed
    return Title(TOOL, benchmark, "standard", payload, statistic_of(name))
