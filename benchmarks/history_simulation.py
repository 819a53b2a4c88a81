"""How often does ``polympi history`` find a change that is there, and one that is not?

    python benchmarks/history_simulation.py --histories 1000

makes up histories of quick runs, as ``diff_simulation.py`` makes up pairs of them, and judges each as ``polympi
history`` does. It exits with 1 if more than 5 % of the histories in which nothing changed show a change, or if of those
in which one binding became 20 % slower in one benchmark, at a run chosen by chance, fewer than 95 % show that at that
run.

Real runs differ by more than their launches. So histories are also made up with bindings that are faster or slower by
chance in each run as a whole, each in each benchmark. They have the same targets, though a step of 20 % isn't always
larger than what their runs differ by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
import typer
from diff_simulation import BINDINGS, CHANGED, EQUAL, Machine, Noise, Scenario, share
from evidence import CsvFile, end_by_targets, keep_raw, refuse_existing, run_command
from rich.table import Table

from polympi.lab.catalogue import Case
from polympi.lab.cli.console import results, say
from polympi.lab.statistics.comparison.compare import THRESHOLD
from polympi.lab.statistics.history.follow import follow
from polympi.lab.statistics.history.model import Step
from polympi.lab.statistics.verdicts import SLOWER
from polympi.lab.units import parse_percent

MOST_FALSE, FEWEST_FOUND = 0.05, 0.95
BETWEEN = 0.03  # of a binding in a benchmark, from run to run; a standard deviation of logarithms


def _latency(case: Case) -> bool:
    return case.benchmark == "latency"


PLANTED = Scenario("latency, 20 % slower", 1.2, _latency)


@dataclass(frozen=True)
class Outcome:
    """What one history said."""

    scenario: str
    between: float  # the spread between runs
    found: bool  # the change, at its run
    late: bool  # the change, at another run
    false: int  # other changes
    last: bool  # whether it begins with the last run
    groups: int


def simulate(
    scenario: Scenario,
    histories: int,
    *,
    runs: int,
    launches: int = 9,
    between: float = 0.0,
    threshold: float = THRESHOLD,
    seed: int = 1,
    benches: Sequence[str] = (),
) -> list[Outcome]:
    """Judge made-up histories; a seed gives the same ones."""
    random = np.random.default_rng(seed)
    machine = Machine(launches, Noise(), random, benches)
    return [_judge(scenario, machine, runs, between=between, threshold=threshold) for _ in range(histories)]


def _judge(scenario: Scenario, machine: Machine, runs: int, *, between: float, threshold: float) -> Outcome:
    random = machine.random
    first = int(random.integers(2, runs + 1))  # the number of the first slower run
    made = [machine.run(scenario, later=number >= first) for number in range(1, runs + 1)]
    history = follow([_as_another(run, between, random) for run in made], threshold=threshold)
    mine = [step for step in history.steps if scenario is not EQUAL and _is_planted(step)]
    return Outcome(
        scenario=scenario.name,
        between=between,
        found=any(step.run == first for step in mine),
        late=all(step.run != first for step in mine) and bool(mine),
        false=len(history.steps) - bool(mine),
        last=first == runs,
        groups=len(history.series),
    )


def _is_planted(step: Step) -> bool:
    return (step.binding, step.benchmark, step.verdict) == (CHANGED, "latency", SLOWER)


def _as_another(run: pl.DataFrame, between: float, random: np.random.Generator) -> pl.DataFrame:
    """The run with each binding faster or slower by chance in each benchmark."""
    places = run.filter(pl.col("binding").is_in(BINDINGS)).select("binding", "benchmark").unique(maintain_order=True)
    factors = places.with_columns(factor=pl.Series(np.exp(random.normal(0, between, places.height))))
    joined = run.join(factors, on=["binding", "benchmark"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("median_ns") * pl.col("factor").fill_null(1.0)).drop("factor")


def is_met(outcomes: Sequence[Outcome]) -> bool:
    """Whether the outcomes of one scenario meet its target."""
    if outcomes[0].scenario == EQUAL.name:
        return share(outcomes, lambda o: o.false > 0) <= MOST_FALSE
    return share(outcomes, lambda o: o.found) >= FEWEST_FOUND


def main(
    *,
    histories: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many histories of runs that differ by their launches alone, with and without a change.",
        ),
    ] = 1000,
    others: Annotated[int, typer.Option(min=1, metavar="N", help="How many of runs that differ more.")] = 200,
    bench: Annotated[
        str, typer.Option(metavar="NAME,...", help="Benchmarks of the quick profile, latency among them.")
    ] = "latency/standard/bytes,barrier,bcast/standard/bytes",
    runs: Annotated[int, typer.Option(min=2, metavar="N", help="Runs of a history.")] = 10,
    launches: Annotated[int, typer.Option(min=2, metavar="N", help="Launches of each run.")] = 9,
    threshold: Annotated[
        str, typer.Option(metavar="PERCENT", help="The threshold of 'polympi history'.")
    ] = f"{THRESHOLD:.0%}",
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of what is made up.")] = 1,
    csv: CsvFile = None,
) -> None:
    """Count what 'polympi history' finds in made-up histories; exits with 1 if a target is missed."""
    refuse_existing(csv)
    limit, outcomes = parse_percent(threshold), []
    designs = [(scenario, between) for between in (0.0, BETWEEN) for scenario in (EQUAL, PLANTED)]
    for number, (scenario, between) in enumerate(designs):
        say(f"{scenario.name}, {between:.0%} between runs")
        outcomes.append(
            simulate(
                scenario,
                others if between else histories,
                runs=runs,
                launches=launches,
                between=between,
                threshold=limit,
                seed=seed + number,
                benches=bench.split(","),
            )
        )
    keep_raw(pl.DataFrame([vars(outcome) for some in outcomes for outcome in some]), csv)
    results.print(_table(outcomes, runs, launches, threshold))
    missed = [f"{some[0].scenario} ({some[0].between:.0%} between runs)" for some in outcomes if not is_met(some)]
    end_by_targets(missed)


def _table(outcomes: Sequence[Sequence[Outcome]], runs: int, launches: int, threshold: str) -> Table:
    groups = outcomes[0][0].groups
    title = f"{runs} runs of {launches} launches, {groups} groups, threshold {threshold}"
    table = Table(title=title, box=None)
    table.add_column("made slower", no_wrap=True)
    for header in ("between runs", "histories", "found at its run", "at another", "in the last run", "other changes"):
        table.add_column(header, justify="right", overflow="fold")
    for some in outcomes:
        planted, last = some[0].scenario != EQUAL.name, [one for one in some if one.last]
        table.add_row(
            some[0].scenario,
            f"{some[0].between:.0%}",
            str(len(some)),
            f"{share(some, lambda o: o.found):.1%}" if planted else "–",
            f"{share(some, lambda o: o.late):.1%}" if planted else "–",
            f"{share(last, lambda o: o.found):.1%} of {len(last)}" if planted and last else "–",
            f"{share(some, lambda o: o.false > 0):.1%}",
        )
    return table


if __name__ == "__main__":
    run_command(main)
