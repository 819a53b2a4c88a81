"""Published figures of send modes compared with C's."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from polympi.lab.conclusions.phrases import count, plain_ratio, rate
from polympi.lab.conclusions.phrases import size as size_words
from polympi.lab.conclusions.rows import Row
from polympi.lab.published import published
from polympi.lab.records import REFERENCE
from polympi.lab.report import charts
from polympi.lab.report.charts import Palette
from polympi.lab.report.charts.style import RATE_LABEL
from polympi.lab.report.comparisons.comparison import Comparison, median_words, nearest, point, select
from polympi.lab.units import format_ns

_PINGS = 10_000  # one-way messages in half of the loop that the ping table timed
_MBIT_IN_MB = 0.125  # 1 Mbit of that table is 125,000 bytes
_MODES = ("standard", "synchronous")
_SENDER = "c-unacknowledged"  # which times the sends alone, as that report does
_LARGEST_AT = (10**6, 10**7)  # where its conclusion has the largest throughput
_ONE_NODE, _TWO_HOSTS = "one_node_nodes1", "two_nodes_two_hosts_nodes4"
_PLACEMENTS = {
    _ONE_NODE: "one node",
    "one_node_slots2_nodes2": "one node, two slots",
    "two_nodes_same_host_nodes3": "two nodes on one host",
    _TWO_HOSTS: "two hosts",
}


def pings(stack: str, rows: Sequence[Row], over_hosts: bool) -> Comparison | None:
    """A ping-pong with standard and synchronous sends, next to the published placement most like that of the run."""
    standard_rows, synchronous_rows = (
        {r.size_bytes: r for r in select(rows, "latency", mode, "bytes", REFERENCE)}
        for mode in ("standard", "synchronous")
    )
    a = nearest([r for size, r in standard_rows.items() if size in synchronous_rows], 1)
    if a is None:
        return None
    b = synchronous_rows[a.size_bytes]
    table = published("send_ssend_ping")
    times = {(p, m): seconds / _PINGS * 1e9 for p, m, seconds in table.frame.iter_rows()}
    lines, ratios = [], {}
    for placement in dict.fromkeys(p for p, _ in times):
        standard, synchronous = times[placement, "standard"], times[placement, "synchronous"]
        label = f"published, {_PLACEMENTS.get(placement, placement)}"
        ratios[placement] = plain_ratio(synchronous / standard)
        lines.append((label, "1 B", format_ns(standard), format_ns(synchronous), ratios[placement]))
    size = size_words(a.size_bytes)
    ratio = plain_ratio(b.median_ns / a.median_ns) if a.median_ns and b.median_ns else "–"
    lines.append((f"C on {stack}, here", size, median_words(a), median_words(b), ratio))
    alike = _alike(over_hosts)
    said = f"One way of a ping-pong from C. Published, on {_PLACEMENTS[alike]}: a synchronous send takes "
    said += f"{ratios[alike]} × a standard one; here {ratio} × at {size}."
    return Comparison(table.source, stack, said, ("", "size", "standard", "synchronous", "ratio"), lines)


def _alike(over_hosts: bool) -> str:
    """The published placement that a run is compared with."""
    return _TWO_HOSTS if over_hosts else _ONE_NODE


def stream(stack: str, rows: Sequence[Row], palette: Palette, over_hosts: bool) -> Comparison | None:
    """Sends in a row. The arguments are those of :func:`pings`, and the colours of the run."""
    ours = {mode: [r for r in select(rows, "stream", mode, "bytes", REFERENCE) if r.mb_per_s] for mode in _MODES}
    if not ours["standard"]:
        return None
    table = published("send_ssend_bandwidth")
    alike = _alike(over_hosts)
    theirs = table.frame.filter((pl.col("placement") == alike) & (pl.col("row") > 0))
    records: list[dict[str, Any]] = []
    for mode in _MODES:
        for size, mbit in theirs.filter(pl.col("mode") == mode).select("size_bytes", "mbit_per_s").iter_rows():
            records.append(point(f"published: {_PLACEMENTS[alike]}, {mode}", size, mbit * _MBIT_IN_MB, True, rate))
    for mode, series in ours.items():
        name = REFERENCE if mode == "standard" else f"{REFERENCE}, {mode}"
        records += [point(name, r.size_bytes, r.mb_per_s or 0.0, False, rate) for r in series]
    as_published = [r for mode in _MODES for r in select(rows, "stream", mode, "bytes", _SENDER) if r.p50_ns]
    for r in as_published:
        name = f"{REFERENCE} as published, {r.mode}"
        records.append(point(name, r.size_bytes, _of_sender(r), False, rate))
    best = max(ours["standard"], key=lambda r: r.mb_per_s or 0.0)
    peak = max((r for r in records if r["published"]), key=lambda r: r["value"])
    said = (
        f"Blocking sends in a row. Published, on {_PLACEMENTS[alike]}: up to {peak['text']} at {peak['size_text']}, "
        f"nothing acknowledged; here C reaches {rate(best.mb_per_s or 0.0)} at {size_words(best.size_bytes)}, "
        f"acknowledged.{_slower(table.frame, ours)}{_largest(table.frame, best)}"
        f"{_sender(as_published, ours['standard'])}"
    )
    chart = charts.series_over_size(records, palette, "bandwidth", RATE_LABEL)
    lines = [(r["binding"], r["size_text"], r["text"]) for r in records]
    return Comparison(table.source, stack, said, ("series", "size", "bandwidth"), lines, chart)


def _of_sender(row: Row) -> float:
    """MB/s of what a sender hands over in the time of its sends, of which none is acknowledged."""
    return 1e3 * row.size_bytes / (row.p50_ns or 1.0)


def _sender(as_published: Sequence[Row], acknowledged: Sequence[Row]) -> str:
    """How far the published way to measure is from a throughput, at the smallest size of both."""
    standard = {r.size_bytes: r for r in acknowledged}
    one = next((r for r in as_published if r.mode == "standard" and r.size_bytes in standard), None)
    if one is None:
        return f" As published, with the sends alone timed, is the arm '{_SENDER}', which was not measured here."
    there = standard[one.size_bytes].mb_per_s or 0.0
    return (
        f" Measured as published, with the sends alone timed, C has {rate(_of_sender(one))} at "
        f"{size_words(one.size_bytes)} instead of {rate(there)}."
    )


def _slower(theirs: pl.DataFrame, ours: dict[str, list[Row]]) -> str:
    """Whether synchronous sends move less everywhere, as the report concludes: in its own table, and here."""
    cells = theirs.filter(pl.col("row") > 0).pivot("mode", index=["placement", "size_bytes"], values="mbit_per_s")
    fewer = cells.filter(pl.col("synchronous") < pl.col("standard")).height
    said = f" That synchronous sends are slower everywhere holds in {fewer} of {cells.height} cells of its own table"
    standard = {r.size_bytes: r.mb_per_s or 0.0 for r in ours["standard"]}
    both = [(standard[r.size_bytes], r.mb_per_s or 0.0) for r in ours["synchronous"] if r.size_bytes in standard]
    if not both:
        return f"{said}; 'stream/synchronous/bytes' was not measured here."
    return f"{said}, and here at {sum(there < one for one, there in both)} of {count(len(both), 'size')}."


def _largest(theirs: pl.DataFrame, best: Row) -> str:
    """Whether the largest throughput is at 1 to 10 MB, as the report concludes."""
    peaks = (
        theirs.filter(pl.col("row") > 0)
        .group_by("placement", "mode")
        .agg(pl.col("size_bytes").sort_by("mbit_per_s").last())
    )
    within = peaks.filter(pl.col("size_bytes").is_between(*_LARGEST_AT)).height
    here = "as well" if _LARGEST_AT[0] <= best.size_bytes <= _LARGEST_AT[1] else "not"
    there = count(peaks.height, "series", "series")
    at = size_words(best.size_bytes)
    return f" That most is moved at 1 to 10 MB holds in {within} of its {there}, and here {here}: the most is at {at}."
