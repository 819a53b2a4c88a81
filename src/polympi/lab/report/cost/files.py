"""The parts of bindings' times as JSON and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from polympi.lab.catalogue import Case
from polympi.lab.demand.split import Split
from polympi.lab.demands import Demand, Instructions
from polympi.lab.records import REFERENCE
from polympi.lab.report.generator import write_text
from polympi.lab.statistics.intervals import MedianInterval
from polympi.lab.statistics.model import Analysis

COLUMNS = (
    *("stack", "binding", "benchmark", "mode", "payload", "size_bytes"),
    *("binding_ns", "binding_low_ns", "binding_high_ns", "c_ns", "c_low_ns", "c_high_ns", "like", "mpi_ns"),
    *("messages", "message_bytes", "extra_ns", "rest_ns", "rest_low_ns", "rest_high_ns", "largest"),
    *("instructions", "c_instructions"),
)


def write_cost(
    analysis: Analysis, splits: Sequence[Split], instructions: Sequence[Instructions], folder: Path
) -> list[Path]:
    """Write ``cost.csv``, one line per binding and case, and ``cost.json``, which also has the calls of each rank."""
    counts = {(one.stack, one.binding, one.case): one.own for one in instructions}
    rows = [_row(one) | _counts(one, counts) for one in splits]
    asked = {(one.stack, one.binding, one.case): one for one in analysis.demands}
    content = [row | {"ranks": _ranks(asked, one)} for row, one in zip(rows, splits, strict=True)]
    frame = pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=COLUMNS)
    return [
        write_text(folder / "cost.csv", frame.select(COLUMNS).write_csv()),
        write_text(folder / "cost.json", msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"),
    ]


def _row(split: Split) -> dict[str, Any]:
    case = split.case
    return {
        "stack": split.stack,
        "binding": split.binding,
        "benchmark": case.benchmark,
        "mode": case.mode,
        "payload": case.payload,
        "size_bytes": case.size_bytes,
        "binding_ns": split.binding_ns,
        **_ends("binding", split.binding_interval),
        "c_ns": split.c_ns,
        **_ends("c", split.c_interval),
        "like": split.like,
        "mpi_ns": split.mpi_ns,
        "messages": split.messages,
        "message_bytes": split.message_bytes,
        "extra_ns": split.extra_ns,
        "rest_ns": split.rest_ns,
        **_ends("rest", split.rest_interval),
        "largest": split.largest,
    }


def _counts(split: Split, counts: Mapping[tuple[str, str, Case], float]) -> dict[str, float | None]:
    """What a rank executes outside MPI for a send and a receive; None where it was not counted."""
    own, of_c = (counts.get((split.stack, arm, split.case)) for arm in (split.binding, REFERENCE))
    return {"instructions": own, "c_instructions": of_c}


def _ends(name: str, interval: MedianInterval | None) -> dict[str, float | None]:
    ends = (interval.low, interval.high) if interval else (None, None)
    return {f"{name}_low_ns": ends[0], f"{name}_high_ns": ends[1]}


def _ranks(asked: dict[tuple[Any, ...], Demand], split: Split) -> Any:
    return msgspec.to_builtins(asked[split.stack, split.binding, split.case].ranks)
