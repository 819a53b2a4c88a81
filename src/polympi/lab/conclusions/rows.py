"""The rows of a summary as typed objects, grouped into families of sizes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.order import in_order
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import SUMMARY_COLUMNS, Analysis

SMALL = 1024  # bytes; up to here a message's fixed cost outweighs its bytes on any stack known to us
REPRESENTATIVE_SIZES = (8, 1024, 65536, 2**20)  # one word, a small message, around the protocol switch, bandwidth-bound
LONG_TAIL = 1.5  # the median over launches, of means over batches, over the median of single operations
SEPARATED = ("slower", "faster")
JUDGED = (*SEPARATED, "ambiguous", "not separated")


class Family(NamedTuple):
    """Rows that differ in size and binding only."""

    stack: str
    benchmark: str
    mode: str
    payload: str

    @property
    def title(self) -> str:
        """What a reader calls it: ``latency (synchronous), dict``."""
        mode = "" if self.mode == "standard" else f" ({self.mode})"
        benchmark = BENCHMARKS.get(self.benchmark)
        usual = self.payload in ("bytes", "none") or (benchmark is not None and len(benchmark.payloads) == 1)
        payload = "" if usual else f", {self.payload}"
        return f"{self.benchmark}{mode}{payload}"


@dataclass(frozen=True)
class Row:
    """One row of ``summary.csv`` (``docs/results.md``); a figure that does not exist is None, never NaN."""

    stack: str
    binding: str
    benchmark: str
    payload: str
    mode: str
    size_bytes: int
    ranks: int
    launches: int
    median_ns: float | None = None
    ci_low_ns: float | None = None
    ci_high_ns: float | None = None
    confidence: float | None = None
    delta_to_c_ns: float | None = None
    delta_low_ns: float | None = None
    delta_high_ns: float | None = None
    ratio_to_c: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    p_value: float | None = None
    q_value: float | None = None
    floor_ratio: float | None = None
    mb_per_s: float | None = None
    p50_ns: float | None = None
    p90_ns: float | None = None
    p99_ns: float | None = None
    p999_ns: float | None = None
    max_ns: float | None = None
    samples: int = 0
    outliers: int = 0
    verdict: str = ""
    stopped_by: str = ""

    @property
    def family(self) -> Family:
        """The family of sizes the row belongs to."""
        return Family(self.stack, self.benchmark, self.mode, self.payload)

    @property
    def separated(self) -> bool:
        """Whether the row is separated from C."""
        return self.verdict in SEPARATED and self.delta_to_c_ns is not None and self.ratio_to_c is not None

    @property
    def judged(self) -> bool:
        """Whether the row could be compared with C at all."""
        return self.verdict in JUDGED and self.delta_to_c_ns is not None and self.ratio_to_c is not None

    @property
    def has_long_tail(self) -> bool:
        """Whether a few long operations make up much of its time, so that a typical one takes far less."""
        return bool(self.median_ns and self.p50_ns) and _present(self.median_ns) > LONG_TAIL * _present(self.p50_ns)

    @property
    def delta(self) -> float:
        """Difference to C in ns; ValueError if the row has no counterpart in C."""
        return _present(self.delta_to_c_ns)

    @property
    def ratio(self) -> float:
        """Ratio to C; ValueError if the row has no counterpart in C."""
        return _present(self.ratio_to_c)


def rows_of(analysis: Analysis) -> list[Row]:
    """All rows of the summary, in its order."""
    columns = {name: analysis.summary[name].to_list() for name in SUMMARY_COLUMNS}
    return [Row(*map(_clean, values)) for values in zip(*columns.values(), strict=True)]


def by_family(rows: Iterable[Row]) -> dict[Family, list[Row]]:
    """Rows by family, in the catalogue's order of benchmarks, modes and payloads; sizes ascending in each."""
    families: dict[Family, list[Row]] = {}
    for row in rows:
        families.setdefault(row.family, []).append(row)
    ordered = sorted(families, key=catalogue_order)
    return {family: sorted(families[family], key=lambda r: r.size_bytes) for family in ordered}


def catalogue_order(family: Family) -> tuple[str, int, int, int, str]:
    """Sort key of a family: stack, then benchmark, mode and payload as the catalogue lists them."""
    benchmark = BENCHMARKS.get(family.benchmark)
    modes = benchmark.modes if benchmark else ()
    payloads = benchmark.payloads if benchmark else ()
    names = list(BENCHMARKS)
    return (
        family.stack,
        names.index(family.benchmark) if family.benchmark in names else len(names),
        modes.index(family.mode) if family.mode in modes else len(modes),
        payloads.index(family.payload) if family.payload in payloads else len(payloads),
        "/".join(family),
    )


def bindings_of(analysis: Analysis, stack: str | None = None, *, compared: bool = False) -> list[str]:
    """Bindings of a stack (or all), in report order; ``compared`` leaves out the reference and its A/A arm."""
    names: dict[str, None] = {}
    for planned in analysis.run.stacks:
        if stack in (None, planned.stack):
            names.update(dict.fromkeys(planned.bindings))
    measured = analysis.summary if stack is None else analysis.summary.filter(analysis.summary["stack"] == stack)
    names.update(dict.fromkeys(measured["binding"].unique(maintain_order=True).to_list()))
    return [name for name in in_order(analysis.run, names) if not (compared and name in (REFERENCE, AGAIN))]


def stacks_of(analysis: Analysis) -> list[str]:
    """Stacks of the run, in its order."""
    names = dict.fromkeys(planned.stack for planned in analysis.run.stacks)
    names.update(dict.fromkeys(analysis.summary["stack"].unique(maintain_order=True).to_list()))
    return list(names)


def representative_sizes(sizes: Iterable[int]) -> list[int]:
    """The few sizes that stand for all: those of :data:`REPRESENTATIVE_SIZES` that are there, else the ends."""
    present = sorted(set(sizes))
    chosen = [size for size in REPRESENTATIVE_SIZES if size in present]
    return chosen or sorted({present[0], present[-1]}) if present else []


def example_size(sizes: Iterable[int]) -> int:
    """The size to quote an example at: the smallest representative one of at least one size."""
    chosen = representative_sizes(sizes)
    if not chosen:
        raise ValueError("no sizes to choose an example from")
    return chosen[0]


def _clean(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _present(value: float | None) -> float:
    if value is None:
        raise ValueError("this row has no counterpart in C")
    return value
