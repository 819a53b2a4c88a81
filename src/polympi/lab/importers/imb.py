"""Reads the output of Intel MPI Benchmarks (IMB 3.2 to 2021): MPI-1, NBC, RMA, EXT and P2P.

Every block names its columns in a heading: one time; minimum, maximum and average; a rate; messages a second; or, for
nonblocking collectives, times with and without overlap. A barrier has no size column.
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass, field
from math import log2

from polympi.lab.importers.lines import as_count, as_number, numbered_lines
from polympi.lab.importers.rows import Collector, Imported

TOOL = "IMB"

_VERSION = re.compile(r"^#\s+Intel ?\(R\) MPI Benchmark(?:s| Suite) V?(?P<version>\d[\w.]*)(?:,\s*(?P<part>[\w-]+))?")
_BENCHMARK = re.compile(r"^#\s*Benchmarking\s+(\S+)")
_PROCESSES = re.compile(r"^#\s*#processes\s*=\s*(\d+)")
_GROUPS = re.compile(r"^#\s*\(\s*(\d+) groups of (\d+) processes each")
_MODE = re.compile(r"^#\s*MODE:\s*(\S+)")
_REDUCTION_TYPE = re.compile(r"^#\s*MPI_Datatype for reductions\s*:\s*MPI_(\w+)")
_REFUSED = re.compile(r"^\s*(\d+)\s+([a-z-]+)\.;\s*(.*)")

_MEANING = {
    "#bytes": "size",
    "#repetitions": "repetitions",
    "t[usec]": "time",
    "t_avg[usec]": "time",
    "t_pure[usec]": "time",
    "t_min[usec]": "min",
    "t_max[usec]": "max",
    "Mbytes/sec": "rate",
}
_DERIVED = {"Msg/sec"}  # the rate again, in messages

_REASONS = {
    "time-out": "the tool ran into its time limit (-time)",
    "out-of-mem": "the tool ran into its memory limit (-mem)",
    "int-overflow": "the buffer of all ranks is larger than an integer counts",
}

# Benchmarks that do what ours does. The first four do so between two processes only; with more they are chains or
# several pairs at once. Rooted collectives of IMB change the root in every repetition.
_PAIRWISE = {
    "PingPong": ("latency", "standard"),
    "Sendrecv": ("latency", "sendrecv"),
    "Uniband": ("bandwidth", "standard"),
    "Biband": ("bibandwidth", "standard"),
}
_COLLECTIVES = {"Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall"}
_FLOATS = {"FLOAT": "float32", "DOUBLE": "float64", "INT": "int32"}

_MEGA, _MEBI = 1.0, 1.048576  # bytes in a printed megabyte, in 10^6: IMB 4.1 counts 2^20, IMB 2021 counts 10^6


@dataclass
class _Block:
    line: int
    name: str
    ranks: int | None = None
    grouped: bool = False
    mode: str = "standard"
    columns: list[str] = field(default_factory=list)
    told: bool = False  # rows, or the reason why there are none


@dataclass
class _Output:
    """Facts that hold for the whole output, gathered from its header."""

    tool: str = TOOL
    part: str = ""
    reductions: str = "float32"
    megabyte: float = _MEGA


def recognises(line: str) -> bool:
    """Whether a line begins an output of IMB or one of its blocks."""
    return bool(_VERSION.match(line) or _BENCHMARK.match(line))


def read_imb(text: str, source: str) -> Imported:
    """Rows of what one or several IMB programs printed.

    Rates are brought to 10^6 bytes a second: whether the tool counted 10^6 or 2^20 is found from its own times.

    Args:
        text: the output.
        source: name of the file, for the rows.
    """
    collector = Collector(TOOL, source)
    output = _Output(megabyte=_megabyte(text))
    block: _Block | None = None
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        if version := _VERSION.match(line):
            output.tool, output.part = f"{TOOL} {version['version']}", version["part"] or ""
        elif started := _BENCHMARK.match(line):
            _close(block, collector)
            block = _Block(number, started[1])
        elif _is_heading(line):
            if block is None:
                collector.note(f"Line {number}: a table without '# Benchmarking ...' before it was left out.")
            else:
                _read_heading(line, block, collector)
        elif line.lstrip().startswith("#"):
            _read_comment(line, block, output)
        elif block is None or not _read_row(number, line, block, output, collector):
            collector.stray(number)
    _close(block, collector)
    return collector.imported()


def _is_heading(line: str) -> bool:
    return "#repetitions" in line.split()


def _close(block: _Block | None, collector: Collector) -> None:
    if block and not block.told:
        collector.note(f"Line {block.line}: the block of {block.name} has no figures.")


def _read_heading(line: str, block: _Block, collector: Collector) -> None:
    tokens = line.split()
    block.columns = [_MEANING.get(t, t) for t in tokens]
    unread = [t for t in tokens if t not in _MEANING and t not in _DERIVED]
    if unread:
        collector.note(f"The columns {', '.join(unread)} of {block.name} are not imported.")


def _read_comment(line: str, block: _Block | None, output: _Output) -> None:
    if kind := _REDUCTION_TYPE.match(line):
        output.reductions = _FLOATS.get(kind[1], kind[1].lower())
    elif block is None:
        return
    elif processes := _PROCESSES.match(line):
        block.ranks = int(processes[1])
    elif groups := _GROUPS.match(line):
        block.ranks, block.grouped = int(groups[1]) * int(groups[2]), True
    elif mode := _MODE.match(line):
        block.mode = mode[1].lower()


def _read_row(number: int, line: str, block: _Block, output: _Output, collector: Collector) -> bool:
    """Read a row; False if the line is none."""
    if refused := _REFUSED.match(line):
        block.told = True
        reason = _REASONS.get(refused[2], f"the tool says {refused[2]}")
        collector.note(f"Line {number}: {block.name} was not measured at {refused[1]} bytes: {reason}.")
        return True
    tokens = line.split()
    if not block.columns or any(as_number(t) is None for t in tokens):
        return False
    if len(tokens) != len(block.columns):
        collector.note(f"Line {number}: {len(tokens)} values under a heading of {len(block.columns)} columns.")
        return True
    cells = dict(zip(block.columns, tokens, strict=True))
    benchmark, mode = _names(block, output)
    rate = as_number(cells.get("rate", ""))
    collector.row(
        number,
        tool=output.tool,
        benchmark=benchmark,
        mode=mode,
        payload=_payload(block, output),
        size_bytes=as_count(cells.get("size", "0")) or 0,
        ranks=block.ranks,
        time_us=as_number(cells.get("time", "")),
        time_min_us=as_number(cells.get("min", "")),
        time_max_us=as_number(cells.get("max", "")),
        mb_per_s=rate * output.megabyte if rate else None,
        repetitions=as_count(cells["repetitions"]),
    )
    block.told = True
    return True


def _names(block: _Block, output: _Output) -> tuple[str, str]:
    """Our benchmark and mode, or the tool's own name."""
    if output.part == "IMB-P2P":
        return f"{output.part} {block.name}", block.mode  # other loops than the MPI-1 benchmarks of the same names
    if block.grouped:
        return block.name, block.mode
    if block.ranks == 2 and block.name in _PAIRWISE:
        return _PAIRWISE[block.name]
    if block.name in _COLLECTIVES:
        return block.name.lower(), block.mode
    return block.name, block.mode


