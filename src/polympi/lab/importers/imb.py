"""Reads the output of Intel MPI Benchmarks (IMB 3.2 to 2021): MPI-1, NBC, RMA, EXT and P2P.

Every table names its columns in a heading: one time; minimum, maximum and average; a rate; messages a second; or, for
nonblocking collectives, times with and without overlap. A barrier has no size column.
"""

import re
from dataclasses import dataclass, field

from polympi.lab.importers.imb_header import Header, megabyte_of
from polympi.lab.importers.lines import as_count, as_number, as_ranks, is_cut, numbered_lines, unfinished_line
from polympi.lab.importers.notes import Fate
from polympi.lab.importers.rows import ONE_RANK, UNSTATED, Collector, Imported, Times

TOOL = "IMB"
_P2P = "IMB-P2P"

_VERSION = re.compile(r"^#\s+Intel ?\(R\) MPI Benchmark(?:s| Suite) V?(?P<version>\d[\w.]*)(?:,\s*(?P<part>[\w-]+))?")
_BENCHMARK = re.compile(r"^#\s*Benchmarking\s+(\S+)")
_PROCESSES = re.compile(r"^#\s*\(?\s*#processes\s*=\s*(\d+)(?P<more>.*?)[\s)]*$")  # in brackets before 3.2
_GROUPS = re.compile(r"^#\s*\(\s*(\d+) groups of (\d+) processes each")
_MODE = re.compile(r"^#\s*MODE:\s*(\S+)")
_WAITING = re.compile(r"^#\s*\(\s*(\d+) additional process(?:es)? waiting")
_SILENT = re.compile(r"^[#\s-]*$|^#\s*Group\s+\d+\s*:|^#\s*All processes entering MPI_Finalize")
_REFUSED = re.compile(r"^\s*(?:\d+\s+)?(\d+)\s+([a-z-]+)\.?;")  # a group's number may stand first

# What a column holds. The tool gathers the mean time of each rank over its repetitions; t_min, t_max and t_avg are
# taken over the ranks, and a time that stands alone is the largest, too, as is t_pure of one-sided benchmarks. Of a
# nonblocking collective t_pure is that of the rank whose overlapped call took longest. (After the tool's IMB_output.c;
# P2P is another program.)
_MEANING = {
    "Group": "group",
    "#bytes": "size",
    "#repetitions": "repetitions",
    "t[usec]": "time",
    "t_pure[usec]": "pure",
    "t_avg[usec]": "mean",
    "t_min[usec]": "min",
    "t_max[usec]": "max",
    "Mbytes/sec": "rate",
    "defects": "defects",
}
_COUNTS = ("group", "size", "repetitions")
_DERIVED = {"Msg/sec"}  # the rate again, in messages

_REASONS = {
    "time-out": "the tool ran into its time limit (-time)",
    "out-of-mem": "the tool ran into its memory limit (-mem)",
    "int-overflow": "the buffer of all ranks is larger than an integer counts",
}

# Benchmarks that do what ours does. These do so between two processes only; with more they are chains or several pairs
# at once.
_PAIRWISE = {
    "PingPong": ("latency", "standard"),
    "Sendrecv": ("latency", "sendrecv"),
    "Uniband": ("bandwidth", "standard"),
    "Biband": ("bibandwidth", "standard"),
}
_ROOTED = {"Bcast", "Reduce", "Gather", "Scatter"}
_COLLECTIVES = _ROOTED | {"Barrier", "Allreduce", "Allgather", "Alltoall"}
_WINDOWS = {"Uniband", "Biband"}
_OUR_WINDOW = 64  # docs/protocol.md


@dataclass
class _Table:
    line: int
    name: str
    ranks: int | None = None
    grouped: bool = False
    mode: str = "standard"
    details: list[str] = field(default_factory=list)  # what else its header says, in words for the mode
    unfinished: int | None = None  # number of the line that the file may end in the middle of
    columns: list[str] = field(default_factory=list)
    model: str = ""  # the heading, or the row before: what a whole row is as wide as
    reported: bool = False  # rows, or the reason why there are none


