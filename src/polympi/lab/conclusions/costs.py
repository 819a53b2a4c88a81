"""What a binding costs over C, in predicates that are computed from its rows."""

from collections.abc import Sequence
from statistics import median

from polympi.lab.conclusions.phrases import (
    count,
    duration,
    first_few,
    listing,
    percent,
    rate,
    signed,
    size_words,
    times,
    verb,
)
from polympi.lab.conclusions.rows import SMALL, Row, example_size
from polympi.lab.units import format_size

_OBJECTS = {"int": "an integer", "float": "a float", "dict": "a small dict", "array": "an array"}
_BUFFERS = ("bytes", "none", "float64")  # what a collective carries unless its sentence names another payload


def cost_predicate(rows: Sequence[Row], thing: str) -> str:
    """What the binding does to the time of ``thing`` (such as ``a message``), as a predicate without subject.

    Such as ``adds 520 ns to a message of up to 1 KiB (median over 4 sizes; 1.66 × C at 8 B); from 64 KiB on it is not
    separated from C``, of rows of one family, sizes ascending. Empty if nothing could be compared with C.
    """
    judged = [row for row in rows if row.judged]
    if not judged:
        return _unjudged(rows)
    if not any(row.separated for row in judged):
        return _nothing_separated(judged)
    head, tail = _split_tail(judged)
    small = [row for row in head if row.size_bytes <= SMALL] or head
    rest = head[len(small) :]
    clauses = [_small_messages(small, thing)]
    hidden = "" if all(row.separated for row in rest) else _separated(head, tail)
    if hidden and tail:
        clauses[0] = _with_aside(clauses[0], hidden)
    if rest and not tail and rest[-1].separated:
        last = rest.pop()
        quoted = f"at {size_words(last)} it takes {times(last.ratio)} C ({signed(last.delta)})"
        clauses.append(_with_aside(quoted, hidden))
    faster = [row for row in rest if row.verdict == "faster"]
    slower = [] if small[0].separated else [row for row in rest if row.verdict == "slower"]
    for word, members in (("slower", slower), ("faster", faster)):
        if members:
            where = [f"{size_words(row)} ({times(row.ratio)} C)" for row in members]
            clauses.append(f"it is {word} than C at {first_few(where, 3)}")
    clauses += _tail_clause(tail)
    return "; ".join(clauses)


def bandwidth_predicate(rows: Sequence[Row], *, short: bool = False) -> str:
    """Which share of C's bandwidth the binding reaches, as a predicate without subject; empty if not comparable.

    The share is the inverse of the ratio of times: the same bytes travel in both. The rows are of one family, sizes
    ascending. ``short`` leaves out whose bandwidth it is, and the absolute figure.
    """
    judged = [row for row in rows if row.judged and row.size_bytes > 0]
    if not judged:
        return "" if short else _unjudged(rows)
    reached = "" if short else _reached(judged[-1])
    if not any(row.separated for row in judged):
        return _with_aside(_nothing_separated(judged), reached)
    head, tail = _split_tail(judged)
    separated = [row for row in head if row.separated]
    quoted = {row.size_bytes: row for row in (separated[0], separated[-1])}
    shares = [f"{percent(1.0 / row.ratio)} at {format_size(size)}" for size, row in quoted.items()]
    reaches = f"reaches {listing(shares)}" if short else f"reaches {listing(shares)} of C's bandwidth"
    reaches = _with_aside(reaches, _separated(head, tail) if len(separated) < len(head) else "")
    return _with_aside("; ".join([reaches, *_tail_clause(tail)]), reached)


def collectives_predicate(by_benchmark: dict[str, list[Row]]) -> str:
    """What the binding adds to collective calls, over all of them; empty if none could be compared with C."""
    judged = {name: [row for row in rows if row.judged] for name, rows in by_benchmark.items()}
    judged = {_collective(name, rows[0].payload): rows for name, rows in judged.items() if rows}
    if not judged:
        return ""
    costs, others = _small_costs(judged)
    ranks = count(next(iter(judged.values()))[0].ranks, "rank")
    if not costs:
        names = listing(list(judged))
        return f"is not separated from C in {names} on {ranks} at small sizes{_large_collectives(judged)}"
    ordered = sorted(costs.items(), key=lambda item: item[1])
    (cheap, least), (dear, most) = ordered[0], ordered[-1]
    if len(ordered) == 1:
        head = f"{_change(least)} {cheap} on {ranks}"
    elif least < 0 < most:
        head = f"changes a collective call on {ranks} by {signed(least)} ({cheap}) to {signed(most)} ({dear})"
    elif most < 0:
        head = f"saves {duration(most)} ({dear}) to {duration(least)} ({cheap}) in a collective call on {ranks}"
    else:
        head = f"adds {duration(least)} ({cheap}) to {duration(most)} ({dear}) to a collective call on {ranks}"
    head += f" of up to {format_size(SMALL)}" if any(rows[-1].size_bytes > SMALL for rows in judged.values()) else ""
    if others:
        head += f"; {listing(others)} {'is' if len(others) == 1 else 'are'} not separated from C there"
    return head + _large_collectives(judged)


