"""Three short sentences on a binding: small messages; large messages and objects; collectives and start-up."""

from collections.abc import Callable, Sequence
from statistics import median

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.overview import LARGEST_OBJECT, OBJECTS
from polympi.lab.conclusions.phrases import count, duration, listing, percent, sentence, signed, size_words, times, verb
from polympi.lab.conclusions.rows import SMALL, Row, by_family, example_size
from polympi.lab.units import format_size

NOTHING = (
    "Small messages were not compared with C.",
    "Large messages and objects were not compared with C.",
    "Collectives and start-up were not compared with C.",
)
_PLAIN = ("bytes", "none")  # payloads that a sentence need not name


def brief(rows: Sequence[Row]) -> tuple[str, str, str]:
    """Three sentences on a binding's cost: small messages; large ones, bandwidth, objects; collectives and start-up."""
    said = (small_sentence(rows), large_sentence(rows), calls_sentence(rows))
    small, large, calls = (text or nothing for text, nothing in zip(said, NOTHING, strict=True))
    return small, large, calls


def first_of(rows: Sequence[Row]) -> str:
    """The first of the three sentences that has something to say; empty if none has."""
    return next(filter(None, (make(rows) for make in (small_sentence, large_sentence, calls_sentence))), "")


def small_sentence(rows: Sequence[Row]) -> str:
    """What a message of up to 1 KiB costs over C; empty if there is none."""
    messages = ping_pong(rows)
    small = [row for row in messages if row.size_bytes <= SMALL]
    if not small:
        return ""
    judged = [row for row in small if row.judged]
    thing = "message" if small[0].payload in _PLAIN else f"message ({small[0].payload})"
    if not judged:
        few = [row for row in small if row.verdict == "too few launches"]
        if not few:
            return ""
        launches = count(max(row.launches for row in few), "launch")
        return f"A small {thing} cannot be judged: {launches} where an interval needs six."
    example = next(row for row in judged if row.size_bytes == example_size(row.size_bytes for row in judged))
    last = size_words(judged[-1])
    quoted = f"{times(example.ratio)} at {size_words(example)}" if len(judged) > 1 else times(example.ratio)
    reach = f"of up to {last}" if len(judged) > 1 else f"of {last}"
    verdicts = {row.verdict for row in judged if row.separated}
    if not verdicts:
        return f"A {thing} {reach} is not separated from C ({quoted})."
    if len(verdicts) == 1 and all(row.separated for row in judged):
        middle = median(row.delta for row in judged)
        return f"A {thing} {reach} takes {duration(middle)} {'more' if middle >= 0 else 'less'} than in C ({quoted})."
    counted = _tally(judged, lambda rows: f"by {duration(median(row.delta for row in rows))}")
    return f"Of {len(judged)} sizes up to {last}, {counted} ({quoted})."


def large_sentence(rows: Sequence[Row]) -> str:
    """What the largest message, its bandwidth, and objects cost over C; empty if none was compared."""
    clauses = [_large_message(rows), _bandwidth(rows), _objects(rows)]
    said = "; ".join(filter(None, clauses))
    return sentence(said[0].upper() + said[1:]) if said else ""


def calls_sentence(rows: Sequence[Row]) -> str:
    """What collectives of a small message, and the way to the first barrier, cost over C; empty if unknown."""
    said = "; ".join(filter(None, (_collectives(rows), _startup(rows))))
    return sentence(said[0].upper() + said[1:]) if said else ""


def ping_pong(rows: Sequence[Row]) -> list[Row]:
    """The rows of the main payload of the standard ping-pong, sizes ascending; kinds of objects are separate."""
    families = {f: r for f, r in by_family(rows).items() if f.benchmark == "latency" and f.mode == "standard"}
    return max((r for f, r in families.items() if f.payload not in OBJECTS), key=len, default=[])


def _large_message(rows: Sequence[Row]) -> str:
    judged = [row for row in ping_pong(rows) if row.judged]
    large = [row for row in judged if row.size_bytes > SMALL]
    if not large:
        return ""
    last = large[-1]
    if last.separated:
        return f"at {size_words(last)} a message takes {times(last.ratio)} C ({signed(last.delta)})"
    after = max((index for index, row in enumerate(large) if row.separated), default=-1) + 1
    if after == len(large) - 1:
        return f"at {size_words(last)} a message is not separated from C ({times(last.ratio)})"
    first, ratio = size_words(large[after]), f"{times(last.ratio)} at {size_words(last)}"
    return f"from {first} on a message is not separated from C ({ratio})"


