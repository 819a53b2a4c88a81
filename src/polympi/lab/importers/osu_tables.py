"""The tables that OSU Micro-Benchmarks and OMB-Py print: a title, a heading, one row for each size.

Layouts after the output of OSU Micro-Benchmarks 5.0 to 7.5 (``-f`` adds extremes and iterations, ``-z`` percentiles,
``-c`` a verdict, ``-D`` the bytes that a derived datatype sends) and of OMB-Py; a barrier has no size column.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from polympi.lab.importers.lines import as_count, as_number, as_ranks, is_cut, numbered_lines, unfinished_line
from polympi.lab.importers.notes import Fate
from polympi.lab.importers.osu_header import (
    columns_of,
    is_harmless,
    is_setting,
    mode_of,
    settings_of,
    unread_columns,
    workers_of,
)
from polympi.lab.importers.rows import (
    MEAN_OVER_PAIRS,
    MEAN_OVER_RANKS,
    ONE_RANK,
    ROUNDING_US,
    UNSTATED,
    Collector,
    Times,
)

_COMMENT = re.compile(r"^\s*#\s*(.*)")
_DATATYPE = re.compile(r"Datatype: MPI_(\w+)")
_PAIRS = re.compile(r"\[ pairs: (\d+) \]")
_INIT = re.compile(r"nprocs: (\S+), min: (\S+) ms, max: (\S+) ms, avg: (\S+) ms")

_COUNTS = ("size", "repetitions", "sent")
_NUMBERS = ("time", "pure", "min", "max", "rate")
_PAYLOADS = {"CHAR": "bytes", "BYTE": "bytes", "DOUBLE": "float64", "FLOAT": "float32", "INT": "int32"}

# What the time of a table is, by its title, after the programs' source (7.4, in C and in Python). Every rank of a
# collective takes its own mean over the iterations, and "Avg Latency" is the mean of those; with -f "Max Latency" is
# the largest of them. Point to point and one-sided, only the rank that sends takes the time.
_STATISTICS = (
    (re.compile(r" Multi Latency", re.I), MEAN_OVER_PAIRS),
    (re.compile(r"Barrier|Broadcast|Bcast|Reduce|Gather|Scatter|All-?to-?All|Init$", re.I), MEAN_OVER_RANKS),
    (re.compile(r"^MPI(?:-\w+)? (?:Multi-\w+ )?Latency|^MPI_\w+ latency", re.I), ONE_RANK),
)

_WINDOW_NOTE = (
    "{} does not print the window of its bandwidth tests (-W): its usual 64 messages, which are ours too, are assumed."
)


@dataclass(frozen=True)
class Title:
    """What the title line of a table says."""

    tool: str
    benchmark: str  # our name, or the tool's own
    mode: str
    payload: str  # what is sent unless the output names a datatype
    statistic: str  # what the table's time is (`rows`)
    ranks: int | None = None


@dataclass
class _Table:
    line: int
    title: Title
    payload: str
    ranks: int | None
    details: list[str]
    unfinished: int | None  # number of the line that the file may end in the middle of
    columns: list[str] = field(default_factory=list)
    model: str = ""  # the heading, or the row before: what a whole row is as wide as
    rows: int = 0


def statistic_of(name: str) -> str:
    """What the time in a table of this title is; of the names in :mod:`polympi.lab.importers.rows`."""
    return next((statistic for pattern, statistic in _STATISTICS if pattern.search(name)), UNSTATED)


def read_tables(text: str, collector: Collector, parse_title: Callable[[str], Title | None]) -> None:
    """Read all tables of what programs printed, with other lines between; `parse_title` returns a title, if any."""
    table: _Table | None = None
    workers: list[str] = []  # of the table whose heading comes next
    unfinished = unfinished_line(text)
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        title = parse_title(line)
        comment = _COMMENT.match(line)
        said = comment[1] if comment else line.strip()
        if title:
            _close(table, collector)
            table = _Table(number, title, title.payload, title.ranks, [], unfinished)
        elif side := workers_of(said):
            workers.append(side)
        elif table is None:
            collector.notes.stray(number)
        elif columns := columns_of(said):
            _read_heading(line, columns, workers, table, collector)
            workers = []
        elif comment:
            _read_comment(number, said, table, collector)
        elif not _read_row(number, line, table, collector):
            collector.notes.stray(number)
    _close(table, collector)


def _close(table: _Table | None, collector: Collector) -> None:
    if table is None:
        return
    if not table.rows:
        collector.notes.sentence(f"Line {table.line}: the table of {table.title.benchmark} has no figures.")
    elif table.title.benchmark in ("bandwidth", "bibandwidth"):
        collector.notes.sentence(_WINDOW_NOTE.format(collector.tool))


def _read_heading(line: str, columns: list[str], workers: list[str], table: _Table, collector: Collector) -> None:
    table.columns = columns
    table.model = line
    table.details += workers
    if unread := unread_columns(columns):
        collector.notes.columns(unread, table.title.benchmark)


def _read_comment(number: int, comment: str, table: _Table, collector: Collector) -> None:
    """Apply a comment's settings; unknown ones are reported, and kept if above the rows."""
    if is_harmless(comment):
        return
    if datatype := _DATATYPE.search(comment):
        table.payload = _payload(datatype[1], table.title.benchmark)
        return
    if pairs := _PAIRS.search(comment):
        count = as_ranks(pairs[1])
        table.ranks = 2 * count if count else None
    known = settings_of(comment)
    table.details += known
    if not known and not pairs:
        collector.notes.unread(number, comment)
        table.details += [comment] if is_setting(comment) and not table.rows else []