def _small_costs(judged: dict[str, list[Row]]) -> tuple[dict[str, float], list[str]]:
    costs: dict[str, float] = {}
    others: list[str] = []
    for name, rows in judged.items():
        small = [row for row in rows if row.size_bytes <= SMALL] or rows
        separated = [row.delta for row in small if row.separated]
        if 2 * len(separated) > len(small):
            costs[name] = median(separated)
        else:
            others.append(name)
    return costs, others


def _large_collectives(judged: dict[str, list[Row]]) -> str:
    large = [row for rows in judged.values() for row in rows if row.size_bytes >= 64 * SMALL]
    if not large:
        return ""
    if len(large) == 1:
        verdict = f"{large[0].verdict} than C" if large[0].separated else "not separated from C"
        return f"; at {size_words(large[0])} it is {verdict}"
    where = f"from {format_size(64 * SMALL)} on"
    rows = count(len(large), "row")
    words = [row.verdict for row in large if row.separated]
    found = [(words.count(word), word) for word in ("slower", "faster") if word in words]
    if not found:
        return f"; {where} none of {rows} is separated from C"
    (first, word), *more = found
    said = [f"{first} of {rows} {verb(first, 'is', 'are')} {word}", *(f"{number} {word}" for number, word in more)]
    return f"; {where} {listing(said)} than C"


def _collective(name: str, payload: str) -> str:
    return name if payload in _BUFFERS else f"{name} of {_OBJECTS.get(payload, payload)}"


def _change(delta: float) -> str:
    return f"adds {duration(delta)} to" if delta >= 0 else f"takes {duration(delta)} off"


def _small_messages(small: Sequence[Row], thing: str) -> str:
    deltas = [row.delta for row in small if row.separated]
    verdicts = {row.verdict for row in small}
    example = next(row for row in small if row.size_bytes == example_size(r.size_bytes for r in small))
    if len(verdicts) == 1 and deltas:
        head = f"{_change(median(deltas))} {thing} {_reach(small)}"
        quoted = f"{times(example.ratio)} C at {size_words(example)}"
        return f"{head} ({f'median over {len(small)} sizes; ' if len(small) > 1 else ''}{quoted})"
    slower = [row for row in small if row.verdict == "slower"]
    faster = [row for row in small if row.verdict == "faster"]
    parts = []
    if slower:
        parts.append(f"slower than C {_how_many(slower, small)} (by {duration(median(r.delta for r in slower))})")
    if faster:
        parts.append(f"faster {_how_many(faster, small)} (by {duration(median(r.delta for r in faster))})")
    sizes = count(len(small), "size")
    return f"is {listing(parts)} of the {sizes} {_span(small)}" if parts else _nothing_separated(small)


def _how_many(part: Sequence[Row], whole: Sequence[Row]) -> str:
    return f"at {len(part)}" if len(part) < len(whole) else "at all"


def _tail_clause(tail: Sequence[Row]) -> list[str]:
    if not tail:
        return []
    first = size_words(tail[0])
    return [
        f"from {first} on it is not separated from C" if len(tail) > 1 else f"at {first} it is not separated from C"
    ]


def _split_tail(judged: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows up to the last separated one, and the rest: the sizes from which on nothing is separated."""
    last = max(index for index, row in enumerate(judged) if row.separated)
    return list(judged[: last + 1]), list(judged[last + 1 :])


def _separated(head: Sequence[Row], tail: Sequence[Row]) -> str:
    reach = f" up to {size_words(head[-1])}" if tail else ""
    return f"{sum(row.separated for row in head)} of {len(head)} sizes{reach} separated"


def _with_aside(text: str, aside: str) -> str:
    """The text with an aside in brackets, joined to the brackets it may already end with."""
    if not aside:
        return text
    return f"{text[:-1]}; {aside})" if text.endswith(")") else f"{text} ({aside})"


def _nothing_separated(judged: Sequence[Row]) -> str:
    if len(judged) == 1:
        return f"is not separated from C at {size_words(judged[0])}"
    ambiguous = sum(row.verdict == "ambiguous" for row in judged)
    aside = f" ({ambiguous} of them ambiguous)" if ambiguous else ""
    return f"is not separated from C at any of the {len(judged)} sizes {_span(judged)}{aside}"


def _unjudged(rows: Sequence[Row]) -> str:
    few = [row for row in rows if row.verdict == "too few launches"]
    if not few:
        return ""
    launches = max(row.launches for row in few)
    example = next(row for row in few if row.size_bytes == example_size(r.size_bytes for r in few))
    seen = ""
    if example.delta_to_c_ns is not None:
        seen = f"; its median differs from C's by {signed(example.delta)} at {size_words(example)}"
    return f"cannot be judged: {count(launches, 'launch')} where an interval needs six{seen}"


def _reach(rows: Sequence[Row]) -> str:
    last = size_words(rows[-1])
    return f"of up to {last}" if len(rows) > 1 else f"of {last}"


def _span(rows: Sequence[Row]) -> str:
    return f"from {size_words(rows[0])} to {size_words(rows[-1])}"


def _reached(row: Row) -> str:
    if row.mb_per_s is None:
        return ""
    return f"{rate(row.mb_per_s)} at {size_words(row)}"
