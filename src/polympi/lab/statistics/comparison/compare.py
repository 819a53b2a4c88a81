"""Two runs compared: has a binding become slower?

A machine is never twice the same, so that a binding is judged by its log-ratio to C, which takes part in every block
of both runs and drifts with it. Between the runs nothing is paired: the log-ratios of their blocks are two independent
samples, compared by Hodges-Lehmann shift and Mann-Whitney test (:mod:`~polympi.lab.statistics.shifts`).

A change counts only if its interval excludes 0; if it is larger than what the A/A arms of both runs showed together
(each run may be off by its own noise floor, and both in opposite directions) and than 1 %, below which nobody would
act; and if it stands out among the rows of the table (false discovery rate at most 0.05).

``absolute`` judges the times themselves, for runs that are meant to differ: another stack, another configuration.
Then drift of the machine between the runs is part of what is found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any, Final

import polars as pl

from polympi.lab.samples.records import AGAIN, REFERENCE
from polympi.lab.statistics.intervals import MINIMUM_LAUNCHES
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.multiplicity import LIMIT, adjusted
from polympi.lab.statistics.operations import CASE, ROW
from polympi.lab.statistics.shifts import Shift, hodges_lehmann, shift
from polympi.lab.statistics.verdicts import AMBIGUOUS, FASTER, SLOWER, TOO_FEW

SAME: Final = "same"
RELEVANT = math.log(1.01)  # smallest log-ratio that matters: 1 %, as precise as the stop rule makes a row

_Key = tuple[Any, ...]  # the values of the columns ROW, or of those without the binding

EXIT_FINE, EXIT_SLOWER, EXIT_NOT_COMPARABLE = 0, 1, 2

COMPARISON_SCHEMA: dict[str, type[pl.DataType]] = {
    "stack": pl.String,
    "binding": pl.String,
    "benchmark": pl.String,
    "payload": pl.String,
    "mode": pl.String,
    "size_bytes": pl.Int64,
    "ranks": pl.Int64,
    "launches_before": pl.Int64,
    "launches_after": pl.Int64,
    "before": pl.Float64,
    "after": pl.Float64,
    "change": pl.Float64,
    "change_low": pl.Float64,
    "change_high": pl.Float64,
    "confidence": pl.Float64,
    "p_value": pl.Float64,
    "q_value": pl.Float64,
    "floor_ratio": pl.Float64,
    "c_change": pl.Float64,
    "verdict": pl.String,
}


def compare(before: Analysis, after: Analysis, *, absolute: bool = False) -> pl.DataFrame:
    """Compare two runs row by row.

    Args:
        before: the earlier run, or the one to compare with.
        after: the later run.
        absolute: judge times instead of ratios to C; C is then a row too, and if each run has one stack, the names of
            the stacks need not agree.

    Returns:
        A row for each stack, binding and case in both runs, columns as in :data:`COMPARISON_SCHEMA`.
        ``before`` and ``after`` are the medians over launches of what is judged (ratio to C, or ns). ``change`` is the
        factor from one to the other, with its interval and the coverage of that. ``floor_ratio`` is the factor that
        the A/A arms of both runs explain together, ``c_change`` the one by which C itself changed, for information.
        ``verdict`` is ``slower``, ``faster``, ``same`` (no relevant change shown), ``ambiguous`` (shown, but among
        so many rows it may be chance, or the noise floor is unknown) or ``too few launches``.
    """
    if absolute:
        before, after = _under_one_name(before, after)
    first, second = _logs(before, absolute), _logs(after, absolute)
    keys = [key for key in first if key in second]
    shifts = [shift(first[key], second[key]) for key in keys]
    judged = [min(len(first[key]), len(second[key])) >= MINIMUM_LAUNCHES for key in keys]
    q_values = adjusted([s.p_value if enough else None for s, enough in zip(shifts, judged, strict=True)])
    floors, c_changes = _floors(before, after), _changes_of_c(before, after)
    rows = [
        dict(zip(ROW, key, strict=True))
        | _columns(first[key], second[key], found)
        | {
            "q_value": q_value,
            "floor_ratio": floors.get(_case(key)),
            "c_change": c_changes.get(_case(key)),
            "verdict": _verdict(found, floors.get(_case(key)), q_value),
        }
        for key, found, q_value in zip(keys, shifts, q_values, strict=True)
    ]
    return pl.DataFrame(rows, schema=COMPARISON_SCHEMA)


def comparable(before: Analysis, after: Analysis, *, absolute: bool = False) -> list[str]:
    """Why two runs cannot be compared, a sentence each; empty if they can.

    Args:
        before: the earlier run, or the one to compare with.
        after: the later run.
        absolute: as for :func:`compare`; other processors and other MPI libraries may then be what is compared.
    """
    reasons = []
    if before.run.ranks != after.run.ranks:
        reasons.append(f"One run has {before.run.ranks} ranks, the other {after.run.ranks}.")
    if before.run.window != after.run.window:
        reasons.append(f"One run keeps {before.run.window} messages in flight, the other {after.run.window}.")
    if not absolute:
        reasons += _differences_of_platform(before, after)
    if not reasons:
        rows = compare(before, after, absolute=absolute)
        if rows.is_empty():
            reasons.append("The runs have no row in common: no stack, binding and case was measured against C in both.")
        elif (rows["verdict"] == TOO_FEW).all():
            reasons.append(f"No row has {MINIMUM_LAUNCHES} launches in both runs: nothing can be said of any.")
    return reasons


def diff_exit_code(comparison: pl.DataFrame, reasons: Sequence[str] = ()) -> int:
    """What ``polympi diff`` exits with.

    Args:
        comparison: what :func:`compare` gives.
        reasons: what :func:`comparable` gives.

    Returns:
        2 if the runs are not comparable or no row could be judged, 1 if a row is slower, else 0.
    """
    verdicts = comparison["verdict"]
    if reasons or (verdicts == TOO_FEW).all():
        return EXIT_NOT_COMPARABLE
    return EXIT_SLOWER if (verdicts == SLOWER).any() else EXIT_FINE


def _verdict(found: Shift, floor: float | None, q_value: float | None) -> str:
    if found.low is None or found.high is None or q_value is None:
        return TOO_FEW
    threshold = max(RELEVANT, math.log(floor or 1.0))
    if found.low <= 0 <= found.high or abs(found.estimate) <= threshold:
        return SAME
    if floor is None or q_value > LIMIT:
        return AMBIGUOUS
    return SLOWER if found.estimate > 0 else FASTER


def _columns(first: Sequence[float], second: Sequence[float], found: Shift) -> dict[str, Any]:
    return {
        "launches_before": len(first),
        "launches_after": len(second),
        "before": math.exp(median(first)),
        "after": math.exp(median(second)),
        "change": math.exp(found.estimate),
        "change_low": None if found.low is None else math.exp(found.low),
        "change_high": None if found.high is None else math.exp(found.high),
        "confidence": found.coverage,
        "p_value": found.p_value,
    }


def _logs(analysis: Analysis, absolute: bool) -> dict[_Key, list[float]]:
    """What is judged, by row: the logarithm of the time or of its ratio to C, a value a launch."""
    measured = analysis.launch_medians.filter(pl.col("median_ns") > 0)
    if absolute:
        chosen = measured.filter(pl.col("binding") != AGAIN).with_columns(log=pl.col("median_ns").log())
    else:
        chosen = _log_ratios(measured).filter(pl.col("binding") != AGAIN)
    grouped = chosen.group_by(ROW, maintain_order=True).agg("log")
    return {tuple(row[:-1]): row[-1] for row in grouped.iter_rows()}


def _log_ratios(measured: pl.DataFrame) -> pl.DataFrame:
    """The rows of all bindings but C with ``log``, the logarithm of the ratio to C in the same block."""
    is_c = pl.col("binding") == REFERENCE
    block = ["stack", "block", *CASE]
    c = measured.filter(is_c).select(*block, c_ns="median_ns")
    paired = measured.filter(~is_c).join(c, on=block, maintain_order="left")
    return paired.with_columns(log=(pl.col("median_ns") / pl.col("c_ns")).log())


def _floors(*runs: Analysis) -> dict[_Key, float]:
    """By case, the factor that the A/A arms of all runs together explain; only of cases that every run has."""
    floors = []
    for analysis in runs:
        again = _log_ratios(analysis.launch_medians.filter(pl.col("median_ns") > 0)).filter(pl.col("binding") == AGAIN)
        medians = again.group_by("stack", *CASE).agg(pl.col("log").median().abs())
        floors.append({tuple(row[:-1]): row[-1] for row in medians.iter_rows()})
    common = set.intersection(*(set(f) for f in floors))
    return {case: math.exp(sum(f[case] for f in floors)) for case in common}


def _changes_of_c(before: Analysis, after: Analysis) -> dict[_Key, float]:
    """By case, the factor by which the time of C changed from one run to the other."""
    first, second = (
        {_case(key): logs for key, logs in _logs(analysis, absolute=True).items() if key[1] == REFERENCE}
        for analysis in (before, after)
    )
    return {case: math.exp(hodges_lehmann(first[case], second[case])) for case in first.keys() & second.keys()}


def _case(key: _Key) -> _Key:
    """The row without its binding."""
    return (key[0], *key[2:])


def _under_one_name(before: Analysis, after: Analysis) -> tuple[Analysis, Analysis]:
    """If each run has one stack, both under a common name, so that their rows can meet."""
    stacks = [analysis.launch_medians["stack"].unique().to_list() for analysis in (before, after)]
    if any(len(names) != 1 for names in stacks) or stacks[0] == stacks[1]:
        return before, after
    name = pl.lit(f"{stacks[0][0]} → {stacks[1][0]}")
    first, second = (replace(a, launch_medians=a.launch_medians.with_columns(stack=name)) for a in (before, after))
    return first, second


def _differences_of_platform(before: Analysis, after: Analysis) -> list[str]:
    """What makes even ratios to C incomparable: another processor, another MPI library."""
    reasons = []
    processors = [analysis.environment.get("cpu", {}).get("model") for analysis in (before, after)]
    if all(processors) and processors[0] != processors[1]:
        reasons.append(f"The processors differ: '{processors[0]}' and '{processors[1]}'.")
    libraries = [{stack.stack: stack.library for stack in analysis.run.stacks} for analysis in (before, after)]
    for stack in libraries[0]:
        old, new = libraries[0][stack], libraries[1].get(stack)
        if old and new and old != new:
            reasons.append(f"The MPI library of the stack {stack} differs: '{old}' and '{new}'.")
    return reasons
