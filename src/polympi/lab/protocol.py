"""Read what a program wrote: the samples of one launch (``docs/protocol.md``)."""

import re
from dataclasses import dataclass, field

from polympi.lab.records import RankPlace

SAMPLES_VERSION = "2"


# The records after the first line, as docs/protocol.md has them.
_FORMS = {
    "binding": "binding NAME",
    "mpi": "mpi TEXT",
    "ranks": "ranks N",
    "threads": "threads LEVEL",
    "clock": "clock RESOLUTION COST",
    "host": "host NAME",
    "startup": "startup READY IMPORT INIT",
    "memory": "memory PSS RSS [MEAN]",
    "start": "start COST ERROR",
    "pages": "pages HUGE TOTAL",
    "place": "place RANK CPUS HOST",
    "case": "case ID",
    "valid": "valid ID ok|failed TEXT",
    "skip": "skip ID TEXT",
    "repeated": "repeated ID COUNT",
    "batch": "batch ID NS...",
    "event": "event ID NS...",
    "communication": "communication ID NS...",
    "clocks": "clocks ERROR",
    "end": "end",
}
_TIMES = {"batch": "batches", "event": "events", "communication": "communication"}  # by the record: the attribute
_NO_NUMBER = re.compile(
    r"invalid literal for int\(\) with base 10: (?P<text>.*)|could not convert string to float: (?P<real>.*)"
)


class ProtocolError(Exception):
    """The samples break the protocol; the text says in which line and how."""


@dataclass
class LaunchSamples:
    """The records of one launch, as far as they were written."""

    binding: str = ""
    library: str = ""
    ranks: int = 0
    threads: str = ""
    clock_resolution_ns: int = 0
    clock_cost_ns: float = 0.0
    host: str = ""
    ready_ns: int = 0  # when the last rank had left the first barrier, on the clock of rank 0
    ready_error_ns: int = 0  # how much that may be wrong, since other hosts have other clocks
    import_ns: int = 0
    init_ns: int = 0
    pss_bytes: int = 0
    rss_bytes: int = 0
    pss_mean_bytes: int = 0
    start_cost_ns: int = 0
    clock_error_ns: int = 0
    huge_bytes: int = 0
    buffer_bytes: int = 0
    # Where each rank ran, in their order; empty if the program does not tell.
    places: list[RankPlace] = field(default_factory=list)
    batches: dict[int, list[int]] = field(default_factory=dict)  # times in ns of the batches, by the number of the case
    events: dict[int, list[int]] = field(default_factory=dict)  # times in ns of the single events, likewise
    # Of the batches of an application, the times in ns that rank 0 spent in calls of communication.
    communication: dict[int, list[int]] = field(default_factory=dict)
    valid: set[int] = field(default_factory=set)  # cases that passed the validation
    invalid: dict[int, str] = field(default_factory=dict)  # cases that failed it, and how
    skipped: dict[int, str] = field(default_factory=dict)  # cases that the program could not run, and why
    # Calls that were repeated because a rank was late for the common start, by the number of the case.
    repeated: dict[int, int] = field(default_factory=dict)
    last_case: int | None = None  # the case that was in progress or done last
    complete: bool = False  # whether the program reached the end of the plan


def read_samples(text: str, known_cases: frozenset[int]) -> LaunchSamples:
    """Read the samples of a launch, finished or cut short; ProtocolError if a line or its numbers make no sense."""
    samples = LaunchSamples()
    lines = text.split("\n")[:-1]
    for number, line in enumerate(lines, start=1):
        if samples.complete:
            raise ProtocolError(f"line {number} comes after 'end'")
        try:
            _read_line(samples, line, number, known_cases)
        except (ValueError, IndexError) as error:
            shown = line if len(line) <= 60 else line[:57] + "..."
            form = _FORMS.get(line.partition(" ")[0]) if number > 1 else None
            expected = f"; it has the form '{form}'" if form else ""
            raise ProtocolError(f"line {number} cannot be read ({_in_words(error)}): '{shown}'{expected}") from None
    return samples


