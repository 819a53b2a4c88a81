"""Published figures of C# and of Boost.MPI compared with the run's."""

from collections.abc import Container, Iterable, Iterator, Sequence

import polars as pl

from polympi.lab.conclusions.phrases import count, listing, plain_ratio
from polympi.lab.conclusions.phrases import size as size_words
from polympi.lab.conclusions.rows import Row
from polympi.lab.published import published
from polympi.lab.records import REFERENCE
from polympi.lab.report.comparisons.comparison import Comparison, median_words, nearest, select
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_bytes

_INT_BYTES = 4
_RINGS = {"ring_10000_laps": 10_000, "ring_1000_laps": 1000}  # laps, by test of the table
_BOOST = {  # our binding of each variant of NetPIPE
    "MPI": REFERENCE,
    "Boost.MPI": "boost",
    "MPI (Datatypes)": "cxx-datatype",
    "Boost.MPI (Datatypes)": "boost-datatype",
    "Boost.MPI (Serialized)": "boost-serialized",
}


def csharp(analysis: Analysis, stack: str, rows: Sequence[Row], shown: Container[str]) -> Comparison | None:
    """MPI.NET over C in ping-pongs, rings and memory; of ours the bindings of C#, or those that are shown."""
    ours = _bindings_of(analysis, stack, "C#", rows) or [b for b in _names(rows) if b in shown]
    pings = [found for b in ours for found in _pings_of(rows, b)]
    if not pings:
        return None
    rings = [found for b in ours for found in _rings_of(rows, b)]
    table = published("mpi_net")
    lines = [_published(*row) for row in table.frame.select("test", "parameter", "c", "csharp").iter_rows()]
    said = f"Published: a ping-pong of 1 int takes C# {lines[0][3]} × the time of C. Here: "
    said += ", ".join(f"{row.binding} {_ratio_of(row)} × ({what})" for row, what in _first_of_each(pings)) + "."
    lines += [_line(stack, rows, row, what) for row, what in (*pings, *rings)]
    lines += _memory_of(analysis, stack, ours)
    return Comparison(table.source, stack, said, ("", "C", "other", "ratio"), lines)


def _first_of_each(pings: Sequence[tuple[Row, str]]) -> list[tuple[Row, str]]:
    return list({row.binding: (row, what) for row, what in reversed(pings)}.values())[::-1]


def _published(test: str, parameter: str, c: float, other: float) -> tuple[str, str, str, str]:
    """A line of the table: times as they were printed, memory as we write it."""
    if test.startswith("memory"):
        words = (f"memory of a process, {parameter}", format_bytes(1000 * c), format_bytes(1000 * other))
    elif test in _RINGS:
        words = (f"ring, {_RINGS[test]:,} laps, {parameter}", f"{c:g} s", f"{other:g} s")
    else:
        words = (f"ping-pong, {parameter}", f"{c:g} s", f"{other:g} s")
    return (f"published: C#, {words[0]}", *words[1:], plain_ratio(other / c))


