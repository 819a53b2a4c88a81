"""How often does ``polympi diff`` find a change that is there, and one that is not?

    python benchmarks/diff_simulation.py --pairs 1000

makes up pairs of quick runs of which the truth is known, and compares each pair as ``polympi diff`` does. It exits with
1 if more than 5 % of the pairs that are equal show something slower, or if of the pairs in which something was made
slower fewer than 95 % are called slower.

A made-up run has the cases of the quick profile, C twice and six bindings. The machine drifts from block to block, all
arms together, and is another one in the later run. Every launch is a little fast or slow as a whole, and so is every
case in it, each case by its own measure; now and then a value or a whole launch is much too slow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

import numpy as np
import polars as pl
import typer
from evidence import CsvFile, end_by_targets, keep_raw, refuse_existing, run_command
from numpy.typing import NDArray
from rich.table import Table

from polympi.lab.catalogue import Case
from polympi.lab.cli.console import results, say
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.profiles import get_profile
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.comparison.compare import THRESHOLD, compare_medians
from polympi.lab.statistics.comparison.model import SAME, UNKNOWN
from polympi.lab.statistics.comparison.verdicts import EXIT_SLOWER, exit_code_of
from polympi.lab.statistics.verdicts import FASTER, SLOWER
from polympi.lab.units import parse_percent

BINDINGS = tuple(f"binding-{number}" for number in range(1, 7))
CHANGED = BINDINGS[2]  # the binding that becomes slower
STARTUP = (Case("startup", "first-barrier", "none", 0), Case("startup", "init", "none", 0))
PERMUTATIONS = 2_000  # fewer than the command takes, for speed; the test is exact with any number
MOST_FALSE, FEWEST_FOUND = 0.05, 0.95

_Matrix = NDArray[np.float64]
_Outcome = TypeVar("_Outcome")


@dataclass(frozen=True)
class Noise:
    """The spread of a made-up machine, as standard deviations of logarithms and as shares.

    The figures are round ones of the size that launches on a virtual machine with two cores show.
    """

    block: float = 0.1  # of a block, all arms together
    launch: float = 0.02  # of a launch as a whole
    case_low: float = 0.03  # of a case in a launch; each case has its own, between this and the next
    case_high: float = 0.08
    bad_values: float = 0.03  # how many values, and whole launches, are too slow
    bad_launches: float = 0.01
    bad: float = 0.4  # by how much those are too slow, in the mean (exponential)
    later: float = 1.3  # the factor of the machine in the later run


@dataclass(frozen=True)
class Scenario:
    """What differs between the two runs of a pair."""

    name: str
    factor: float = 1.0  # of the changed rows
    changed: Callable[[Case], bool] = lambda _: False  # whether a row of `CHANGED` is one of them


def _latency(case: Case) -> bool:
    return case.benchmark == "latency"


def _one_row(case: Case) -> bool:
    return case == Case("latency", "standard", "bytes", 64)


EQUAL = Scenario("nothing")
PLANTED = (
    Scenario("latency, 3 times", 3.0, _latency),
    Scenario("latency, 1.5 times", 1.5, _latency),
    Scenario("latency, 1.2 times", 1.2, _latency),
    Scenario("one row of it, 3 times", 3.0, _one_row),
)


class Machine:
    """Makes up runs, which differ by chance and by what a scenario changes."""

    def __init__(self, blocks: int, noise: Noise, random: np.random.Generator, benches: Sequence[str] = ()) -> None:
        self.cases = [*select_cases(get_profile("quick"), benches, None, 2), *STARTUP]
        self.blocks, self.noise, self.random = blocks, noise, random
        self.spread = random.uniform(noise.case_low, noise.case_high, len(self.cases))
        arms = (REFERENCE, AGAIN, *BINDINGS)
        self._rows = pl.concat(
            [
                pl.DataFrame({"stack": "made-up", "block": pl.Series(range(blocks), dtype=pl.Int64)})
                .join(pl.DataFrame({"binding": arms}), how="cross", maintain_order="left_right")
                .join(_as_frame(self.cases), how="cross", maintain_order="left_right")
            ]
        )
        self._shape = (blocks, len(arms), len(self.cases))

    def run(self, scenario: Scenario, *, later: bool) -> pl.DataFrame:
        """The launch medians of a run; the later one is changed as the scenario says."""
        noise, (blocks, arms, _) = self.noise, self._shape
        logs = np.log(1000.0) + self.random.normal(0, noise.block, (blocks, 1, 1))
        logs = logs + self.random.normal(0, noise.launch, (blocks, arms, 1)) + self._bad((blocks, arms, 1))
        logs = logs + self.random.normal(0, 1, self._shape) * self.spread + self._bad(self._shape)
        if later:
            logs += np.log(noise.later)
            changed = [scenario.changed(case) for case in self.cases]
            logs[:, 2 + BINDINGS.index(CHANGED), changed] += np.log(scenario.factor)
        return self._rows.with_columns(median_ns=pl.Series(np.exp(logs).ravel()))

    def _bad(self, shape: tuple[int, ...]) -> _Matrix:
        share = self.noise.bad_values if shape == self._shape else self.noise.bad_launches
        bad = self.random.random(shape) < share
        return np.where(bad, self.random.exponential(self.noise.bad, shape), 0.0)


def _as_frame(cases: Sequence[Case]) -> pl.DataFrame:
    columns = ("benchmark", "mode", "payload", "size_bytes")
    rows = {name: [getattr(case, name) for case in cases] for name in columns}
    return pl.DataFrame(rows).with_columns(ranks=pl.lit(2, dtype=pl.Int64))


@dataclass(frozen=True)
class Outcome:
    """What one comparison said."""

    scenario: str
    launches: int  # of each run
    exit_code: int  # what the command would exit with
    found: bool  # the group in which something changes is called slower
    groups: int
    slower: int  # how many groups have that verdict; likewise the next
    faster: int
    same: int
    unknown: int

    @property
    def false_alarm(self) -> bool:
        """Whether a group in which nothing changed is called slower."""
        return self.slower > self.found


def simulate(
    scenario: Scenario,
    pairs: int,
    *,
    launches: int,
    threshold: float = THRESHOLD,
    seed: int = 1,
    benches: Sequence[str] = (),
) -> list[Outcome]:
    """Compare made-up pairs of runs, by all benchmarks of the quick profile or some; a seed gives the same pairs."""
    machine = Machine(launches, Noise(), np.random.default_rng(seed), benches)
    outcomes = []
    for _ in range(pairs):
        before, after = machine.run(scenario, later=False), machine.run(scenario, later=True)
        comparison = compare_medians(before, after, threshold=threshold, permutations=PERMUTATIONS)
        verdicts = [group.verdict for group in comparison.groups]
        changed = next(g for g in comparison.groups if (g.binding, g.benchmark) == (CHANGED, "latency"))
        outcomes.append(
            Outcome(
                scenario=scenario.name,
                launches=launches,
                exit_code=exit_code_of(verdicts),
                found=changed.verdict == SLOWER,
                groups=len(verdicts),
                slower=verdicts.count(SLOWER),
                faster=verdicts.count(FASTER),
                same=verdicts.count(SAME),
                unknown=verdicts.count(UNKNOWN),
            )
        )
    return outcomes


def share(outcomes: Sequence[_Outcome], of: Callable[[_Outcome], bool]) -> float:
    """The share of the outcomes of which something holds."""
    return sum(map(of, outcomes)) / len(outcomes)


def is_met(outcomes: Sequence[Outcome]) -> bool:
    """Whether the outcomes of one scenario and one number of launches meet its target."""
    if outcomes[0].scenario == EQUAL.name:
        return share(outcomes, lambda o: o.slower > 0) <= MOST_FALSE
    return share(outcomes, lambda o: o.found and o.exit_code == EXIT_SLOWER) >= FEWEST_FOUND


def main(
    *,
    pairs: Annotated[int, typer.Option(min=1, metavar="N", help="How many pairs are equal.")] = 1000,
    planted: Annotated[int, typer.Option(min=1, metavar="N", help="How many pairs a planted change has.")] = 100,
    launches: Annotated[int, typer.Option(min=2, metavar="N", help="Launches of each run.")] = 9,
    threshold: Annotated[
        str, typer.Option(metavar="PERCENT", help="The threshold of 'polympi diff'.")
    ] = f"{THRESHOLD:.0%}",
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of what is made up.")] = 1,
    csv: CsvFile = None,
) -> None:
    """Count what 'polympi diff' finds in made-up pairs of runs; exits with 1 if a target is missed."""
    refuse_existing(csv)
    limit = parse_percent(threshold)
    outcomes = []
    for number, scenario in enumerate((EQUAL, *PLANTED)):
        say(scenario.name)
        many = pairs if scenario == EQUAL else planted
        outcomes.append(simulate(scenario, many, launches=launches, threshold=limit, seed=seed + number))
    keep_raw(pl.DataFrame([vars(outcome) for some in outcomes for outcome in some]), csv)
    results.print(_table(outcomes, launches, threshold))
    missed = [some[0].scenario for some in outcomes if not is_met(some)]
    end_by_targets(missed)


def _table(outcomes: Sequence[Sequence[Outcome]], launches: int, threshold: str) -> Table:
    groups = outcomes[0][0].groups
    table = Table(title=f"{launches} launches a run, {groups} groups, threshold {threshold}", box=None)
    table.add_column("made slower", no_wrap=True)
    for header in ("pairs", "found", "others slower", "exit 0", "exit 1", "exit 3", "groups unknown"):
        table.add_column(header, justify="right", overflow="fold")
    for some in outcomes:
        exits = [share(some, lambda o, code=code: o.exit_code == code) for code in (0, 1, 3)]  # type: ignore[misc]
        table.add_row(
            some[0].scenario,
            str(len(some)),
            "–" if some[0].scenario == EQUAL.name else f"{share(some, lambda o: o.found):.1%}",
            f"{share(some, lambda o: o.false_alarm):.1%}",
            *(f"{each:.1%}" for each in exits),
            f"{sum(o.unknown for o in some) / len(some) / groups:.1%}",
        )
    return table


if __name__ == "__main__":
    run_command(main)
