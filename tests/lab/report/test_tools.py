"""Other tools beside C, in the words, the page, Markdown and the terminal."""

from __future__ import annotations

import dataclasses
import io
import re

import msgspec
import polars as pl
from built import built_analysis, summary_row
from rich.console import Console

from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.records import ToolLaunch
from polympi.lab.report.html import render_html
from polympi.lab.report.markdown import render_markdown
from polympi.lab.report.terminal import print_summary
from polympi.lab.statistics.tools import ToolRow

NOTHING = pl.DataFrame(schema=IMPORTED_SCHEMA)
FACTS = {"stack": "mpich", "tool": "osu_latency", "benchmark": "latency", "payload": "bytes"}


def row(size: int, ratio: float, **different: object) -> ToolRow:
    facts = {"against": "c-pages", "blocks": 9, "tool_ns": 100.0 * ratio, "c_ns": 100.0, "low": 0.99, "high": 1.2}
    return ToolRow(**{**FACTS, "size_bytes": size, "ratio": ratio, **facts, **different})  # type: ignore[arg-type]


def analysis(*rows: ToolRow, launches: tuple[ToolLaunch, ...] = ()):
    built = built_analysis([summary_row(binding="c"), summary_row()])
    return dataclasses.replace(built, tools=list(rows), tool_launches=list(launches))


def printed(found) -> str:
    stream = io.StringIO()
    print_summary(found, Console(file=stream, width=200))
    return " ".join(stream.getvalue().split())


BOTH = analysis(row(65536, 1.2), row(8, 1.05), row(1024, 0.96))


def test_the_page_says_how_far_and_shows_each_size() -> None:
    section = render_html(BOTH, NOTHING).split('<section id="tools">')[1].split("</section>")[0]
    said = "<b>0.960 to 1.20 × C on plain pages, 1.050 × in the median over 3 sizes.</b>"
    assert said in section
    assert "Its figure: half the round trip, averaged over iterations that are timed alone" in section
    lines = [re.findall("<td>(.*?)</td>", line) for line in section.split("<tr>")[2:]]
    assert lines[0] == ["8 B", "105 ns", "100 ns", "1.050 × (0.990–1.200)"]
    assert [line[0] for line in lines] == ["8 B", "1 KiB", "64 KiB"]


def test_markdown_and_the_terminal_say_the_same() -> None:
    said = "0.960 to 1.20 × C on plain pages, 1.050 × in the median over 3 sizes."
    text = render_markdown(BOTH, NOTHING).split("## Other tools in the same blocks")[1]
    assert said in text
    assert "| 8 B | 105 ns | 100 ns | 1.050 × (0.990–1.200) |" in text
    assert f"osu_latency {said}" in printed(BOTH)


def test_beside_c_on_huge_pages_the_difference_is_explained() -> None:
    assert "those of C on huge ones, so that its large messages take longer" in printed(
        analysis(row(8, 1.0, against="c"), row(2**20, 2.0, against="c"))
    )
    assert "huge ones" not in printed(analysis(row(8, 1.0, against="c")))
    on_plain = analysis(row(8, 1.0, against="c"), row(16, 1.0, against="c"))
    on_plain = dataclasses.replace(on_plain, run=msgspec.structs.replace(on_plain.run, pages="plain"))
    assert "osu_latency 1.000 to 1.000 × C on plain pages, 1.000 ×" in printed(on_plain)


def test_a_tool_that_failed_is_told() -> None:
    launches = tuple(
        ToolLaunch(**FACTS, block=n, position=0, ranks=2, outcome=outcome, detail="it ended with code 3")
        for n, outcome in enumerate(["ok", "crashed", "crashed"])
    )
    assert "osu_latency on mpich: 2 of 3 launches failed: it ended with code 3." in printed(analysis(launches=launches))


def test_a_run_without_tools_has_no_such_part() -> None:
    assert 'id="tools"' not in render_html(analysis(), NOTHING)
    assert "Other tools" not in render_markdown(analysis(), NOTHING)
