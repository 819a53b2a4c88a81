"""How often does ``polympi gate`` find a change that is there, and one that is not?

    python benchmarks/gate_simulation.py --runs 1000

makes up baselines, and the rounds of later runs, as ``diff_simulation.py`` makes up pairs, and judges them as ``polympi
gate`` does. It exits with 1 if more than 1 % of the runs in which nothing changed fail the gate, or if of the runs in
which one binding became slower in one benchmark fewer fail it than they should: 95 % at 20 %, 80 % at 10 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
import typer
from diff_simulation import CHANGED, EQUAL, PERMUTATIONS, Machine, Noise, Scenario, share
from evidence import CsvFile, end_by_targets, keep_raw, refuse_existing, run_command
from rich.table import Table

from polympi.lab.catalogue import Case
from polympi.lab.cli.console import results, say
from polympi.lab.plan.profiles import get_profile
from polympi.lab.statistics.comparison.compare import THRESHOLD, compare_medians
from polympi.lab.statistics.comparison.model import UNKNOWN
from polympi.lab.statistics.comparison.rounds import FIRST_ROUND, MOST_ROUNDS, Rounds, are
from polympi.lab.statistics.comparison.verdicts import EXIT_SLOWER, exit_code_of
from polympi.lab.statistics.verdicts import SLOWER
from polympi.lab.units import parse_percent

MOST_FALSE = 0.01


def _latency(case: Case) -> bool:
    return case.benchmark == "latency"


PLANTED = {  # with the smallest share that has to be found
    Scenario("latency, 20 % slower", 1.2, _latency): 0.95,
    Scenario("latency, 10 % slower", 1.1, _latency): 0.80,
}


@dataclass(frozen=True)
class Outcome:
    """What one gate said."""

    scenario: str
    exit_code: int
    found: bool  # the group in which something changes is called slower
    slower: int  # how many groups are; likewise the next
    unknown: int
    groups: int
    rounds: int
    launches: float  # of all rounds, over those of the first

    @property
    def false_alarm(self) -> bool:
        """Whether a group in which nothing changed is called slower."""
        return self.slower > self.found


def simulate(
    scenario: Scenario, runs: int, *, baseline: int, threshold: float, seed: int, benches: Sequence[str] = ()
) -> list[Outcome]:
    """Judge made-up runs, each with a baseline of this many launches; a seed gives the same runs."""
    random = np.random.default_rng(seed)
    return [_gate(scenario, baseline, threshold, random, benches) for _ in range(runs)]


def _gate(
    scenario: Scenario, baseline: int, threshold: float, random: np.random.Generator, benches: Sequence[str]
) -> Outcome:
    machine = Machine(baseline, Noise(), random, benches)
    before, spread = machine.run(scenario, later=False), machine.spread
    rounds, launches, whole = Rounds(), 0.0, 0
    for number in range(MOST_ROUNDS):
        machine = Machine(FIRST_ROUND * 2**number, Noise(), random, benches)
        machine.spread = spread
        after = machine.run(scenario, later=True)
        chosen = are(rounds.open) if number else None
        comparison = compare_medians(before, after, chosen=chosen, threshold=threshold, permutations=PERMUTATIONS)
        whole = whole or len(comparison.groups)
        launches += 2**number * len(comparison.groups) / whole
        rounds.add(comparison)
        if not rounds.open:
            break
    groups = rounds.conclude(comparison).groups
    verdicts = [group.verdict for group in groups]
    changed = next(group for group in groups if (group.binding, group.benchmark) == (CHANGED, "latency"))
    return Outcome(
        scenario=scenario.name,
        exit_code=exit_code_of(verdicts),
        found=changed.verdict == SLOWER,
        slower=verdicts.count(SLOWER),
        unknown=verdicts.count(UNKNOWN),
        groups=len(verdicts),
        rounds=number + 1,
        launches=launches,
    )


def is_met(outcomes: Sequence[Outcome]) -> bool:
    """Whether the outcomes of one scenario meet its target."""
    failed = share(outcomes, lambda o: o.exit_code == EXIT_SLOWER)
    targets = {scenario.name: fewest for scenario, fewest in PLANTED.items()}
    name = outcomes[0].scenario
    return failed <= MOST_FALSE if name == EQUAL.name else share(outcomes, lambda o: o.found) >= targets[name]


def main(
    *,
    runs: Annotated[int, typer.Option(min=1, metavar="N", help="How many runs are like their baseline.")] = 1000,
    planted: Annotated[int, typer.Option(min=1, metavar="N", help="How many runs a planted change has.")] = 200,
    baseline: Annotated[int, typer.Option(min=2, metavar="N", help="Launches of the baseline.")] = get_profile(
        "baseline"
    ).maximum_blocks,
    threshold: Annotated[
        str, typer.Option(metavar="PERCENT", help="The threshold of 'polympi gate'.")
    ] = f"{THRESHOLD:.0%}",
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of what is made up.")] = 1,
    csv: CsvFile = None,
) -> None:
    """Count what 'polympi gate' finds in made-up runs; exits with 1 if a target is missed."""
    refuse_existing(csv)
    limit, outcomes = parse_percent(threshold), []
    for number, scenario in enumerate((EQUAL, *PLANTED)):
        say(scenario.name)
        many = runs if scenario == EQUAL else planted
        outcomes.append(simulate(scenario, many, baseline=baseline, threshold=limit, seed=seed + number))
    keep_raw(pl.DataFrame([vars(outcome) for some in outcomes for outcome in some]), csv)
    results.print(_table(outcomes, baseline, threshold))
    missed = [some[0].scenario for some in outcomes if not is_met(some)]
    end_by_targets(missed)


def _table(outcomes: Sequence[Sequence[Outcome]], baseline: int, threshold: str) -> Table:
    groups = outcomes[0][0].groups
    title = f"a baseline of {baseline} launches, {groups} groups, threshold {threshold}"
    table = Table(title=title, box=None)
    table.add_column("made slower", no_wrap=True)
    for header in ("runs", "found", "others slower", "exit 0", "exit 1", "exit 3", "rounds", "launches"):
        table.add_column(header, justify="right", overflow="fold")
    for some in outcomes:
        exits = [share(some, lambda o, code=code: o.exit_code == code) for code in (0, 1, 3)]  # type: ignore[misc]
        table.add_row(
            some[0].scenario,
            str(len(some)),
            "–" if some[0].scenario == EQUAL.name else f"{share(some, lambda o: o.found):.1%}",
            f"{share(some, lambda o: o.false_alarm):.1%}",
            *(f"{each:.1%}" for each in exits),
            f"{sum(o.rounds for o in some) / len(some):.1f}",
            f"{sum(o.launches for o in some) / len(some):.2f}×",
        )
    return table


if __name__ == "__main__":
    run_command(main)
