"""Which rows of two runs are compared, if not all."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from polympi.lab.errors import UsageError
from polympi.lab.plan.patterns import fits
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import Analysis


def choose_rows(
    before: Analysis, after: Analysis, *, bindings: Sequence[str], patterns: Sequence[str], absolute: bool
) -> pl.Expr:
    """An expression that is true for the rows asked for.

    No names or no patterns mean all; with ``absolute``, C is a binding like others.

    Raises:
        UsageError: a name or a pattern fits nothing that both runs measured.
    """
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
