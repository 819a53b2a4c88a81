"""Reads the output of OSU Micro-Benchmarks 5 to 7, and of OMB-Py, their Python programs."""

import re

from polympi.lab.importers.osu_tables import Title, read_tables, statistic_of
from polympi.lab.importers.rows import UNSTATED, Collector, Imported

OSU, OMB_PY = "OSU", "OMB-Py"

_OSU_TITLE = re.compile(r"^\s*#?\s*OSU (?P<name>\S.*?) Test(?P<kind> \w+)?(?:\s+v(?P<version>\d[\w.]*))?$")
_OMB_PY_TITLE = re.compile(r"^.*?#\s*OMB[ -]Py(?:thon)? (?P<name>MPI \S.*?) Test$")

# (benchmark, mode, payload, ranks) of the benchmarks that measure what ours of that name measure. Point-to-point
# programs need exactly two processes. Before 7.0, reductions sent MPI_FLOAT without saying so; since then, a line names
# the datatype.
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
_OMB_PY_PAIRS = ("MPI Latency", "MPI Bandwidth", "MPI Bi-Directional Bandwidth")
_OMB_PY_COLLECTIVES = {
    "Barrier": "barrier",
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
_OMB_PY_COLLECTIVE = re.compile(r"MPI (?P<name>[\w-]+?)(?: Personalized Exchange)?(?: Latency)?")


def is_osu(line: str) -> bool:
    """Whether a line is the title of a table of OSU Micro-Benchmarks."""
    return _OSU_TITLE.match(line) is not None


def is_omb_py(line: str) -> bool:
    """Whether a line is the title of a table of OMB-Py."""
    return _OMB_PY_TITLE.match(line) is not None


def read_osu(text: str, source: str) -> Imported:
    """Rows of OSU programs: 10^6 bytes per second, and the "pure communication" time of nonblocking collectives."""
    collector = Collector(OSU, source)
    read_tables(text, collector, _osu_title)
    return collector.imported()


def read_omb_py(text: str, source: str) -> Imported:
    """Rows of what one or several OMB-Py programs printed; columns as those of the C programs."""
    collector = Collector(OMB_PY, source)
    read_tables(text, collector, _omb_py_title)
    return collector.imported()


def _osu_title(line: str) -> Title | None:
    match = _OSU_TITLE.match(line)
    if not match:
        return None
    name = match["name"] + (match["kind"] or "")
    tool = f"{OSU} {match['version']}" if match["version"] else OSU
    usual = "float32" if "reduce" in name.lower() else "none" if "barrier" in name.lower() else "bytes"
    benchmark, mode, payload, ranks = _OURS.get(name, (name, "standard", usual, None))
    return Title(tool, benchmark, mode, payload, statistic_of(name), ranks)


def _omb_py_title(line: str) -> Title | None:
    match = _OMB_PY_TITLE.match(line)
    if not match:
        return None
    name = match["name"]
    if name in _OMB_PY_PAIRS:
        benchmark, mode, payload, ranks = _OURS[name]
        return Title(OMB_PY, benchmark, mode, payload, statistic_of(name), ranks)
    collective = _OMB_PY_COLLECTIVE.fullmatch(name)
    benchmark = _OMB_PY_COLLECTIVES.get(collective["name"], name) if collective else name
    # What the sums are made of is not printed.
    payload = "none" if benchmark == "barrier" else UNSTATED if "reduce" in name.lower() else "bytes"
    return Title(OMB_PY, benchmark, "standard", payload, statistic_of(name))
