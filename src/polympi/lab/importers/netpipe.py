"""Reads the data files of NetPIPE 3 and 5 (``np.out``): tables of numbers without any heading.

NetPIPE 3: ``bytes  Mbps  seconds``, where a megabit is 2^20 bits.
NetPIPE 5: ``bytes  average  minimum  maximum Gbps  average_us``, where a gigabit is 10^9 bits; a workload may follow.
"""

from __future__ import annotations

from polympi.lab.importers.lines import as_count, as_number, numbered_lines
from polympi.lab.importers.rows import Collector, Imported

TOOL = "NetPIPE"

MEGABITS_TO_MB = 2**20 / 8 / 1e6  # NetPIPE 3
GIGABITS_TO_MB = 1e9 / 8 / 1e6  # NetPIPE 5

_OPTIONS_NOTE = (
    "NetPIPE's file does not name the options it was made with: the rows are taken as a ping-pong in one direction "
    "at a time (no -2, -s, --bidir, --stream)."
)


def version_of(text: str) -> int | None:
    """3 or 5 if most lines are rows of that version's file, else None."""
    lines = [line for _, line in numbered_lines(text) if line.strip()]
    for version, parse in ((3, _row_of_3), (5, _row_of_5)):
        if lines and sum(parse(line) is not None for line in lines) > len(lines) / 2:
            return version
    return None


def is_terminal_output(text: str) -> bool:
    """Whether the text is what NetPIPE prints to the terminal, which has fewer digits than the file it writes."""
    return " times -->" in text and "bps in" in text


def read_netpipe(text: str, source: str) -> Imported:
    """Rows of a NetPIPE data file.

    Args:
        text: the file.
        source: name of the file, for the rows.
    """
    collector = Collector(TOOL, source)
    version = version_of(text)
    if version:
        collector.note(_OPTIONS_NOTE)
    pairs = _pairs(text) if version == 5 else 1
    for number, line in numbered_lines(text):
        row = _row_of_3(line) if version == 3 else _row_of_5(line)
        if row:
            size, mb_per_s, time_us = row
            collector.row(
                number,
                tool=f"{TOOL} {version}",
                benchmark="latency" if pairs == 1 else f"ping-pong of {pairs} pairs",
                mode="standard",
                payload="bytes",
                size_bytes=size,
                ranks=2 * pairs,
                time_us=time_us,
                mb_per_s=mb_per_s,
            )
        elif line.strip():
            collector.stray(number)
    return collector.imported()


def _row_of_3(line: str) -> tuple[int, float, float] | None:
    """Size, MB/s and us of a row of NetPIPE 3; None if it is none.

    Any three numbers could be a row; in a true one the rate is size over time, within what eight printed decimals
    of the seconds allow.
    """
    tokens = line.split()
    if len(tokens) != 3:
        return None
    size, megabits, seconds = as_count(tokens[0]), as_number(tokens[1]), as_number(tokens[2])
    if not size or not megabits or seconds is None or megabits < 0:
        return None
    expected = size * 8 / 2**20 / megabits
    if abs(seconds - expected) > 1e-8 + 1e-3 * expected:
        return None
    return size, megabits * MEGABITS_TO_MB, seconds * 1e6


def _row_of_5(line: str) -> tuple[int, float, float] | None:
    """Size, MB/s and us of a row of NetPIPE 5; None if it is none (the average lies between the extremes)."""
    tokens = line.split()
    if len(tokens) not in (5, 7):  # 7: with a workload and its unit
        return None
    size = as_count(tokens[0])
    average, low, high, time_us = (as_number(t) for t in tokens[1:5])
    if not size or average is None or low is None or high is None or not time_us:
        return None
    if not 0 <= low <= average <= high or time_us < 0:
        return None
    return size, average * GIGABITS_TO_MB, time_us


def _pairs(text: str) -> int:
    """Pairs of processes that sent at the same time: the printed rate is that of all pairs, the time that of one."""
    rows = [row for _, line in numbered_lines(text) if (row := _row_of_5(line))]
    size, mb_per_s, time_us = max(rows)  # the largest message has the most digits
    return max(1, round(mb_per_s * time_us / size))
