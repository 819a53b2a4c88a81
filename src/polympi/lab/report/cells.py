"""What a table of bindings says about a row: the words of each cell, the same in every format."""

from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.conclusions.gaps import absences
from polympi.lab.conclusions.phrases import factor, rate, signed
from polympi.lab.conclusions.rows import Family, Row, bindings_of, by_family, representative_sizes
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_ns

# Sign, short words and meaning of each verdict: a sign and a word, so that colour is never the only carrier.
SIGNS = {
    "reference": "",
    "slower": "▲",
    "faster": "▼",
    "ambiguous": "?",
    "not separated": "≈",
    "too few launches": "…",
    "no counterpart": "·",
    "invalid": "✗",
}
KEY = {
    "slower": "slower than C",
    "faster": "faster than C",
    "not separated": "not separated from C",
    "ambiguous": "ambiguous",
    "too few launches": "too few launches",
    "no counterpart": "no counterpart in C",
    "invalid": "wrong bytes arrived",
}
MEANINGS = {
    "slower": "slower than C: the interval excludes 1, the effect exceeds the noise floor, and q ≤ 0.05",
    "faster": "faster than C, by the same rules",
    "ambiguous": "the interval excludes 1, but among this many rows that may be chance",
    "not separated": "no difference shown: the interval includes 1, or the effect is inside the noise floor",
    "too few launches": "fewer than six launches: no interval reaches 95 %",
    "no counterpart": "C has no such figure",
    "invalid": "wrong bytes arrived; no figure is shown",
}


@dataclass(frozen=True)
class Cell:
    """One binding in one line of the table."""

    binding: str
    verdict: str = ""  # its verdict; empty if the binding has no such row
    sign: str = ""
    time: str = ""  # the median
    delta: str = ""  # difference to C with its sign; empty without a counterpart
    ratio: str = ""
    interval: str = ""  # interval of the ratio
    typical: str = ""  # what a typical operation takes, where the row has a long tail
    row: Row | None = None  # the row itself; None if the binding has none
    reason: str = ""


@dataclass(frozen=True)
class Line:
    """One case in the table: C's figure and a cell for every other binding."""

    family: Family
    label: str  # the family's title where it begins, else empty
    size: str  # the message size; empty where there is none
    reference: str  # C's median with nothing to compare
    bandwidth: str
    cells: tuple[Cell, ...]


def cell(row: Row) -> Cell:
    """The words for one row."""
    return Cell(
        binding=row.binding,
        verdict=row.verdict,
        sign=SIGNS.get(row.verdict, ""),
        time=format_ns(row.median_ns) if row.median_ns is not None else "",
        delta=signed(row.delta_to_c_ns) if row.delta_to_c_ns is not None else "",
        ratio=factor(row.ratio_to_c) if row.ratio_to_c is not None else "",
        interval=interval(row.ratio_low, row.ratio_high),
        typical=f"p50 {format_ns(row.p50_ns)}" if row.has_long_tail and row.p50_ns else "",
        row=row,
    )


def interval(low: float | None, high: float | None) -> str:
    """An interval of a ratio: ``1.62–1.68``; empty when there is none."""
    if low is None or high is None:
        return ""
    near_one = high < 9.995 and any(0.9 < bound < 1.1 for bound in (low, high))
    return f"{low:.3f}–{high:.3f}" if near_one else f"{factor(low)}–{factor(high)}"


def main_table(analysis: Analysis, rows: Sequence[Row], stack: str) -> tuple[list[str], list[Line]]:
    """Bindings by benchmark at representative sizes: those compared with C, and the lines of the table."""
    own = [row for row in rows if row.stack == stack]
    present = {row.binding for row in own}
    bindings = [name for name in bindings_of(analysis, stack, compared=True) if name in present]
    reasons = absences(analysis, stack)
    lines: list[Line] = []
    for family, members in by_family(own).items():
        sizes = representative_sizes(row.size_bytes for row in members)
        if family.benchmark == "latency" and family.mode != "standard":
            sizes = sizes[:1]  # a mode changes the cost of a call, not that of a byte; all sizes are in the full table
        for index, size in enumerate(sizes):
            at_size = {row.binding: row for row in members if row.size_bytes == size}
            if set(at_size) & set(bindings):
                missing = [_missing(name, family, size, reasons) for name in bindings]
                cells = tuple(cell(at_size[c.binding]) if c.binding in at_size else c for c in missing)
                lines.append(_line(family, size, at_size, cells, first=index == 0))
    return bindings, lines


def _missing(binding: str, family: Family, size: int, reasons: dict[tuple[str, str], str]) -> Cell:
    case = str(Case(family.benchmark, family.mode, family.payload, size))
    return Cell(binding, reason=reasons.get((binding, case), "not measured"))


def _line(family: Family, size: int, at_size: dict[str, Row], cells: tuple[Cell, ...], *, first: bool) -> Line:
    reference = at_size.get(REFERENCE)
    return Line(
        family=family,
        label=family.title if first else "",
        size="" if family.payload == "none" else BENCHMARKS[family.benchmark].size_words(size),
        reference=format_ns(reference.median_ns) if reference and reference.median_ns else "",
        bandwidth=rate(reference.mb_per_s)
        if reference and reference.mb_per_s and family.benchmark in ("bandwidth", "bibandwidth", "stream")
        else "",
        cells=cells,
    )
