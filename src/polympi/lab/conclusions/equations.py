"""The study of Python modules: two equations, solved in the style of each, and what was published of such solvers."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.modules import Timed
from polympi.lab.conclusions.order import in_order, is_arm_of_c
from polympi.lab.conclusions.phrases import MINUS, count, listing, percent, plain_ratio, sentence
from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.model import Analysis

_BOTH = ("blocking", "overlapped")
EQUATIONS = ("wave", "poisson-cg")
# Conclusions of the thesis whose figures are shown next to ours (sources.toml, wave3d_meshes).
SLOWER = (8.0, 10.0)  # times as long as C, in Python with NumPy
GAINING_EDGE = 257  # of the mesh of the wave on which overlapping gained
HARDLY = 0.1  # by how much styles that hardly differ may differ
LEAST_GAIN = 0.01  # of the time: an interval that reaches below it shows none


@dataclass(frozen=True)
class Solved:
    """An equation on one mesh with one number of ranks, in the style of one module."""

    binding: str
    benchmark: str  # one of `EQUATIONS`
    size_bytes: int
    ranks: int  # how many
    blocking: Timed  # time of an iteration
    overlapped: Timed | None  # the same while messages travel; None where the module has no nonblocking calls
    gain: float | None  # the share of its time that overlapping saves, the median over launches; likewise
    gain_interval: tuple[float, float] | None  # of the gain; None where launches are too few for one, too
    interval: tuple[float, float] | None  # of the ratio of the blocking one to C; None for C, or where it has none
    # Of the blocking one, over its own time with the fewest ranks; None without several numbers of ranks.
    speedup: float | None
    communication: float | None  # the share of the blocking one that rank 0 spends in calls; likewise
    lines: int | None  # of what communicates; None if not counted

    @property
    def mesh(self) -> str:
        """In words: ``wave 129³``."""
        return f"{self.benchmark} {BENCHMARKS[self.benchmark].size_words(self.size_bytes)}"


def solved(analysis: Analysis, installed: str) -> list[Solved]:
    """All that a run has on an installed stack: by mesh, then C first and in the order of the run, ranks ascending."""
    own = {one.stack: one for one in analysis.run.stacks if one.installation == installed and not one.level}
    lines = {name: found.communication for one in own.values() for name, found in one.lines.items()}
    scaling = {
        (row.binding, row.benchmark, row.mode, row.size_bytes, row.ranks): row
        for row in analysis.scaling
        if row.stack == installed
    }
    rows = {
        (row.binding, row.benchmark, row.mode, row.size_bytes, row.ranks): row
        for row in rows_of(analysis)
        if row.stack in own and row.benchmark in EQUATIONS and row.median_ns is not None
    }
    gains = _gains(analysis, set(own))
    order = in_order(analysis.run, list(dict.fromkeys(key[0] for key in rows)))
    found = []
    for (binding, benchmark, mode, size_bytes, ranks), row in rows.items():
        if mode != "blocking" or is_arm_of_c(binding):
            continue
        scales = scaling.get((binding, benchmark, mode, size_bytes, ranks))
        saved = gains.get((binding, benchmark, size_bytes, ranks), [])
        found.append(
            Solved(
                binding,
                benchmark,
                size_bytes,
                ranks,
                blocking=_timed(row),
                overlapped=_timed_if(rows.get((binding, benchmark, "overlapped", size_bytes, ranks))),
                gain=statistics.median(saved) if saved else None,
                gain_interval=_gain_interval(saved),
                interval=_interval(row),
                speedup=scales.speedup if scales else None,
                communication=scales.communication if scales else None,
                lines=lines.get(binding, {}).get(benchmark),
            )
        )
    found.sort(key=lambda s: (EQUATIONS.index(s.benchmark), s.size_bytes, order.index(s.binding), s.ranks))
    return found


def _timed(row: Row) -> Timed:
    assert row.median_ns is not None  # only such rows are looked at
    return Timed(row.median_ns, 1.0 if row.binding == REFERENCE else row.ratio_to_c)


def _gains(analysis: Analysis, stacks: set[str]) -> dict[tuple[str, str, int, int], list[float]]:
    """By binding, benchmark, size and ranks what overlapping saves in each launch, which times both."""
    case = ["binding", "benchmark", "size_bytes", "ranks"]
    medians = analysis.launch_medians.filter(
        pl.col("stack").is_in(stacks), pl.col("benchmark").is_in(EQUATIONS), pl.col("mode").is_in(_BOTH)
    )
    if not set(_BOTH) <= set(medians["mode"]):
        return {}
    both = medians.pivot("mode", index=["stack", "block", *case], values="median_ns")
    saved = both.drop_nulls(_BOTH).with_columns(saved=1 - pl.col("overlapped") / pl.col("blocking"))
    return {(b, n, s, r): gains for b, n, s, r, gains in saved.group_by(case).agg(pl.col("saved")).iter_rows()}


def _gain_interval(saved: Sequence[float]) -> tuple[float, float] | None:
    interval = median_interval(saved) if saved else None
    return None if interval is None else (interval.low, interval.high)


def _interval(row: Row) -> tuple[float, float] | None:
    return None if row.ratio_low is None or row.ratio_high is None else (row.ratio_low, row.ratio_high)


def _timed_if(row: Row | None) -> Timed | None:
    return None if row is None else _timed(row)


def statements(found: Sequence[Solved], processors: int | None) -> list[str]:
    """Published statements on such solvers, each with a stack's result, if no ranks share a processor."""
    counts = {one.ranks for one in found}
    ranks = max((n for n in counts if processors is None or n <= processors), default=min(counts, default=0))
    by_mesh = [list(group) for _, group in groupby((s for s in found if s.ranks == ranks), key=lambda s: s.mesh)]
    styles = [[s for s in group if s.binding != REFERENCE] for group in by_mesh]
    said = [_against_c(styles), _among_each_other(styles), _overlapping(styles)] if any(styles) else []
    return [sentence(f"On {count(ranks, 'rank')}, {text}") for text in said if text]


