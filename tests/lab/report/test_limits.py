"""What applications reach of what memory allows, in every form of the report."""

import re
from dataclasses import replace

import polars as pl
import pytest
from built import built_analysis, summary_row
from report.forms import html, markdown, section, terminal

from polympi.lab.catalogue import problem_bytes
from polympi.lab.report.csvfiles import write_csv
from polympi.lab.report.limits import limit_lines
from polympi.lab.statistics.limits import LimitRow

SIZE = problem_bytes(129, 3)
REACHED = "C reaches 0.62 (0.58–0.65) of what memory allows with 2 ranks, 50.0 GB/s"


def a_row(binding="c", reached=0.62, low=0.58, high=0.65, **other):
    figures = {"stack": "mpich", "binding": binding, "benchmark": "wave", "mode": "blocking", "payload": "problem"}
    figures |= {"size_bytes": SIZE, "ranks": 2, "blocks": 9, "median_ns": 1e6, "limit_ns": 3 * SIZE / 50}
    figures |= {"moved_bytes": 3 * SIZE, "arrays_bytes": 2 * SIZE, "cache_bytes": 2**20, "confidence": 0.96}
    return LimitRow(**figures | {"reached": reached, "reached_low": low, "reached_high": high} | other)


ROWS = [a_row(), a_row("mpi4py", 0.1, 0.09, 0.11)]


@pytest.fixture
def analysis():
    rows = [summary_row(binding="c"), summary_row()]
    return replace(built_analysis(rows, profile="quick"), limits=ROWS)


def answer(*rows, shown=("mpi4py",)):
    [line] = limit_lines(rows, shown)
    return line.answer


def test_a_line_says_what_c_and_bindings_reach_with_intervals() -> None:
    [line] = limit_lines(ROWS, ["mpi4py"])
    assert line.title == "wave (blocking), 129³ on mpich"
    assert line.answer == (
        f"{REACHED}; mpi4py 0.10 (0.09–0.11). Its arrays take 34.3 MB, much more than the last-level cache, 1.05 MB."
    )
    assert answer(*ROWS, shown=()).startswith(f"{REACHED}. ")


def test_an_interval_that_is_missing_and_more_than_the_limit() -> None:
    assert answer(a_row(low=None, high=None)).startswith("C reaches 0.62 of what memory allows")
    assert "More than 1 is not possible" in answer(a_row(), a_row("mpi4py", 1.1, None, None))
    assert "More than 1" not in answer(a_row(), a_row("mpi4py", 1.0, None, None))


def test_of_many_bindings_some_are_named() -> None:
    names = ["a", "b", "d", "e"]
    said = answer(a_row(), *(a_row(name, 0.1, None, None) for name in names), shown=names)
    assert "; a 0.10, b 0.10 and d 0.10. " in said


@pytest.mark.parametrize(
    ("cache_bytes", "words"),
    [
        (2**26, "and fit in the last-level cache, 67.1 MB: it is the cache that allows it"),
        (2**25, "not much more than the last-level cache, 33.6 MB: a part of it is what the cache allows"),
        (None, "if they fit in the last-level cache, whose size is not known"),
    ],
)
def test_it_says_whether_the_limit_is_one_of_the_cache(cache_bytes, words: str) -> None:
    assert words in answer(a_row(cache_bytes=cache_bytes))


def test_each_stack_mode_and_size_has_a_line_and_c_may_be_missing() -> None:
    rows = [a_row(), a_row(mode="overlapped"), a_row(stack="openmpi"), a_row("other", stack="impi")]
    titles = [line.title for line in limit_lines(rows, [])]
    assert titles == [f"wave ({mode}), 129³ on {stack}" for mode, stack in (
        ("blocking", "mpich"), ("overlapped", "mpich"), ("blocking", "openmpi"),
    )]  # fmt: skip
    assert answer(a_row("mpi4py", ranks=1)).startswith(
        "mpi4py reaches 0.62 (0.58–0.65) of what memory allows with 1 rank"
    )


def test_every_report_has_the_line_where_there_is_a_limit(analysis, tmp_path) -> None:
    without = replace(analysis, limits=[])
    assert "reaches 0.62 (0.58–0.65) of what memory allows" in section(html(analysis), "limits")
    assert 'href="#limits"' in html(analysis)
    assert "limits" not in re.findall(r'(?:id="|href="#)(\w+)"', html(without))
    assert f"- **wave (blocking), 129³ on mpich.** {REACHED}" in markdown(analysis).split("## What memory allows")[1]
    assert "wave (blocking), 129³ on mpich: C reaches 0.62 (0.58–0.65)" in terminal(analysis)
    assert "What memory allows" not in markdown(without) + terminal(without)
    assert "limits.csv" in [path.name for path in write_csv(analysis, tmp_path)]
    frame = pl.read_csv(tmp_path / "limits.csv")
    assert frame.select("binding", "reached_high").rows() == [("c", 0.65), ("mpi4py", 0.11)]
    assert "limits.csv" not in [path.name for path in write_csv(without, tmp_path)]
