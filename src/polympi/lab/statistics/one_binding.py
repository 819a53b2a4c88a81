"""The part of an analysis that is about one binding, next to C: a page of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Protocol, TypeVar

import msgspec
import polars as pl

from polympi.lab.errors import UsageError
from polympi.lab.records import AGAIN, REFERENCE, StackRun
from polympi.lab.statistics.model import Analysis
from polympi.lab.suggest import did_you_mean


class _Named(Protocol):
    @property
    def binding(self) -> str: ...


Named = TypeVar("Named", bound=_Named)
Value = TypeVar("Value")


def about(analysis: Analysis, binding: str) -> Analysis:
    """What an analysis says of a binding and of C.

    A binding measured in several ways has an arm for each, such as ``mpi4py`` and ``mpi4py-object``: the name of the
    first means all of them. Third-party tools, which are compared with C, are left out.

    Raises:
        UsageError: the run has no such binding.
    """
    of_c = {name for planned in analysis.run.stacks for name in planned.bindings if _is_of_c(planned, name)}
    others = {name for planned in analysis.run.stacks for name in planned.bindings} - of_c
    if binding in of_c:
        raise UsageError(f"'{binding}' is C, which each page compares with: choose one of {', '.join(sorted(others))}.")
    if binding not in others:
        known = did_you_mean(binding, others) or f" It has {', '.join(sorted(others))}."
        raise UsageError(f"The run has no binding '{binding}'.{known}")
    names = of_c | {binding} | {name for name in others if name.startswith(f"{binding}-")}
    run = msgspec.structs.replace(analysis.run, stacks=[_stack(planned, names) for planned in analysis.run.stacks])

    def of_them(rows: list[Named]) -> list[Named]:
        return [one for one in rows if one.binding in names]

    def lines_of_them(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.filter(pl.col("binding").is_in(list(names)))

    return dataclasses.replace(
        analysis,
        run=run,
        about=binding,
        launches=of_them(analysis.launches),
        summary=lines_of_them(analysis.summary),
        launch_medians=lines_of_them(analysis.launch_medians),
        memory=lines_of_them(analysis.memory),
        fits=of_them(analysis.fits),
        overheads=of_them(analysis.overheads),
        tools=[],
        tool_launches=[],
        scaling=of_them(analysis.scaling),
        limits=of_them(analysis.limits),
        factors=of_them(analysis.factors),
        guidelines=of_them(analysis.guidelines),
        demands=of_them(analysis.demands),
    )


def _is_of_c(planned: StackRun, name: str) -> bool:
    return name in {REFERENCE, AGAIN} or planned.languages.get(name) == planned.languages.get(REFERENCE, "C")


def _stack(planned: StackRun, names: Collection[str]) -> StackRun:
    def kept(by_name: Mapping[str, Value]) -> dict[str, Value]:
        return {name: value for name, value in by_name.items() if name in names}

    return msgspec.structs.replace(
        planned,
        bindings=[name for name in planned.bindings if name in names],
        tools=[],
        **{
            name: kept(getattr(planned, name))
            for name in ("languages", "not_covered", "left_out", "slow", "builds", "sources", "lines")
        },
    )