def _payload(block: _Block, output: _Output) -> str:
    name = block.name.lower()
    if "barrier" in name:
        return "none"
    return output.reductions if "reduce" in name else "bytes"


def _megabyte(text: str) -> float:
    """10^6-byte units in what the output calls a megabyte.

    A rate is size x messages / time, and the messages of one repetition (1, 2 or 4) are a power of two in every
    benchmark that prints a rate beside a time. The fractional part of log2(size / (time x rate)) is therefore 0 when
    a megabyte is 10^6 bytes and log2(1.048576) = 0.068 when it is 2^20; times of 1 us and more are printed to 1 % or
    better (0.014), fine enough to tell. Undecided outputs are taken as 10^6, as the current version prints.
    """
    votes: list[float] = []
    columns: list[str] = []
    for _, line in numbered_lines(text):
        tokens = line.split()
        if _is_heading(line):
            columns = [_MEANING.get(t, t) for t in tokens]
        elif len(tokens) == len(columns) and "rate" in columns:
            cells = dict(zip(columns, tokens, strict=True))
            size, rate = as_number(cells.get("size", "")), as_number(cells["rate"])
            time_us = as_number(cells.get("max", cells.get("time", "")))
            if size and rate and time_us and time_us >= 1 and rate >= 1:
                votes.append(log2(size / (time_us * rate)))
    nearest = [min((_MEGA, _MEBI), key=lambda unit: _distance_to_integer(v - log2(unit))) for v in votes]
    return statistics.mode(nearest) if nearest else _MEGA


def _distance_to_integer(value: float) -> float:
    return abs(value - round(value))
