"""Figures of third-party tools compared with C's, from launches paired by block."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from polympi.lab.arms import PLAIN_PAGES, REFERENCE
from polympi.lab.records import ToolLaunch
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.operations import CASE, ROW
from polympi.lab.statistics.reference import with_reference


@dataclass(frozen=True)
class ToolRow:
    """A tool and C at one size."""

    # `stack`, `tool`, `benchmark`, `payload`, `size_bytes`: which row it is; the mode is `standard`
    stack: str
    tool: str
    benchmark: str
    payload: str
    size_bytes: int
    against: str  # the arm of C that it is compared with: on plain pages where that was measured, else the reference
    blocks: int
    tool_ns: float  # median over blocks of the tool's figure, the time of one operation
    c_ns: float  # median over blocks of ours
    ratio: float  # median over blocks of the tool's figure over ours
    # `low` and `high`: its interval; None with fewer than 6 blocks
    low: float | None
    high: float | None


def tool_rows(launches: Sequence[ToolLaunch], launch_medians: pl.DataFrame) -> list[ToolRow]:
    """The rows of all tools, by stack, tool and size in the order in which they first appear."""
    figures = _figures(launches, launch_medians)
    plain = launch_medians.filter(binding=PLAIN_PAGES).select("stack", "block", *CASE, plain_ns="median_ns")
    compared = (
        with_reference(pl.concat([launch_medians, figures]))
        .join(figures, on=["stack", "block", "binding", *CASE], how="semi", maintain_order="left")
        .join(plain, on=["stack", "block", *CASE], how="left", maintain_order="left")
    )
    return [_row(rows) for rows in compared.partition_by(ROW, maintain_order=True)]


def _figures(launches: Sequence[ToolLaunch], launch_medians: pl.DataFrame) -> pl.DataFrame:
    """The figures of the tools as if they were arms: columns as those of the launch medians."""
    rows = [
        {
            "stack": one.stack,
            "block": one.block,
            "binding": one.tool,
            "benchmark": one.benchmark,
            "mode": "standard",
            "payload": one.payload,
            "size_bytes": figure.size_bytes,
            "ranks": one.ranks,
            "median_ns": figure.time_ns,
        }
        for one in launches
        for figure in one.figures
        if figure.time_ns > 0
    ]
    return pl.DataFrame(rows, schema=launch_medians.schema)


def _row(rows: pl.DataFrame) -> ToolRow:
    plain = rows["plain_ns"].is_not_null().any()
    paired = rows.select("median_ns", c_ns="plain_ns" if plain else "reference_ns").drop_nulls()
    theirs, ours = paired["median_ns"].to_numpy(), paired["c_ns"].to_numpy()
    effect = paired_effect(theirs, ours)
    interval = effect.log_interval
    return ToolRow(
        stack=rows["stack"][0],
        tool=rows["binding"][0],
        benchmark=rows["benchmark"][0],
        payload=rows["payload"][0],
        size_bytes=rows["size_bytes"][0],
        against=PLAIN_PAGES if plain else REFERENCE,
        blocks=effect.blocks,
        tool_ns=float(np.median(theirs)),
        c_ns=float(np.median(ours)),
        ratio=math.exp(effect.log_ratio or 0.0),
        low=math.exp(interval.low) if interval else None,
        high=math.exp(interval.high) if interval else None,
    )
