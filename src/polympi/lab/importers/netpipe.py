"""The data files of NetPIPE 3 and 5 (``np.out``), tables of numbers without a heading; the options it was called with.

NetPIPE 3: ``bytes  Mbps  seconds``, where a megabit is 2^20 bits.
NetPIPE 5: ``bytes  average  minimum  maximum Gbps  average_us``, where a gigabit is 10^9 bits; a workload may follow.
"""

import getopt
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from polympi.lab.errors import UsageError
from polympi.lab.importers.lines import as_count, as_number, numbered_lines, unfinished_line
from polympi.lab.importers.notes import Fate
from polympi.lab.importers.rows import MEAN_OVER_TRIALS, MIN_OVER_TRIALS, UNSTATED, Collector, Imported, Times

TOOL = "NetPIPE"

# After the manual of NetPIPE 3.7 and the source of 3.7 and 5. A colon: a value follows.
_SHORT = "aBfgiIrsSXz2b:h:l:n:o:O:p:u:"
_LONG = (
    *("async", "asynchronous", "bidir", "bidirectional", "burst", "cache", "inval", "nocache", "stream", "sync"),
    *("syncSend", "anysource", "quick", "quicker", "quickest", "fac2", "factorsof2", "printhostnames"),
    *("start=", "end=", "o=", "outfile=", "pert=", "perturbation=", "soffset=", "send_offset=", "roffset="),
    *("recv_offset=", "repeats=", "trials="),
)
_MODES = {
    option: words
    for words, options in {
        "synchronous": "-S --sync --syncSend",
        "receives posted ahead": "-a --async --asynchronous",
        "burst": "-B --burst",
        "out of cache": "-I --inval --nocache",
        "streaming": "-s --stream",
        "bidirectional": "-2 --bidir --bidirectional",
        "any source": "-z --anysource",
        "one-sided with fence": "-f",
        "one-sided with MPI_Get": "-g",
    }.items()
    for option in options.split()
}
_OURS = {"standard", "synchronous"}  # modes of our latency; the others measure something else


@dataclass(frozen=True)
class NetPipeOptions:
    """How NetPIPE was called, as far as it matters for what its figures mean."""

    benchmark: str = TOOL  # `latency` if it was the ping-pong that ours is, else the tool's name
    mode: str = UNSTATED  # our mode, or the tool's options in words; `unstated` if nobody said
    text: str | None = None  # the options as they were given; None if nobody said


def parse_netpipe_options(text: str | None) -> NetPipeOptions:
    """Options of NetPIPE 3 or 5 as on its command line, such as ``-S -I``; None if they are not known."""
    if text is None:
        return NetPipeOptions()
    try:
        given, rest = getopt.gnu_getopt(shlex.split(text), _SHORT, list(_LONG))
    except (getopt.GetoptError, ValueError):
        given, rest = [], [text]
    if rest:
        raise UsageError(
            f"'{text}' are not options of NetPIPE: write them as on its command line, such as "
            "--netpipe-options '-S -I'."
        )
    modes = list(dict.fromkeys(_MODES[name] for name, _ in given if name in _MODES)) or ["standard"]
    return NetPipeOptions("latency" if _OURS.issuperset(modes) else TOOL, ", ".join(modes), text.strip() or None)


MEGABITS_TO_MB = 2**20 / 8 / 1e6  # NetPIPE 3
GIGABITS_TO_MB = 1e9 / 8 / 1e6  # NetPIPE 5

_Row = tuple[int, float, float]

_MOST_PAIRS = 2**30  # ranks are counted in a C int; more is a damaged row

_OPTIONS_NOTE = (
    "NetPIPE's file does not name the options it was made with, so that the mode of its rows is 'unstated': "
    "give them as --netpipe-options '-S -I', or '' if there were none."
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


def read_netpipe(text: str, source: str, options: NetPipeOptions | None = None) -> Imported:
    """Rows of a NetPIPE data file.

    NetPIPE 3 prints the shortest of its trials, NetPIPE 5 their mean.
    """
    collector = Collector(TOOL, source)
    version = version_of(text) or 3
    parse, statistic = (_row_of_3, MIN_OVER_TRIALS) if version == 3 else (_row_of_5, MEAN_OVER_TRIALS)
    called = options or NetPipeOptions()
    pairs = _pairs(text) if version == 5 and called.mode != "bidirectional" else 1
    benchmark = called.benchmark if pairs == 1 else f"ping-pong of {pairs} pairs"
    cut = _cut_row(text, parse)
    for number, line in numbered_lines(text):
        row = parse(line)
        if row is None:
            if line.strip():
                collector.notes.stray(number)
            continue
        size, mb_per_s, time_us = row
        if number == cut:
            collector.notes.row(Fate.LEFT_OUT, number, TOOL, "the file ends in the middle of it", size_bytes=size)
            continue
        collector.row(
            number,
            tool=f"{TOOL} {version}",
            benchmark=benchmark,
            mode=called.mode,
            payload="bytes",
            size_bytes=size,
            ranks=2 * pairs,
            times=Times(figure=time_us, statistic=statistic),
            mb_per_s=mb_per_s,
            options=called.text,
        )
    if called.mode == UNSTATED:
        collector.notes.sentence(_OPTIONS_NOTE)
    return collector.imported()


def _cut_row(text: str, parse: Callable[[str], _Row | None]) -> int | None:
    """Number of the last line if it lacks its end: the last value of every whole row has as many decimals."""
    rows = [(number, _last_decimals(line)) for number, line in numbered_lines(text) if parse(line)]
    if len(rows) < 2 or rows[-1][0] != unfinished_line(text) or rows[-1][1] >= rows[0][1]:
        return None
    return rows[-1][0]


def _last_decimals(line: str) -> int:
    return len(line.rsplit(maxsplit=1)[-1].partition(".")[2])


def _row_of_3(line: str) -> _Row | None:
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


def _row_of_5(line: str) -> _Row | None:
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
    pairs = mb_per_s * time_us / size
    return round(pairs) if 1 < pairs < _MOST_PAIRS else 1
