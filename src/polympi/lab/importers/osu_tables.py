"""The tables that OSU Micro-Benchmarks and OMB-Py print: a title, a heading, a row a size.

Layouts after the output of OSU Micro-Benchmarks 5.0 to 7.5 (``-f`` adds extremes and iterations, ``-z`` percentiles,
``-c`` a verdict) and of OMB-Py; a barrier has no size column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from polympi.lab.importers.lines import as_count, as_number, numbered_lines
from polympi.lab.importers.rows import Collector

_COMMENT = re.compile(r"^\s*#\s*(.*)")
_COLUMN = re.compile(
    r"Size(?: ?[(\[]B[)\]])?|(?:Avg |Min |Max )?Latency ?[(\[]us[)\]]|Bandwidth ?[(\[]MB/s[)\]]|Pure Comm\.? ?\(us\)"
    r"|Coll\. Init ?\(us\)|\S+(?: \S+)*?(?=\s{2,}|$)"
)
_DATATYPE = re.compile(r"Datatype: MPI_(\w+)")
_PAIRS = re.compile(r"\[ pairs: (\d+) \]")
_INIT = re.compile(r"nprocs: (\d+), min: ([\d.]+) ms, max: ([\d.]+) ms, avg: ([\d.]+) ms")

# What a column holds, by its name without blanks and brackets. Of a nonblocking collective, "pure communication" is
# the collective alone; "overall" has a computation in it.
_MEANING = {
    "size": "size",
    "latency": "time",
    "avglatency": "time",
    "minlatency": "min",
    "maxlatency": "max",
    "purecomm.": "time",
    "bandwidth": "rate",
    "mb/s": "rate",
    "iterations": "repetitions",
    "validation": "validation",
}
_NUMERIC = set(_MEANING.values()) - {"validation"}
_PAYLOADS = {"CHAR": "bytes", "BYTE": "bytes", "DOUBLE": "float64", "FLOAT": "float32", "INT": "int32"}


@dataclass(frozen=True)
class Title:
    """What the title line of a table says.

    Attributes:
        tool: the tool with its version.
        benchmark: our name, or the tool's own.
        mode: our mode.
        payload: what is sent unless the output names a datatype.
        ranks: processes, where the benchmark fixes their number.
    """

    tool: str
    benchmark: str
    mode: str
    payload: str
    ranks: int | None = None


@dataclass
class _Table:
    line: int
    title: Title
    payload: str
    ranks: int | None
    columns: list[str] | None = None
    rows: int = 0
    told_unnamed: bool = False


def read_tables(text: str, collector: Collector, parse_title: Callable[[str], Title | None]) -> None:
    """Read all tables of a text into the collector.

    Args:
        text: what the programs printed, perhaps several, perhaps with other lines between them.
        collector: takes rows and notes.
        parse_title: what a line says if it is the title of a table, else None.
    """
    table: _Table | None = None
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        title = parse_title(line)
        if title:
            _close(table, collector)
            table = _Table(number, title, title.payload, title.ranks)
        elif table is None:
            collector.stray(number)
        elif comment := _COMMENT.match(line):
            _read_comment(table, comment[1], collector)
        elif not _read_row(number, line, table, collector):
            collector.stray(number)
    _close(table, collector)


def _close(table: _Table | None, collector: Collector) -> None:
    if table and not table.rows:
        collector.note(f"Line {table.line}: the table of {table.title.benchmark} has no figures.")


def _read_comment(table: _Table, comment: str, collector: Collector) -> None:
    if datatype := _DATATYPE.search(comment):
        table.payload = _PAYLOADS.get(datatype[1], datatype[1].lower())
    elif pairs := _PAIRS.search(comment):
        table.ranks = 2 * int(pairs[1])
    elif "=" not in comment and ("(us)" in comment or "[us]" in comment or "MB/s" in comment):
        names = _COLUMN.findall(comment)
        table.columns = [_MEANING.get(re.sub(r"[(\[](us|B|MB/s)[)\]]| ", "", n).lower(), n) for n in names]
        unread = [n for n in table.columns if n not in _MEANING.values() and n != "Messages/s"]
        if unread:
            collector.note(f"The columns {', '.join(unread)} of {table.title.benchmark} are not imported.")


def _read_row(number: int, line: str, table: _Table, collector: Collector) -> bool:
    """Read a row; False if the line is none."""
    title = table.title
    if init := _INIT.fullmatch(line.strip()):
        low, high, average = (1000 * float(v) for v in init.groups()[1:])
        collector.row(
            number,
            tool=title.tool,
            benchmark=title.benchmark,
            mode=title.mode,
            payload=title.payload,
            size_bytes=0,
            ranks=int(init[1]),
            time_us=average,
            time_min_us=low,
            time_max_us=high,
        )
        table.rows += 1
        return True
    tokens = line.split()
    if table.columns is None or as_number(tokens[0]) is None:
        return False
    cells = dict(zip(table.columns, tokens, strict=False))
    size = as_count(cells["size"]) if "size" in cells else 0
    if size is None:
        return False
    table.rows += 1
    if not _is_sound(number, tokens, cells, table, collector):
        return True
    collector.row(
        number,
        tool=title.tool,
        benchmark=title.benchmark,
        mode=title.mode,
        payload=table.payload,
        size_bytes=size,
        ranks=table.ranks,
        time_us=as_number(cells.get("time", "")),
        time_min_us=as_number(cells.get("min", "")),
        time_max_us=as_number(cells.get("max", "")),
        mb_per_s=as_number(cells.get("rate", "")),
        repetitions=as_count(cells.get("repetitions", "")),
    )
    return True


def _is_sound(number: int, tokens: list[str], cells: dict[str, str], table: _Table, collector: Collector) -> bool:
    """Whether a row can be kept; a note says why not, or what of it was not read."""
    name, columns = table.title.benchmark, table.columns or []
    if cells.get("validation", "Pass") != "Pass" or "Fail" in tokens:  # the heading may not name the verdict
        collector.note(f"Line {number}: the tool found the data of {name} wrong; the row was left out.")
        return False
    strange = [c for k, c in cells.items() if k in _NUMERIC and as_number(c) is None]
    if strange:
        collector.note(f"Line {number}: '{strange[0]}' is not a number; the row was left out.")
        return False
    if len(tokens) < len(columns):
        collector.note(f"Line {number}: {len(columns) - len(tokens)} of {len(columns)} values are missing.")
    if len(tokens) > len(columns) and not table.told_unnamed:
        table.told_unnamed = True
        collector.note(
            f"Line {number}: rows of {name} have {len(tokens)} values, but the heading names only {len(columns)}; "
            "the values without a name are not imported."
        )
    return True
