"""Third-party tools compared with C: in the page, Markdown and the terminal."""

import dataclasses

import msgspec
from built import built_analysis, summary_row
from report.forms import cells, html, markdown, section, terminal

from polympi.lab.records import ToolLaunch
from polympi.lab.statistics.tools import ToolRow

WHICH = {"stack": "mpich", "tool": "osu_latency", "benchmark": "latency", "payload": "bytes"}


def row(size: int, ratio: float, **different: object) -> ToolRow:
    figures = {"against": "c-pages", "blocks": 9, "tool_ns": 100.0 * ratio, "c_ns": 100.0, "low": 0.99, "high": 1.2}
    return ToolRow(**{**WHICH, "size_bytes": size, "ratio": ratio, **figures, **different})  # type: ignore[arg-type]


def analysis(*rows: ToolRow, launches: tuple[ToolLaunch, ...] = ()):
    built = built_analysis([summary_row(binding="c"), summary_row()])
    return dataclasses.replace(built, tools=list(rows), tool_launches=list(launches))


def printed(found) -> str:
    return " ".join(terminal(found).split())


def test_every_form_says_how_far_and_shows_each_size() -> None:
    found = analysis(row(65536, 1.2), row(8, 1.05), row(1024, 0.96))
    said = "0.960 to 1.20 × C on plain pages, 1.050 × in the median over 3 sizes."
    page = section(html(found), "tools")
    assert f"<b>{said}</b>" in page
    assert "Its figure: half the round trip, averaged over iterations that are timed alone" in page
    first, *others = cells(page)
    assert first == ["8 B", "105 ns", "100 ns", "1.050 × (0.990–1.200)"]
    assert [line[0] for line in others] == ["1 KiB", "64 KiB"]
    text = markdown(found).split("## Other tools in the same blocks")[1]
    assert said in text
    assert "| 8 B | 105 ns | 100 ns | 1.050 × (0.990–1.200) |" in text
    assert f"osu_latency {said}" in printed(found)


def test_next_to_c_on_huge_pages_the_difference_is_explained() -> None:
    assert "those of C on huge ones, so that its large messages take longer" in printed(
        analysis(row(8, 1.0, against="c"), row(2**20, 2.0, against="c"))
    )
    assert "huge ones" not in printed(analysis(row(8, 1.0, against="c")))
    on_plain = analysis(row(8, 1.0, against="c"), row(16, 1.0, against="c"))
    on_plain = dataclasses.replace(on_plain, run=msgspec.structs.replace(on_plain.run, pages="plain"))
    assert "osu_latency 1.000 to 1.000 × C on plain pages, 1.000 ×" in printed(on_plain)


def test_a_tool_that_failed_is_reported() -> None:
    launches = tuple(
        ToolLaunch(**WHICH, block=n, position=0, ranks=2, outcome=outcome, detail="it ended with code 3")
        for n, outcome in enumerate(["ok", "crashed", "crashed"])
    )
    assert "osu_latency on mpich: 2 of 3 launches failed: it ended with code 3." in printed(analysis(launches=launches))


def test_a_run_without_tools_has_no_such_part() -> None:
    assert 'id="tools"' not in html(analysis())
    assert "Other tools" not in markdown(analysis())