def _in_words(error: Exception) -> str:
    """What is wrong with a line, without the words of Python."""
    if isinstance(error, IndexError):
        return "a field is missing"
    if found := _NO_NUMBER.fullmatch(str(error)):
        return f"{found['text'] or found['real']} is not a number"
    return str(error)


def _read_line(samples: LaunchSamples, line: str, number: int, known_cases: frozenset[int]) -> None:
    keyword, _, rest = line.partition(" ")
    fields = rest.split(" ")
    if number == 1:
        if keyword != "polympi-samples" or rest != SAMPLES_VERSION:
            raise ValueError(f"the first line must be 'polympi-samples {SAMPLES_VERSION}'")
    elif keyword in ("binding", "threads", "host"):
        setattr(samples, keyword, rest)
    elif keyword == "mpi":
        samples.library = rest
    elif keyword in ("ranks", "clocks"):
        setattr(samples, {"ranks": "ranks", "clocks": "clock_error_ns"}[keyword], _natural(int(rest)))
    elif keyword == "clock":
        samples.clock_resolution_ns, samples.clock_cost_ns = _natural(int(fields[0])), _not_negative(float(fields[1]))
    elif keyword == "startup":
        samples.ready_ns, samples.import_ns, samples.init_ns = _naturals(fields, 3)
    elif keyword == "memory":
        mean = fields.pop() if len(fields) == 3 else "0"  # the mean is new: a program need not tell it
        samples.pss_bytes, samples.rss_bytes, samples.pss_mean_bytes = _naturals([*fields, mean], 3)
    elif keyword == "start":
        samples.start_cost_ns, samples.ready_error_ns = _naturals(fields, 2)
        samples.clock_error_ns = samples.ready_error_ns  # as long as no later word is about it
    elif keyword == "pages":
        samples.huge_bytes, samples.buffer_bytes = _naturals(fields, 2)
    else:
        _read_later_line(samples, line, keyword, fields, known_cases)


def _read_later_line(
    samples: LaunchSamples, line: str, keyword: str, fields: list[str], known_cases: frozenset[int]
) -> None:
    """Read what there may be several of, and the end."""
    if keyword == "place":
        if int(fields[0]) != len(samples.places):
            raise ValueError(f"rank {len(samples.places)} comes next")
        samples.places.append(RankPlace(host=" ".join(fields[2:]), cpus=fields[1]))
    elif line == "end":
        samples.complete = True
    else:
        _read_case_line(samples, keyword, fields, known_cases)


def _read_case_line(samples: LaunchSamples, keyword: str, fields: list[str], known_cases: frozenset[int]) -> None:
    if keyword == "end":
        raise ValueError("nothing follows on it")
    if keyword not in ("case", "valid", "skip", "repeated", *_TIMES):
        raise ValueError(f"there is no record '{keyword}'" if keyword else "it is empty")
    case = int(fields[0])
    if case not in known_cases:
        raise ValueError(f"case {case} is not in the plan")
    if keyword == "case":
        samples.last_case = case
    elif keyword == "skip":
        samples.skipped[case] = " ".join(fields[1:])
    elif keyword == "repeated":
        samples.repeated[case] = _natural(int(fields[1]))
    elif keyword == "valid":
        if fields[1] not in ("ok", "failed"):
            raise ValueError(f"'{fields[1]}' is neither 'ok' nor 'failed'")
        if fields[1] == "ok":
            samples.valid.add(case)
        else:
            samples.invalid[case] = " ".join(fields[2:])
    else:
        times: dict[int, list[int]] = getattr(samples, _TIMES[keyword])
        if case in times:
            raise ValueError(f"a second '{keyword}' of case {case}")
        times[case] = _naturals(fields[1:], None)


def _naturals(fields: list[str], count: int | None) -> list[int]:
    numbers = [int(f) for f in fields if f]
    if count is not None and len(numbers) != count:
        raise ValueError(f"{count} numbers expected")
    return [_natural(n) for n in numbers]


def _natural(number: int) -> int:
    if not 0 <= number < 2**63:  # what the samples are kept in
        raise ValueError("a number is negative or too large")
    return number


def _not_negative(number: float) -> float:
    if not 0 <= number < float("inf"):
        raise ValueError("a number is negative or not finite")
    return number
