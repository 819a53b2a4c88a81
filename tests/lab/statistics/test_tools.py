"""Figures of tools, compared with those of C."""

import numpy as np
import polars as pl
import pytest
from launch_medians import launch_medians

from polympi.lab.records import ToolFigure, ToolLaunch
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.tools import tool_rows


def medians(size=8, stack="mpich", mode="standard", **times):
    """Launch medians of arms, given by name as times block by block (``c_again`` is ``c-again``)."""
    return pl.concat(
        launch_medians(of_blocks, name.replace("_", "-"), stack, size_bytes=size, mode=mode)
        for name, of_blocks in times.items()
    )


def launches(*times, size=8, tool="NetPIPE", stack="mpich", first=0):
    fields = {"stack": stack, "tool": tool, "benchmark": "latency", "payload": "bytes", "ranks": 2, "position": 0}
    return [
        ToolLaunch(block=first + n, outcome="ok", figures=[ToolFigure(size_bytes=size, time_ns=time)], **fields)
        for n, time in enumerate(times)
    ]


def test_a_tool_is_compared_with_both_launches_of_c_in_its_block() -> None:
    ours = medians(c=[100.0, 200.0, 400.0], c_again=[400.0, 200.0, 100.0])
    [row] = tool_rows(launches(220.0, 220.0, 220.0), ours)
    assert row.ratio == pytest.approx(1.1)  # the geometric mean of C is 200 in every block
    assert (row.tool_ns, row.c_ns, row.blocks, row.against) == (220.0, pytest.approx(200.0), 3, "c")
    assert row.low is None  # of three blocks there is no interval


def test_a_tool_is_compared_with_c_on_plain_pages_where_that_was_measured() -> None:
    ours = medians(c=[100.0] * 6, c_pages=[200.0] * 6)
    assert tool_rows(launches(*[220.0] * 6), ours)[0].ratio == pytest.approx(1.1)
    assert tool_rows(launches(*[220.0] * 6), ours)[0].against == "c-pages"
    other = medians(c=[100.0] * 6)
    assert tool_rows(launches(*[220.0] * 6), other)[0].ratio == pytest.approx(2.2)


def test_the_interval_is_that_of_the_log_ratios() -> None:
    random = np.random.default_rng(3)
    c, tool = random.lognormal(5, 0.1, 9), random.lognormal(5.1, 0.1, 9)
    [row] = tool_rows(launches(*tool), medians(c=c))
    wanted = median_interval(np.log(tool / c))
    assert wanted is not None
    assert (row.low, row.high) == pytest.approx((np.exp(wanted.low), np.exp(wanted.high)))
    assert row.ratio == pytest.approx(np.exp(np.median(np.log(tool / c))))


def test_blocks_without_c_and_other_cases_take_no_part() -> None:
    ours = pl.concat(
        [
            medians(c=[None, 100.0]),
            medians(size=64, c=[100.0]),
            medians(mode="ready", c=[1.0, 1.0]),
            medians(stack="openmpi", c=[1.0, 1.0]),
        ]
    )
    [row] = tool_rows([*launches(300.0, 200.0), *launches(5.0, size=16)], ours)
    assert (row.size_bytes, row.blocks, row.ratio) == (8, 1, pytest.approx(2.0))
    assert tool_rows([], ours) == []
    assert tool_rows(launches(0.0), ours) == []
    assert tool_rows(launches(1.0), ours.clear()) == []