def _payload(datatype: str, benchmark: str) -> str:
    """Our payload for a datatype; characters are bytes, but not where they are summed up."""
    if datatype in ("CHAR", "BYTE") and "reduce" in benchmark.lower():
        return datatype.lower()
    return _PAYLOADS.get(datatype, datatype.lower())


def _read_row(number: int, line: str, table: _Table, collector: Collector) -> bool:
    if init := _INIT.fullmatch(line.strip()):
        _read_startup(number, init, table, collector)
        return True
    tokens = line.split()
    if not table.columns or not _begins_row(tokens[0], table.columns):
        return False
    table.rows += 1
    cells = dict(zip(table.columns, tokens, strict=False))
    whole = _is_whole(number, line, cells, table, collector)
    table.model = line
    if not whole:
        return True
    numbers = {name: as_number(cells[name]) for name in _NUMBERS if name in cells}
    counts = {name: as_count(cells[name]) for name in _COUNTS if name in cells}
    title = table.title
    collector.row(
        number,
        tool=title.tool,
        benchmark=title.benchmark,
        mode=mode_of(title.mode, table.details),
        payload=f"derived {table.payload}" if "sent" in cells else table.payload,
        size_bytes=counts.get("size") or 0,
        sent_bytes=counts.get("sent"),
        ranks=table.ranks,
        times=_times(number, numbers, table, collector),
        mb_per_s=numbers.get("rate"),
        repetitions=counts.get("repetitions"),
    )
    return True


def _times(number: int, numbers: dict[str, float | None], table: _Table, collector: Collector) -> Times:
    low, high, time = numbers.get("min"), numbers.get("max"), numbers.get("time", numbers.get("pure"))
    if "max" not in numbers:
        mean = time if table.title.statistic == MEAN_OVER_RANKS else None
        return Times(figure=time, statistic=table.title.statistic, mean=mean, low=low)
    # The time next to the extremes is the mean of the same ranks, but "pure communication" is not in every version.
    apart = time and low and high and not low - ROUNDING_US <= time <= high + ROUNDING_US
    if "pure" in numbers and apart:
        reason = "its pure communication is not between minimum and maximum, and is left empty"
        collector.notes.row(Fate.INCOMPLETE, number, table.title.benchmark, reason)
        time = None
    return Times(statistic=table.title.statistic, mean=time, low=low, high=high)


def _begins_row(token: str, columns: list[str]) -> bool:
    """Whether a line that begins with this is meant as a row: a size, or a figure in a table without sizes."""
    return as_count(token) is not None if columns[0] == "size" else token[:1].isdigit() or token[:1] in "+-."


def _read_startup(number: int, init: re.Match[str], table: _Table, collector: Collector) -> None:
    table.rows += 1
    title, ranks = table.title, as_ranks(init[1])
    values = [as_number(v) for v in init.groups()[1:]]
    low, high, mean = (1000 * v if v is not None else None for v in values)
    if ranks is None or None in values:
        collector.notes.row(Fate.LEFT_OUT, number, title.benchmark, "a value is not a number", example=init[0])
        return
    collector.row(
        number,
        tool=title.tool,
        benchmark=title.benchmark,
        mode=title.mode,
        payload=title.payload,
        size_bytes=0,
        ranks=ranks,
        times=Times(mean=mean, low=low, high=high),
    )


def _is_whole(number: int, line: str, cells: dict[str, str], table: _Table, collector: Collector) -> bool:
    """Whether a row can be kept; a note says why not, or what of it was not read."""
    size = as_count(cells["size"]) if "size" in cells else None
    tokens = line.split()
    strange = _no_numbers(tokens, cells)
    missing = len(table.columns) - len(tokens)
    example, fate = None, Fate.LEFT_OUT
    if number == table.unfinished and is_cut(line, table.model):
        reason = "the file ends in the middle of it"
    elif "Fail" in tokens:  # the heading may not name the verdict
        reason = "the tool found its data wrong"
    elif strange:
        reason, example = "a value is not a number", strange[0]
    elif missing > 0:
        reason = f"{missing} of {len(table.columns)} values are missing"
        fate = Fate.INCOMPLETE if {"time", "pure", "rate"} & set(cells) else Fate.LEFT_OUT
    elif missing < 0:
        reason = f"of {len(tokens)} values the heading names only {len(table.columns)}, and those are imported"
        fate = Fate.INCOMPLETE
    else:
        return True
    collector.notes.row(fate, number, table.title.benchmark, reason, size_bytes=size, example=example)
    return fate is Fate.INCOMPLETE


def _no_numbers(tokens: list[str], cells: dict[str, str]) -> list[str]:
    """The values of a row that should be numbers and are not, those without a name among them."""
    counts = [cells[n] for n in _COUNTS if n in cells and as_count(cells[n]) is None]
    numbers = [t for n, t in cells.items() if n not in _COUNTS and n != "validation"] + tokens[len(cells) :]
    return counts + [t for t in numbers if as_number(t) is None and t != "Pass"]
