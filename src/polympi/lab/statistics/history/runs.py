"""Runs as a history takes them: which belong to one history, in which order, and what recorded them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path

import polars as pl

from polympi.lab.errors import UsageError
from polympi.lab.plan.patterns import fits
from polympi.lab.records import AGAIN, REFERENCE, Environment, RunRecord
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import launch_medians
from polympi.lab.statistics.comparison.comparable import differences_of_design
from polympi.lab.statistics.comparison.values import judged_logs


@dataclass(frozen=True)
class Run:
    """A run, with the launch medians of its rows."""

    path: Path
    run: RunRecord
    environment: Environment
    medians: pl.DataFrame

    @classmethod
    def read(cls, path: Path) -> Run:
        """Read a result directory; ResultError if that is impossible."""
        directory = RunDirectory.open(path)
        return cls(path, directory.run(), directory.environment(), launch_medians(directory))

    @property
    def when(self) -> datetime:
        """When it began; runs without a time zone are taken to be of UTC."""
        began = datetime.fromisoformat(self.run.created)
        return began if began.tzinfo else began.replace(tzinfo=timezone.utc)

    @property
    def processor(self) -> str:
        """The model of its processors; empty if unknown."""
        return str((self.environment.metadata.get("cpu") or {}).get("model") or "")


def comparable(runs: Sequence[Run]) -> tuple[list[Run], dict[str, str]]:
    """The most runs that measured alike, and of the others by path why they are left out."""
    usual = max(reversed(runs), key=lambda one: sum(not differences_of_design(run, one) for run in runs))
    kept, left_out = [], {}
    for run in runs:
        reasons = differences_of_design(run, usual)
        if not reasons and judged_logs(run.medians, absolute=False).is_empty():
            reasons = ["It has no launch of a binding next to one of C."]
        if reasons:
            left_out[str(run.path)] = " ".join(reasons)
        else:
            kept.append(run)
    return kept, left_out


def chosen_rows(runs: Sequence[Run], bindings: Sequence[str], patterns: Sequence[str]) -> pl.Expr:
    """An expression true for the rows asked for, or all; UsageError if no run has a binding, or what fits a pattern."""
    every = pl.concat(run.medians.select("binding", "benchmark", "mode", "payload") for run in runs).unique()
    known = sorted(set(every["binding"]) - {REFERENCE, AGAIN})
    for name in bindings:
        if name not in known:
            raise UsageError(f"No run has the binding '{name}': they have {', '.join(known)}.")
    chosen = pl.col("binding").is_in(list(bindings or known))
    cases = set(every.select("benchmark", "mode", "payload").iter_rows())
    fitting = {pattern: [case for case in cases if fits(pattern, *case)] for pattern in patterns}
    for pattern, some in fitting.items():
        if not some:
            names = ", ".join(sorted(set(every["benchmark"])))
            raise UsageError(f"No case that a run measured fits '{pattern}': they have {names}.")
    wanted = {"/".join(case) for some in fitting.values() for case in some}
    case = pl.concat_str("benchmark", "mode", "payload", separator="/")
    return chosen & case.is_in(sorted(wanted)) if patterns else chosen


def by_processor(runs: Sequence[Run]) -> list[pl.DataFrame]:
    """The launch medians of runs. Where processors alternate, each has its own series: stacks have its name, too.

    They alternate if one returns after another, as on machines of a service. Where one replaced another for good, its
    runs are part of the same series.
    """
    turns = [processor for processor, _ in groupby(run.processor for run in runs)]
    if len(turns) == len(set(turns)):
        return [run.medians for run in runs]
    return [
        run.medians.with_columns(stack=pl.concat_str("stack", pl.lit(f", {run.processor or 'unknown processor'}")))
        for run in runs
    ]
