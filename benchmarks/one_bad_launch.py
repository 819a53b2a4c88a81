"""What does one launch gone wrong do to the verdicts of a run?

    python benchmarks/one_bad_launch.py

simulates runs of which the truth is known: a binding without any effect in most cases, 1.2, 1.5 and 4.2 times as slow
as C in others, on a machine that drifts and whose launches have skewed noise. In some runs one launch of C, or one of
the binding, is three times as slow as it should be in all its cases. The rows are judged as those of a real run, in
four designs: six, nine or ten blocks, compared with one launch of C in each block or with both. Nothing is launched,
and the same seed gives the same table. It exits with 1 if the design of the quick profile (nine blocks, both launches
of C) calls fewer than 95 % of the 1.5-fold and 4.2-fold effects slower, or more than 5 % of the rows without an effect
slower or faster.
"""

import math
from dataclasses import astuple, dataclass
from typing import Annotated, Final

import numpy as np
import polars as pl
import typer
from evidence import MISSED, CsvFile, keep_raw, refuse_existing, run_command
from numpy.typing import NDArray
from rich.table import Table

from polympi.lab.cli.console import results
from polympi.lab.plan.profiles import QUICK_BLOCKS
from polympi.lab.records import AGAIN
from polympi.lab.statistics.effects import PairedEffect, paired_effect
from polympi.lab.statistics.floor import noise_floors
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.pairs import Pairs
from polympi.lab.statistics.verdicts import FASTER, SLOWER, family_q_values, verdict

BINDING: Final = "binding"
C: Final = "C"
NOBODY: Final = "none"
TRUE_RATIOS = (1.0,) * 60 + (1.2, 1.5, 4.2) * 10  # of the cases: two thirds without an effect
EFFECTS = (1.2, 1.5, 4.2)
DRIFT = 0.1  # standard deviation of a step from block to block, common to all launches
SCALE = 0.02  # of the Gumbel noise that a launch has as a whole, and of that of each time: together 3.6 % of a time
FOUND, FALSE = 0.95, 0.05  # least share of effects that the quick design finds; largest share of rows called wrongly

_Logs = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """How a run is made: its blocks, and whether both launches of C in a block are compared with."""

    blocks: int
    both: bool

    @property
    def name(self) -> str:
        """In words: ``9 blocks, C twice``."""
        return f"{self.blocks} blocks, C {'twice' if self.both else 'once'}"


QUICK = Design(QUICK_BLOCKS, both=True)
DESIGNS = (Design(6, both=False), Design(QUICK_BLOCKS, both=False), QUICK, Design(10, both=True))


@dataclass(frozen=True)
class Judged:
    """A row of a simulated run."""

    design: str
    bad: str  # which arm had the bad launch: `none`, `C` or `binding`
    ratio: float  # the true ratio to C
    verdict: str  # the word in the report
    low: float  # the interval of the ratio
    high: float


def simulate(design: Design, bad: str, factor: float, random: np.random.Generator) -> list[Judged]:
    """Make up a run, an arm of which has a launch slower by the factor (C its first of a block), and judge its rows."""
    cases = len(TRUE_RATIOS)
    launches = random.gumbel(0, SCALE, (3, 1, design.blocks)) + random.gumbel(0, SCALE, (3, cases, design.blocks))
    c, again, binding = launches + np.cumsum(random.normal(0, DRIFT, design.blocks))
    binding += np.log(TRUE_RATIOS)[:, None]
    if bad != NOBODY:
        (c if bad == C else binding)[:, random.integers(design.blocks)] += math.log(factor)
    reference = (c + again) / 2 if design.both else c
    pairs = _pairs(BINDING, binding, reference) | _pairs(AGAIN, again, c)
    effects = {key: paired_effect(p.binding, p.reference) for key, p in pairs.items()}
    floors = noise_floors({k: e.log_interval for k, e in effects.items() if k.binding == AGAIN and e.log_interval})
    q_values = family_q_values(pairs)
    return [
        Judged(
            design.name, bad, ratio, verdict(effects[key], floors[key.of(AGAIN)], q_values[key]), *_ends(effects[key])
        )
        for key, ratio in zip((key for key in pairs if key.binding == BINDING), TRUE_RATIOS, strict=True)
    ]