def _against_c(meshes: Iterable[Sequence[Solved]]) -> str:
    over = {
        group[0].mesh: sorted(s.blocking.ratio_to_c for s in group if s.blocking.ratio_to_c is not None)
        for group in meshes
        if group
    }
    over = {mesh: ratios for mesh, ratios in over.items() if ratios}
    if not over:
        return ""
    said = [f"{plain_ratio(ratios[0])} to {plain_ratio(ratios[-1])} × ({mesh})" for mesh, ratios in over.items()]
    low, high = min(ratios[0] for ratios in over.values()), max(ratios[-1] for ratios in over.values())
    published = f"{plain_ratio(SLOWER[0])} to {plain_ratio(SLOWER[1])} ×"
    if high < SLOWER[0]:
        verdict = f"less than the published {published}"
    elif low > SLOWER[1]:
        verdict = f"more than the published {published}"
    else:
        verdict = f"this range and the published {published} overlap"
    return f"the styles take {listing(said)} as long as C: {verdict}"


def _among_each_other(meshes: Iterable[Sequence[Solved]]) -> str:
    spread, alike, enough = {}, True, True
    for group in meshes:
        ratios = [s.blocking.ratio_to_c for s in group if s.blocking.ratio_to_c is not None]
        if len(ratios) > 1:
            spread[group[0].mesh] = max(ratios) / min(ratios) - 1
            intervals = [s.interval for s in group if s.interval is not None]
            enough &= len(intervals) == len(group)
            alike &= enough and max(i[0] for i in intervals) <= min(i[1] for i in intervals)
    if not spread:
        return ""
    said = [f"{percent(share)} ({mesh})" for mesh, share in spread.items()]
    if max(spread.values()) <= HARDLY:
        verdict = "they hardly differ, as published"
    elif alike:
        verdict = "their intervals overlap, so the styles cannot be distinguished, as published"
    elif enough:
        verdict = "they differ, unlike published"
    else:
        verdict = "there are too few launches to tell whether they differ"
    return f"between the fastest and the slowest style lie {listing(said)}: {verdict}"


def _overlapping(meshes: Iterable[Sequence[Solved]]) -> str:
    waves = [group for group in meshes if group and group[0].benchmark == EQUATIONS[0]]
    if not waves:
        return ""
    group = max(waves, key=lambda g: g[0].size_bytes)
    timed = [s for s in group if s.gain is not None]
    if not timed:
        return ""
    said = (
        f"in the {group[0].mesh} overlapping saves {_range([s.gain for s in timed if s.gain is not None])} of the time"
    )
    intervals = [s.gain_interval for s in timed if s.gain_interval is not None]
    if len(intervals) < len(timed):
        return f"{said}: there are too few launches to tell whether it gains"
    gaining, losing = sum(low >= LEAST_GAIN for low, _ in intervals), sum(high <= -LEAST_GAIN for _, high in intervals)
    gains = 2 * gaining > len(timed)
    verdict = f"it gains clearly in {gaining} and loses clearly in {losing} of {count(len(timed), 'style')}"
    if BENCHMARKS["wave"].edge(group[0].size_bytes) != GAINING_EDGE:
        return f"{said}: {verdict}; published it gained at {GAINING_EDGE}³, which '--profile standard' measures"
    return f"{said}: {verdict}, {'as' if gains else 'unlike'} published"


def _range(shares: Sequence[float]) -> str:
    least, most = (f"{MINUS if share < 0 else ''}{percent(abs(share))}" for share in (min(shares), max(shares)))
    return least if least == most else f"{least} to {most}"
