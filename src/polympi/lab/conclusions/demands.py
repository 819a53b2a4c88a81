"""What a binding asks of MPI, and what its time consists of, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polympi.lab.audit.procedures import plain
from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.conclusions.order import is_arm_of_c
from polympi.lab.conclusions.phrases import count, duration, percent, signed, size_words
from polympi.lab.conclusions.rows import SMALL
from polympi.lab.demand.split import MULTIPLE, POLLING, Split, splits_of
from polympi.lab.demands import Demand, RankDemand
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.model import Analysis

# What `Split.parts` are.
PARTS = {
    "mpi": "MPI",
    "extra": "what it sends in addition",
    "rest": "its own work (language, checks, copies, serialisation)",
}
WAYS = {POLLING: "it polls, as c-spin does", MULTIPLE: "MPI_THREAD_MULTIPLE, as c-multiple"}


def calls_words(rank: RankDemand) -> str:
    """The calls of an iteration: ``Send + Mprobe + Get_count + Mrecv``, ``64 × Isend + Waitall``."""
    named: dict[str, float] = {}
    for name, number in rank.calls.items():
        short = plain(name).removeprefix("MPI_")
        named[short] = named.get(short, 0.0) + number
    calls = [name if number == 1 else f"{_number(number)} × {name}" for name, number in named.items()]
    return " + ".join(calls) or "none"


def calls_of_ranks(demand: Demand) -> str:
    """The calls of an iteration on all ranks, once if they are the same in whatever order."""
    first, *others = demand.ranks
    if all(one.calls == first.calls for one in others):
        return calls_words(first)
    return f"rank 0: {calls_words(first)}; others: {calls_words(others[0])}"


def sent_words(demand: Demand, of_c: Demand) -> str:
    """What is sent for what C sends: ``2 messages, 181 bytes for 8``; of collectives the bytes of each call."""
    ours, theirs = of_c.messages, demand.messages
    number = sum(ours.values())
    if not BENCHMARKS[demand.benchmark].messages:
        return _collective_words(demand)
    if not number:
        return ""
    messages, volume = (one / number for one in _sums(theirs))
    many = count(1, "message") if messages == 1 else f"{_number(messages)} messages"
    volume_of_c = _sums(ours)[1] / number
    return f"{many}, {_number(volume)} bytes" + (f" for {_number(volume_of_c)}" if volume != volume_of_c else "")


def _collective_words(demand: Demand) -> str:
    given: dict[str, float] = {}
    for rank in demand.ranks:
        for name, number in rank.collective_bytes.items():
            short = plain(name).removeprefix("MPI_")
            given[short] = max(given.get(short, 0.0), number)
    words = [f"{_number(number)} bytes in {name}" for name, number in given.items()]
    messages, volume = _sums(demand.messages)
    if messages:
        words.append(f"{_number(messages)} messages with {_number(volume)} bytes")
    return ", ".join(words) or "nothing: through memory that ranks share" * (not any(r.calls for r in demand.ranks))


def _sums(messages: Mapping[int, float]) -> tuple[float, float]:
    return sum(messages.values()), sum(size * number for size, number in messages.items())


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def split_sentence(split: Split) -> str:
    """The largest part of an operation's time, and the others; or that nothing but MPI's is separated."""
    case, parts = split.case, split.parts
    mpi = f"{duration(split.mpi_ns)} that {'C' if split.like == REFERENCE else split.like} takes"
    head = f"Of the {duration(split.binding_ns)} that {_thing(case)} takes"
    if split.rest_interval is None:
        return f"{head}, its parts are unknown: fewer than six blocks were measured."
    if not split.separated:
        ends = f"{signed(split.rest_interval.low)} to {signed(split.rest_interval.high)}"
        return f"{head}, the largest part is MPI: its own work isn't separated from the {mpi} ({ends})."
    share = percent(parts[split.largest] / split.binding_ns)
    largest = f"the largest part is {PARTS[split.largest]}: {duration(parts[split.largest])} ({share})"
    others = [
        f"{PARTS[name].partition(' (')[0]} {signed(value)}"
        for name, value in parts.items()
        if name != split.largest and abs(value) >= 0.01 * split.binding_ns
    ]
    return f"{head}, {largest}{'; ' if others else ''}{', '.join(others)}."


def _thing(case: Case) -> str:
    kind = "" if case.payload in ("bytes", "none") else f" ({case.payload})"
    size = f" of {size_words(case)}" if case.size_bytes else ""
    return f"{'a message' if BENCHMARKS[case.benchmark].messages else case.benchmark}{kind}{size}"


def typical_split(splits: Sequence[Split]) -> Split | None:
    """The split that stands for a binding: of the smallest message of some bytes in the first ping-pong that it has."""
    ping_pong = [one for one in splits if one.case.benchmark == "latency" and one.case.mode == "standard"]
    small = [one for one in ping_pong if 0 < one.case.size_bytes <= SMALL] or ping_pong or list(splits)
    order = ("bytes", "dict", "int", "array", "float64")

    def rank(one: Split) -> tuple[int, bool, int]:
        payload = one.case.payload
        return order.index(payload) if payload in order else len(order), one.case.size_bytes < 8, one.case.size_bytes

    return min(small, key=rank, default=None)


def splits(analysis: Analysis) -> list[Split]:
    """The splits of all bindings of a run; arms of C have none."""
    names = dict.fromkeys(demand.binding for demand in analysis.demands)
    return splits_of(analysis, [name for name in names if not is_arm_of_c(name)])
