"""Reads the output of OSU Micro-Benchmarks 5 to 7."""

from __future__ import annotations

import re

from polympi.lab.importers.osu_tables import Title, read_tables, statistic_of
from polympi.lab.importers.rows import Collector, Imported

TOOL = "OSU"

_TITLE = re.compile(r"^\s*#?\s*OSU (?P<name>\S.*?) Test(?P<kind> \w+)?(?:\s+v(?P<version>\d[\w.]*))?$")

# (benchmark, mode, payload, ranks) of the benchmarks that measure what ours of that name measure. Point-to-point
# programs demand two processes. Before 7.0 reductions sent MPI_FLOAT without saying so; since then a line names the
# datatype.
_OURS = {
    "MPI Latency": ("latency", "standard", "bytes", 2),
    "MPI Latency Persistent": ("latency", "standard-persistent", "bytes", 2),
    "MPI Bandwidth": ("bandwidth", "standard", "bytes", 2),
    "MPI Bi-Directional Bandwidth": ("bibandwidth", "standard", "bytes", 2),
    "MPI Barrier Latency": ("barrier", "standard", "none", None),
    "MPI Broadcast Latency": ("bcast", "standard", "bytes", None),
    "MPI Reduce Latency": ("reduce", "standard", "float32", None),
    "MPI Allreduce Latency": ("allreduce", "standard", "float32", None),
    "MPI Gather Latency": ("gather", "standard", "bytes", None),
    "MPI Scatter Latency": ("scatter", "standard", "bytes", None),
    "MPI Allgather Latency": ("allgather", "standard", "bytes", None),
    "MPI All-to-All Personalized Exchange Latency": ("alltoall", "standard", "bytes", None),
    "MPI Init": ("startup", "init", "none", None),
}


def recognises(line: str) -> bool:
    """Whether a line is the title of a table of OSU Micro-Benchmarks."""
    return _TITLE.match(line) is not None


def read_osu(text: str, source: str) -> Imported:
    """Rows of what one or several OSU programs printed.

    Bandwidths are in 10^6 bytes a second already. A nonblocking collective's time is its "pure communication".

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
    name = match["name"] + (match["kind"] or "")
    tool = f"{TOOL} {match['version']}" if match["version"] else TOOL
    usual = "float32" if "reduce" in name.lower() else "none" if "barrier" in name.lower() else "bytes"
    benchmark, mode, payload, ranks = _OURS.get(name, (name, "standard", usual, None))
    return Title(tool, benchmark, mode, payload, statistic_of(name), ranks)
