"""Which runs can be compared, and which of their rows are judged."""

from collections.abc import Sequence
from typing import Protocol

import polars as pl

from polympi.lab.errors import UsageError
from polympi.lab.plan.patterns import fits
from polympi.lab.records import AGAIN, REFERENCE, Environment, RunRecord
from polympi.lab.statistics.comparison.compare import FEWEST_LAUNCHES
from polympi.lab.statistics.comparison.model import Comparison
from polympi.lab.statistics.model import Analysis


class Recorded(Protocol):
    """A run with what it recorded."""

    @property
    def run(self) -> RunRecord:
        """What was asked of it."""

    @property
    def environment(self) -> Environment:
        """The machine as it found it."""


def why_not_comparable(before: Recorded, after: Recorded, *, absolute: bool = False) -> list[str]:
    """Why two runs cannot be compared, a sentence each; with ``absolute``, processors and libraries may differ."""
    reasons = differences_of_design(before, after, absolute=absolute)
    return reasons if absolute else reasons + _differences_of_platform(before, after)


def differences_of_design(before: Recorded, after: Recorded, *, absolute: bool = False) -> list[str]:
    """Which of what was asked for differs so that figures mean something else, a sentence each."""
    reasons = []
    if before.run.every_ranks != after.run.every_ranks:
        ranks = [", ".join(map(str, analysis.run.every_ranks)) for analysis in (before, after)]
        reasons.append(f"One run has {ranks[0]} ranks, the other {ranks[1]}.")
    if before.run.scaling != after.run.scaling:
        reasons.append(f"One run is of {before.run.scaling} scaling, the other of {after.run.scaling}.")
    if before.run.window != after.run.window:
        reasons.append(f"One run keeps {before.run.window} messages in flight, the other {after.run.window}.")
    if before.run.pages != after.run.pages and not absolute:
        reasons.append(
            f"Message buffers lay on {before.run.pages} pages in one run, on {after.run.pages} in the other."
        )
    if before.run.launching.by_network != after.run.launching.by_network and not absolute:
        reasons.append("Ranks of one host sent by the network in one run, by memory that they share in the other.")
    levels = [{level.name: level for level in analysis.run.levels} for analysis in (before, after)]
    changed = [name for name, level in levels[0].items() if name in levels[1] and levels[1][name] != level]
    reasons += [f"'{name}' stands for another setting in each of the runs." for name in changed if not absolute]
    return reasons


def why_nothing_was_compared(comparison: Comparison) -> list[str]:
    """Why a comparison says nothing, a sentence each; empty if it says something."""
    if not comparison.groups:
        what = "was measured" if comparison.absolute else "was measured against C"
        return [f"The runs have no row in common: no stack, binding and case {what} in both."]
    if all(min(group.launches_before, group.launches_after) < FEWEST_LAUNCHES for group in comparison.groups):
        return [
            f"Nothing has {FEWEST_LAUNCHES} launches in both runs, the fewest that distinguish a change from chance."
        ]
    return []


def _differences_of_platform(before: Recorded, after: Recorded) -> list[str]:
    """What makes even ratios to C incomparable: another processor, another MPI library."""
    reasons = []
    processors = [(analysis.environment.metadata.get("cpu") or {}).get("model") for analysis in (before, after)]
    if all(processors) and processors[0] != processors[1]:
        reasons.append(f"The processors differ: '{processors[0]}' and '{processors[1]}'.")
    libraries = [{stack.stack: stack.library for stack in analysis.run.stacks} for analysis in (before, after)]
    for stack in libraries[0]:
        old, new = libraries[0][stack], libraries[1].get(stack)
        if old and new and old != new:
            reasons.append(f"The MPI library of the stack {stack} differs: '{old}' and '{new}'.")
    return reasons


def choose_rows(
    before: Analysis, after: Analysis, *, bindings: Sequence[str], patterns: Sequence[str], absolute: bool
) -> pl.Expr:
    """An expression true for the rows asked for, or all; UsageError if a name or a pattern fits none of both runs."""
    runs = [run.launch_medians.filter(pl.col("binding") != AGAIN) for run in (before, after)]
    chosen = pl.lit(True)
    if bindings:
        known = _in_both(runs, "binding") - (set() if absolute else {REFERENCE})
        for name in bindings:
            if name not in known:
                raise UsageError(_unknown_binding(name, sorted(known), runs, absolute))
        chosen &= pl.col("binding").is_in(list(bindings))
    if patterns:
        known = _in_both([run.with_columns(case=_CASE) for run in runs], "case")
        fitting = {pattern: [case for case in known if fits(pattern, *case.split("/"))] for pattern in patterns}
        for pattern, cases in fitting.items():
            if not cases:
                names = sorted({case.partition("/")[0] for case in known})
                raise UsageError(f"No case that both runs measured fits '{pattern}': they have {', '.join(names)}.")
        chosen &= _CASE.is_in(sorted({case for cases in fitting.values() for case in cases}))
    return chosen


_CASE = pl.concat_str("benchmark", "mode", "payload", separator="/")


def _in_both(runs: Sequence[pl.DataFrame], column: str) -> set[str]:
    first, second = (set(run[column].to_list()) for run in runs)
    return first & second


def _unknown_binding(name: str, known: Sequence[str], runs: Sequence[pl.DataFrame], absolute: bool) -> str:
    if name == AGAIN:
        return f"'{AGAIN}' is C launched again: it shows the noise and is not a binding to compare."
    if name == REFERENCE and not absolute:
        return f"'{REFERENCE}' is what bindings are compared with: its own times are judged with --absolute."
    measured = [place for place, run in zip(("earlier", "later"), runs, strict=True) if name in run["binding"]]
    where = f"was measured in the {measured[0]} run only" if measured else "was measured in neither run"
    return f"The binding '{name}' {where}: both have {', '.join(known) or 'none in common'}."