def _pings_of(rows: Sequence[Row], binding: str) -> list[tuple[Row, str]]:
    """Ping-pongs of 1 and of 10 ints; without them the message nearest to one int."""
    ints = [r for r in select(rows, "pingpong-int", "standard", "int32", binding) if r.ratio_to_c is not None]
    ints = [r for r in ints if r.size_bytes in (_INT_BYTES, 10 * _INT_BYTES)]
    if ints:
        return [(row, count(row.size_bytes // _INT_BYTES, "int")) for row in ints]
    families = (select(rows, "latency", "standard", payload, binding) for payload in ("int", "bytes"))
    near = [nearest([r for r in family if r.ratio_to_c is not None], _INT_BYTES) for family in families]
    found = [(row, "one int" if row.payload == "int" else size_words(row.size_bytes)) for row in near if row]
    return found[:1]


def _rings_of(rows: Sequence[Row], binding: str) -> list[tuple[Row, str]]:
    hops = [r for p in ("int32", "bytes") for r in select(rows, "ring", "standard", p, binding)]
    row = nearest([r for r in hops if r.ratio_to_c is not None], _INT_BYTES)
    return [] if row is None else [(row, f"a hop of a ring of {row.ranks} ranks")]


def _memory_of(analysis: Analysis, stack: str, bindings: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    own = analysis.memory.filter(pl.col("stack") == stack)
    held = dict(own.select("binding", "pss_bytes").iter_rows())
    for binding in bindings:
        if held.get(binding) and held.get(REFERENCE):
            c, other = held[REFERENCE], held[binding]
            what = f"{binding} on {stack}, memory of a process"
            yield what, format_bytes(c), format_bytes(other), plain_ratio(other / c)


def _line(stack: str, rows: Sequence[Row], row: Row, what: str) -> tuple[str, str, str, str]:
    case = (row.family, row.size_bytes, REFERENCE)
    reference = next((r for r in rows if (r.family, r.size_bytes, r.binding) == case), None)
    return f"{row.binding} on {stack}, {what}", median_words(reference), median_words(row), _ratio_of(row)


def boost(stack: str, rows: Sequence[Row]) -> Comparison | None:
    """NetPIPE's bandwidth of Boost.MPI's five variants, as shares of that of MPI."""
    ping_pong = select(rows, "latency", "standard", "bytes")
    ours = {r.binding: [s for s in ping_pong if s.binding == r.binding] for r in ping_pong}
    if not any(binding in ours for variant, binding in _BOOST.items() if variant.startswith("Boost")):
        return None
    table = published("boost_netpipe")
    theirs = {(v, s): rate for v, s, rate in table.frame.iter_rows()}
    sizes = list(dict.fromkeys(s for _, s in theirs))
    lines: list[tuple[str, ...]] = []
    for variant, binding in _BOOST.items():
        times = [theirs["MPI", s] / theirs[variant, s] for s in sizes]
        lines.append((f"published: {variant}", *map(plain_ratio, times)))
        near = [nearest(ours.get(binding, []), s) for s in sizes]
        if binding == REFERENCE or not any(near):
            continue
        lines.append((f"{binding} on {stack}, here", *(_ratio_of(row) for row in near)))
    slowest = plain_ratio(theirs["MPI", sizes[-1]] / theirs["Boost.MPI (Serialized)", sizes[-1]])
    of_types = plain_ratio(theirs["MPI", sizes[-1]] / theirs["MPI (Datatypes)", sizes[-1]])
    said = (
        f"Time over that of MPI in a ping-pong. Published, at {size_words(sizes[-1])}: Boost.MPI as fast as MPI, a "
        f"derived datatype of one byte {of_types} × with either, each byte serialised {slowest} ×. "
        f"Here, {_here(ours, sizes[-1])}."
    )
    headers = ("", *(f"at {size_words(s)}" for s in sizes))
    return Comparison(table.source, stack, said, headers, lines)


def _here(ours: dict[str, list[Row]], size: int) -> str:
    rows = {b: nearest(ours[b], size) for b in _BOOST.values() if b in ours and b != REFERENCE}
    known = [(b, row) for b, row in rows.items() if row is not None and row.ratio_to_c is not None]
    at = size_words(known[0][1].size_bytes) if known else size_words(size)
    return f"at {at}: {listing(f'{b} {_ratio_of(row)} ×' for b, row in known)}"


def _ratio_of(row: Row | None) -> str:
    return "–" if row is None or row.ratio_to_c is None else plain_ratio(row.ratio_to_c)


def _bindings_of(analysis: Analysis, stack: str, language: str, rows: Sequence[Row]) -> list[str]:
    planned = next((one for one in analysis.run.stacks if one.stack == stack), None)
    of_it = {b for b, spoken in planned.languages.items() if spoken == language} if planned else set()
    return [b for b in _names(rows) if b in of_it]


def _names(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.binding for row in rows if row.binding != REFERENCE))
