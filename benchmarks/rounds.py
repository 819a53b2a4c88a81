"""The comparison of one third-party program with ours, size by size, from launches paired by round."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from opponents import Opponent
from our_figures import REPORTED

from polympi.lab.conclusions.phrases import count
from polympi.lab.errors import StackError
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.units import format_size

RAW_SCHEMA: dict[str, type[pl.DataType]] = {
    "round": pl.Int64,
    "position": pl.Int64,
    "figure": pl.String,
    "benchmark": pl.String,
    "size_bytes": pl.Int64,
    "time_ns": pl.Float64,
}


WITHIN, UNSETTLED, OUTSIDE = "within", "unsettled", "OUTSIDE"


@dataclass(frozen=True)
class Difference:
    """One of our figures against that of another program."""

    ours_ns: float  # median over rounds
    ratio: float  # exp of the median over rounds of the log-ratio, ours to theirs
    low: float | None  # its interval; None with fewer than 6 rounds
    high: float | None

    def within(self, most: float) -> bool:
        """Whether the median keeps a target such as 0.05, in either direction."""
        return abs(math.log(self.ratio)) <= math.log1p(most)

    def beyond(self, most: float) -> bool:
        """Whether the whole interval, or without one the median, is farther off than the target."""
        low, high = self.low or self.ratio, self.high or self.ratio
        return math.log(low) > math.log1p(most) or math.log(high) < -math.log1p(most)


@dataclass(frozen=True)
class Row:
    """The comparison of one size: the median over rounds of theirs, and our two figures against it."""

    size_bytes: int
    theirs_ns: float
    reported: Difference
    alike: Difference


@dataclass(frozen=True)
class Comparison:
    """All sizes of one third-party program, ascending."""

    opponent: Opponent
    rows: Sequence[Row]

    def judged(self, row: Row) -> Difference:
        """The difference that has to be small."""
        return row.reported if self.opponent.judged == REPORTED else row.alike

    def verdict(self, row: Row) -> str:
        """``within`` the target; ``OUTSIDE`` with all of the interval; else ``unsettled``: more rounds would tell."""
        judged = self.judged(row)
        if judged.within(self.opponent.most):
            return WITHIN
        return OUTSIDE if judged.beyond(self.opponent.most) else UNSETTLED

    def count(self, verdict: str) -> int:
        """Sizes with that verdict."""
        return sum(self.verdict(row) == verdict for row in self.rows)

    @property
    def met(self) -> bool:
        """Whether there are sizes, and all keep the target."""
        return bool(self.rows) and self.count(WITHIN) == len(self.rows)

    @property
    def missed(self) -> bool:
        """Whether a size is outside the target for certain."""
        return self.count(OUTSIDE) > 0


def compare(raw: pl.DataFrame, opponent: Opponent) -> Comparison:
    """Compare, as :data:`RAW_SCHEMA`, at the sizes that all have in every round; StackError if a time is zero."""
    figures = [REPORTED, opponent.alike, opponent.name]
    wide = (
        raw.filter(pl.col("figure").is_in(figures), benchmark=opponent.benchmark)
        .pivot(on="figure", index=["size_bytes", "round"], values="time_ns")
        .sort("size_bytes", "round")
    )
    if not set(figures) <= set(wide.columns):
        return Comparison(opponent, [])
    rounds = raw["round"].n_unique()
    of_sizes = wide.drop_nulls(figures).group_by("size_bytes", maintain_order=True)
    return Comparison(opponent, [_row(group, opponent) for _, group in of_sizes if group.height == rounds])


def _row(group: pl.DataFrame, opponent: Opponent) -> Row:
    theirs = group[opponent.name].to_list()
    size = int(group["size_bytes"][0])
    return Row(
        size_bytes=size,
        theirs_ns=statistics.median(theirs),
        reported=_difference(group[REPORTED].to_list(), theirs, size),
        alike=_difference(group[opponent.alike].to_list(), theirs, size),
    )


def _difference(ours: Sequence[float], theirs: Sequence[float], size: int) -> Difference:
    effect = paired_effect(ours, theirs)
    if effect.log_ratio is None:
        raise StackError(f"A time of {format_size(size)} is zero: the clock does not tell anything here.")
    interval = effect.log_interval
    return Difference(
        ours_ns=statistics.median(ours),
        ratio=math.exp(effect.log_ratio),
        low=None if interval is None else math.exp(interval.low),
        high=None if interval is None else math.exp(interval.high),
    )


def farthest(rows: Sequence[Row], reported: bool) -> tuple[Row, Difference]:
    """The size where one of our figures differs most from theirs."""
    pairs = [(row, row.reported if reported else row.alike) for row in rows]
    return max(pairs, key=lambda pair: abs(math.log(pair[1].ratio)))


def conclusion(comparison: Comparison, stack: str, rounds: int) -> str:
    """The result for one program in one sentence."""
    opponent, rows = comparison.opponent, comparison.rows
    row, off = farthest(rows, opponent.judged == REPORTED)
    rest = [f"{comparison.count(verdict)} {verdict}" for verdict in (UNSETTLED, OUTSIDE) if comparison.count(verdict)]
    target = "met" if comparison.met else "MISSED" if comparison.missed else "not settled; more rounds would tell"
    return (
        f"On stack {stack}, over {count(rounds, 'round')}, our time of {opponent.benchmark} ({opponent.judged}) is "
        f"within {opponent.most:.0%} of that of {opponent.name} at {comparison.count(WITHIN)} of "
        f"{count(len(rows), 'size')} from {format_size(rows[0].size_bytes)} to {format_size(rows[-1].size_bytes)}"
        f"{' (' + ', '.join(rest) + ')' if rest else ''}; it differs most at {format_size(row.size_bytes)}, by "
        f"{off.ratio - 1:+.1%}: the target is {target}."
    )