def _bandwidth(rows: Sequence[Row]) -> str:
    families = [r for f, r in by_family(rows).items() if f.benchmark == "bandwidth"]
    judged = [row for row in max(families, key=len, default=[]) if row.judged and row.size_bytes]
    if not judged:
        return ""
    last = judged[-1]
    where = f"bandwidth at {size_words(last)} is"
    # The same bytes travel in both, so that the share is the inverse of the ratio of times.
    return f"{where} {percent(1.0 / last.ratio)} of C's" if last.separated else f"{where} not separated from C's"


def _objects(rows: Sequence[Row]) -> str:
    """A dict, and an array of up to 64 KiB."""
    standard = [row for row in rows if row.benchmark == "latency" and row.mode == "standard" and row.judged]
    small_dict = [row for row in standard if row.payload == "dict"]
    arrays = [row for row in standard if row.payload == "array" and row.size_bytes <= LARGEST_OBJECT]
    chosen = {f"a dict of {size_words(row)}": row for row in small_dict}
    if arrays:
        largest = max(arrays, key=lambda row: row.size_bytes)
        chosen[f"an array of {size_words(largest)}"] = largest
    costs = [f"{thing} takes {times(row.ratio)} C" for thing, row in chosen.items() if row.separated]
    others = [thing for thing, row in chosen.items() if not row.separated]
    rest = f"{listing(others)} {verb(len(others), 'is', 'are')} not separated from C" if others else ""
    return ", ".join(filter(None, (*costs, rest)))


def _collectives(rows: Sequence[Row]) -> str:
    """How many collectives of a small message are slower than C, and how much."""
    longest: dict[str, list[Row]] = {}
    for family, members in by_family(rows).items():
        benchmark = BENCHMARKS[family.benchmark]
        if benchmark.collective and not benchmark.launch_figure:
            longest[family.benchmark] = max(longest.get(family.benchmark, []), members, key=len)
    judged = [row for row in map(_small_example, longest.values()) if row is not None]
    if not judged:
        return ""
    if len(judged) == 1:
        only = judged[0]
        if only.separated:
            return f"the collective {only.family.title} takes {times(only.ratio)} C ({signed(only.delta)})"
        return f"the collective {only.family.title} is not separated from C"
    sizes = {row.size_bytes for row in judged if row.size_bytes}
    where = f" at {format_size(next(iter(sizes)))}" if len(sizes) == 1 else ""
    verdicts = {row.verdict if row.separated else "not separated" for row in judged}
    if len(verdicts) == 1:
        how = f"{verdicts.pop()} than C ({_factors(judged)})" if judged[0].separated else "not separated from C"
        return f"all {len(judged)} collectives{where} are {how}"
    return f"of {len(judged)} collectives{where}, {_tally(judged, _factors)}"


def _small_example(members: Sequence[Row]) -> Row | None:
    judged = [row for row in members if row.judged]
    small = [row for row in judged if row.size_bytes] or judged
    if not small:
        return None
    size = example_size(row.size_bytes for row in small)
    return next(row for row in small if row.size_bytes == size)


def _startup(rows: Sequence[Row]) -> str:
    barrier = next((row for row in rows if (row.benchmark, row.mode) == ("startup", "first-barrier")), None)
    if barrier is None or not barrier.judged:
        return ""
    if not barrier.separated:
        return "the first barrier is not separated from C's"
    later = "later" if barrier.delta > 0 else "earlier"
    return f"the first barrier comes {duration(barrier.delta)} {later} than C's ({times(barrier.ratio)})"


def _tally(judged: Sequence[Row], quote: Callable[[Sequence[Row]], str]) -> str:
    """How many rows are slower, faster and neither: ``2 are slower than C (1.57 × to 9.85 ×) and 1 is not ...``."""
    said = []
    for word in ("slower", "faster"):
        members = [row for row in judged if row.verdict == word]
        if members:
            said.append(f"{_are(len(members))} {word} than C ({quote(members)})")
    rest = sum(not row.separated for row in judged)
    if rest:
        said.append(f"{_are(rest)} not separated from C")
    return listing(said)


def _are(number: int) -> str:
    return f"{number} {verb(number, 'is', 'are')}"


def _factors(rows: Sequence[Row]) -> str:
    ratios = sorted(row.ratio for row in rows)
    return times(ratios[0]) if len(ratios) == 1 else f"{times(ratios[0])} to {times(ratios[-1])}"
