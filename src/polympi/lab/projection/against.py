"""A projection compared with what was measured over several hosts."""

from dataclasses import dataclass
from statistics import median

import polars as pl

from polympi.lab.conclusions.phrases import count, duration, percent
from polympi.lab.environment.findings import OVERSUBSCRIBED
from polympi.lab.errors import UsageError
from polympi.lab.projection.cases import PATTERNS, Case
from polympi.lab.projection.costs import COLLECTIVES
from polympi.lab.projection.model import BUILT, CALLED, Projection, Row
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts

TARGET = 0.25  # largest allowed error of a projection
COLUMNS = ("latency", *COLLECTIVES)


@dataclass(frozen=True)
class Miss:
    """One figure that was predicted and measured."""

    stack: str
    binding: str
    pattern: str
    size_bytes: int
    predicted_ns: float
    measured_ns: float
    given: bool  # the network was described by this figure, so that it is met by construction and does not count
    # Error of the clocks that a collective over several hosts was timed with, in the median launch.
    clocks_ns: float = 0.0
    oversubscribed: bool = False  # there were more ranks than processors

    @property
    def error(self) -> float:
        """The prediction's error, as a share of the measured time; negative: too low."""
        return self.predicted_ns / self.measured_ns - 1.0

    @property
    def within(self) -> bool:
        """Whether its error is within the target."""
        return abs(self.error) <= TARGET

    @property
    def doubtful(self) -> bool:
        """Whether its error is within the clocks' error."""
        return not self.within and abs(self.predicted_ns - self.measured_ns) <= self.clocks_ns


def measured_cases(analysis: Analysis) -> list[Case]:
    """The cases that a run measured and that can be projected."""
    rows = analysis.summary.filter(pl.col("benchmark").is_in(COLUMNS), pl.col("mode") == "standard")
    pairs = rows.filter(pl.col("median_ns").is_not_null()).select("benchmark", "size_bytes").unique().sort(pl.all())
    cases = [Case(PATTERNS[name], int(size)) for name, size in pairs.iter_rows()]
    if not cases:
        raise UsageError(f"The run to compare with has no case that can be projected: measure {', '.join(COLUMNS)}.")
    return cases


def misses(projection: Projection, measured: Analysis, described: bool) -> list[Miss]:
    """The figures that were predicted and measured over several hosts, C's and the bindings'.

    Collectives are predicted as called: for a binding that builds them from its own messages, that is the lower end.
    The network may be `described` by this very run's ping-pong of C.
    """
    found = []
    errors = [one.clock_error_ns for one in measured.launches if counts(one) and one.clock_error_ns]
    clocks_ns = median(errors) if errors else 0.0
    oversubscribed = any(finding.title == OVERSUBSCRIBED for finding in measured.environment.findings)
    seen: set[tuple[str, str, int]] = set()
    payloads = {(stack.stack, arm.binding): arm.payload for stack in projection.stacks for arm in stack.arms}
    describing = {stack.stack: stack.network.described_by for stack in projection.stacks}
    for row in projection.rows:
        wanted = CALLED if PATTERNS[row.pattern].collective else BUILT
        if row.style != wanted:
            continue
        key = (row.stack, row.pattern, row.size_bytes)
        pairs = [(row.binding, row.time_ns)] + ([(REFERENCE, row.c_ns)] if key not in seen else [])
        seen.add(key)
        payload = payloads.get((row.stack, row.binding), "bytes")
        for binding, predicted in pairs:
            time = _measured(measured, row, binding, payload)
            if time is not None and binding != AGAIN:
                given = described and binding == REFERENCE and row.pattern in describing[row.stack]
                clocks = clocks_ns if PATTERNS[row.pattern].collective else 0.0
                found.append(
                    Miss(
                        row.stack, binding, row.pattern, row.size_bytes, predicted, time, given, clocks, oversubscribed
                    )
                )
    order = [REFERENCE, *dict.fromkeys(row.binding for row in projection.rows)]
    return sorted(found, key=lambda one: (one.stack, order.index(one.binding), COLUMNS.index(one.pattern)))


def answer(found: list[Miss]) -> str:
    """The error of the projection, in a sentence."""
    judged = [one for one in found if not one.given]
    if not judged:
        return "Nothing was both predicted and measured."
    within = sum(one.within for one in judged)
    worst = max(judged, key=lambda one: abs(one.error))
    typical = median(abs(one.error) for one in judged)
    doubtful = sum(one.doubtful for one in judged)
    said = (
        f"{within} of {count(len(judged), 'figure')} are within {percent(TARGET)} of what was measured; the median "
        f"error is {percent(typical)}, the largest {percent(abs(worst.error))} ({worst.binding}, {worst.pattern}, "
        f"{worst.size_bytes} B)."
    )
    if doubtful:
        clocks = duration(max(one.clocks_ns for one in judged))
        said += f" The error of {count(doubtful, 'collective')} is less than that of the hosts' clocks, {clocks}."
    if any(one.oversubscribed for one in judged):
        said += " The run had more ranks than processors: short times show the scheduler, which no projection predicts."
    return said


def _measured(analysis: Analysis, row: Row, binding: str, payload: str) -> float | None:
    names = [one.stack for one in analysis.run.stacks if row.stack in (one.stack, one.installation)]
    rows = analysis.summary.filter(
        pl.col("stack").is_in(names),
        pl.col("binding") == binding,
        pl.col("benchmark") == row.pattern,
        pl.col("mode") == "standard",
        pl.col("size_bytes") == row.size_bytes,
        pl.col("payload").is_in([COLLECTIVES.get(row.pattern, payload), payload]),
    ).drop_nulls("median_ns")
    return None if rows.is_empty() else float(rows["median_ns"][0])