def shares(rows: pl.DataFrame) -> pl.DataFrame:
    """For each design and bad launch: how many effects are called slower, and what the intervals are worth.

    Of columns as the fields of :class:`Judged` it makes ``design, bad``; ``slower_R``, the share of rows of the true
    ratio R that are called slower; ``false``, the share of rows without an effect that are called slower or faster;
    ``width``, the median of (high - low) / ratio; ``coverage``, the share of all intervals that contain the true ratio.
    """
    slower = pl.col("verdict") == SLOWER
    called = pl.col("verdict").is_in([SLOWER, FASTER])
    return rows.group_by("design", "bad", maintain_order=True).agg(
        *(slower.filter(pl.col("ratio") == ratio).mean().alias(f"slower_{ratio}") for ratio in EFFECTS),
        called.filter(pl.col("ratio") == 1.0).mean().alias("false"),
        ((pl.col("high") - pl.col("low")) / pl.col("ratio")).median().alias("width"),
        pl.col("ratio").is_between("low", "high").mean().alias("coverage"),
    )


def is_met(table: pl.DataFrame) -> bool:
    """Whether, in a table of :func:`shares`, the design of the quick profile keeps its promise in all cases."""
    quick = table.filter(pl.col("design") == QUICK.name)
    kept = (pl.col("slower_1.5") >= FOUND) & (pl.col("slower_4.2") >= FOUND) & (pl.col("false") <= FALSE)
    return not quick.is_empty() and bool(quick.select(kept.all()).item())


def main(
    *,
    runs: Annotated[int, typer.Option(min=1, metavar="N", help="Runs of each design with each bad launch.")] = 100,
    bad: Annotated[float, typer.Option(min=1.0, metavar="FACTOR", help="How much slower a bad launch is.")] = 3.0,
    seed: Annotated[int, typer.Option(help="Of the noise.")] = 1,
    csv: CsvFile = None,
) -> None:
    """Simulate what one bad launch does to verdicts; exits with 1 if the quick profile does not withstand it."""
    refuse_existing(csv)
    random = np.random.default_rng(seed)
    judged = [
        astuple(row)
        for design in DESIGNS
        for arm in (NOBODY, C, BINDING)
        for _ in range(runs)
        for row in simulate(design, arm, bad, random)
    ]
    raw = pl.DataFrame(judged, schema=list(Judged.__annotations__), orient="row")
    keep_raw(raw, csv)
    table = shares(raw)
    results.print(_table(table))
    results.print(
        f"With {QUICK.name}, effects of 1.5 and more are to be called slower in {FOUND:.0%} of the rows, and rows "
        f"without an effect slower or faster in at most {FALSE:.0%}, whichever launch is {bad:g} times as slow as it "
        f"should be: the target is {'met' if is_met(table) else 'MISSED'}.",
        soft_wrap=True,
    )
    if not is_met(table):
        raise typer.Exit(MISSED)


def _pairs(arm: str, logs: _Logs, reference: _Logs) -> dict[RowKey, Pairs]:
    """The rows of an arm; the size stands for the number of the case."""
    blocks = np.arange(logs.shape[1])
    return {
        RowKey("simulated", arm, "latency", "standard", "bytes", case, 2): Pairs(blocks, np.exp(ours), np.exp(c))
        for case, (ours, c) in enumerate(zip(logs, reference, strict=True))
    }


def _ends(effect: PairedEffect) -> tuple[float, float]:
    if effect.log_interval is None:
        raise ValueError(f"{effect.blocks} blocks have no interval")
    return math.exp(effect.log_interval.low), math.exp(effect.log_interval.high)


def _table(table: pl.DataFrame) -> Table:
    shown = Table(title="Rows called slower, by design and by which launch is bad")
    headings = ("design", "bad", *(f"{ratio:g}x" for ratio in EFFECTS), "false", "width", "coverage")
    for number, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if number < 2 else "right", no_wrap=True)
    for design, arm, *found, false, width, coverage in table.iter_rows():
        shown.add_row(
            design, arm, *(f"{share:.0%}" for share in found), f"{false:.1%}", f"{width:.0%}", f"{coverage:.1%}"
        )
    return shown


if __name__ == "__main__":
    run_command(main)