def recognises(line: str) -> bool:
    """Whether a line begins an output of IMB or one of its tables."""
    return bool(_VERSION.match(line) or _BENCHMARK.match(line))


def read_imb(text: str, source: str) -> Imported:
    """Rows of IMB programs, with rates in 10^6 bytes a second; what a megabyte is, its own times tell."""
    collector = Collector(TOOL, source)
    unfinished = unfinished_line(text)
    for lines in _outputs(list(numbered_lines(text))):
        _read_output(lines, unfinished, collector)
    return collector.imported()


def _outputs(lines: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """The lines of each program that ran; every one prints its version first."""
    outputs: list[list[tuple[int, str]]] = [[]]
    for number, line in lines:
        if _VERSION.match(line):
            outputs.append([])
        outputs[-1].append((number, line))
    return outputs


def _read_output(lines: list[tuple[int, str]], unfinished: int | None, collector: Collector) -> None:
    header = Header(TOOL, megabyte=megabyte_of(_rows(lines)))
    table: _Table | None = None
    for number, line in lines:
        if version := _VERSION.match(line):
            header.tool, header.part = f"{TOOL} {version['version']}", version["part"] or ""
        elif started := _BENCHMARK.match(line):
            _close(table, collector)
            table = _Table(number, started[1], unfinished=unfinished)
        elif (table is None and header.read_line(line)) or not line.strip():
            continue
        elif _is_heading(line):
            if table is None:
                collector.notes.sentence(f"Line {number}: a table without '# Benchmarking ...' before it was left out.")
            else:
                _read_heading(line, table, collector)
        elif line.lstrip().startswith("#"):
            if not _read_comment(line, table):
                collector.notes.unread(number, line)
        elif table is None or not _read_row(number, line, table, header, collector):
            collector.notes.stray(number)
    _close(table, collector)


def _is_heading(line: str) -> bool:
    return "#repetitions" in line.split()


def _rows(lines: list[tuple[int, str]]) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    columns: list[str] = []
    for _, line in lines:
        tokens = line.split()
        if _is_heading(line):
            columns = [_MEANING.get(t, t) for t in tokens]
        elif columns and len(tokens) == len(columns):
            rows.append(dict(zip(columns, tokens, strict=True)))
    return rows


def _close(table: _Table | None, collector: Collector) -> None:
    if table and not table.reported:
        collector.notes.sentence(f"Line {table.line}: the table of {table.name} has no figures.")


def _read_heading(line: str, table: _Table, collector: Collector) -> None:
    tokens = line.split()
    table.columns = [_MEANING.get(t, t) for t in tokens]
    table.model = line
    unread = [t for t in tokens if t not in _MEANING and t not in _DERIVED]
    if unread:
        collector.notes.columns(unread, table.name)


def _read_comment(line: str, table: _Table | None) -> bool:
    if _SILENT.match(line):
        return True
    if table is None:
        return False
    if processes := _PROCESSES.match(line):
        table.ranks = as_ranks(processes[1])
        more = processes["more"].strip(" (,")
        table.details += [more] if more else []
        return not more
    if groups := _GROUPS.match(line):
        count, size = as_ranks(groups[1]), as_ranks(groups[2])
        table.ranks, table.grouped = count * size if count and size else None, True
    elif mode := _MODE.match(line):
        table.mode = mode[1].lower()
    elif waiting := _WAITING.match(line):
        table.details.append(f"{waiting[1]} other process{'es' * (waiting[1] != '1')} waiting")
    else:
        return False
    return True


def _read_row(number: int, line: str, table: _Table, header: Header, collector: Collector) -> bool:
    if refused := _REFUSED.match(line):
        table.reported = True
        reason = _REASONS.get(refused[2], f"the tool says {refused[2]}")
        collector.notes.row(Fate.NOT_MEASURED, number, table.name, reason, size_bytes=as_count(refused[1]))
        return True
    tokens = line.split()
    if not table.columns or as_count(tokens[0]) is None:
        return False
    table.reported = True
    whole = _is_whole(number, line, table, collector)
    table.model = line
    if not whole:
        return True
    cells = dict(zip(table.columns, tokens, strict=True))
    benchmark, mode = _names(table, header, cells.get("group"))
    rate = as_number(cells.get("rate", ""))
    collector.row(
        number,
        tool=header.tool,
        benchmark=benchmark,
        mode=mode,
        payload=_payload(table, header),
        size_bytes=as_count(cells.get("size", "0")) or 0,
        ranks=table.ranks,
        times=_times(cells, header),
        mb_per_s=rate * header.megabyte if rate is not None else None,
        repetitions=as_count(cells["repetitions"]),
        options=" ".join(header.options) or None,
    )
    return True


def _is_whole(number: int, line: str, table: _Table, collector: Collector) -> bool:
    """Whether every value of a row can be read; a note says why not."""
    tokens = line.split()
    pairs = list(zip(table.columns, tokens, strict=False))
    strange = [t for name, t in pairs if (as_count(t) if name in _COUNTS else as_number(t)) is None]
    example = None
    if number == table.unfinished and is_cut(line, table.model):
        reason = "the file ends in the middle of it"
    elif strange:
        reason, example = "a value is not a number", strange[0]
    elif (as_number(dict(pairs).get("defects", "")) or 0) > 0:
        reason = "the tool found its data wrong (defects)"
    elif len(tokens) != len(table.columns):
        reason = f"it has {len(tokens)} values under a heading of {len(table.columns)} columns"
    else:
        return True
    size = as_count(dict(pairs).get("size", ""))
    collector.notes.row(Fate.LEFT_OUT, number, table.name, reason, size_bytes=size, example=example)
    return False


def _times(cells: dict[str, str], header: Header) -> Times:
    values = {name: as_number(cells[name]) for name in ("time", "pure", "mean", "min", "max") if name in cells}
    if header.part == _P2P:
        return Times(figure=values.get("time"), statistic=UNSTATED)
    if "pure" in values and "RMA" not in header.part:
        return Times(figure=values["pure"], statistic=ONE_RANK)
    highest = next((values[name] for name in ("max", "time", "pure") if name in values), None)
    return Times(mean=values.get("mean"), low=values.get("min"), high=highest)


def _names(table: _Table, header: Header, group: str | None) -> tuple[str, str]:
    """Our benchmark and mode, or the tool's own name; what the options changed stands in the mode."""
    benchmark, mode = table.name, table.mode
    if header.part == _P2P:
        benchmark = f"{header.part} {table.name}"  # other loops than the MPI-1 benchmarks of the same names
    elif table.grouped:
        pass
    elif table.ranks == 2 and table.name in _PAIRWISE:
        benchmark, mode = _PAIRWISE[table.name]
    elif table.name in _COLLECTIVES:
        benchmark = table.name.lower()
    details = [f"group {group}"] if group else []
    if table.name in _WINDOWS and header.window != _OUR_WINDOW:
        details.append(f"window {header.window}")
    if table.name in _ROOTED and header.switched_on("-root_shift"):
        details.append("another root each time")
    if "-off_cache" in header.options:
        details.append("out of cache")
    if level := header.thread_level:
        details.append(f"thread level {level}")
    if "reduce" in table.name.lower() and header.operation != "sum":
        details.append(f"operation {header.operation}")
    return benchmark, ", ".join([mode, *table.details, *details])


def _payload(table: _Table, header: Header) -> str:
    name = table.name.lower()
    if "barrier" in name:
        return "none"
    return header.reductions if "reduce" in name else header.payload
