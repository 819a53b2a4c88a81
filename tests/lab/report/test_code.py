"""The table "Lines of code" of a page and of Markdown."""

import re

import polars as pl
from built import built_analysis, summary_row

from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.records import CodeLines
from polympi.lab.report.html import render_html
from polympi.lab.report.markdown import render_markdown

NOTHING = pl.DataFrame(schema=IMPORTED_SCHEMA)
ROWS = [summary_row(binding="c"), summary_row(), summary_row(binding="go")]
LINES = {
    "c": CodeLines(hello=11, timed=750, combinations=123),
    "mpi4py": CodeLines(hello=3, timed=430, combinations=55),
    "go": CodeLines(hello=0, timed=0, combinations=107),
}


def analysis(**lines):
    return built_analysis(ROWS, bindings=("c", "c-again", "mpi4py", "go"), lines=lines)


def test_the_page_has_a_row_for_each_program():
    page = render_html(analysis(**LINES), NOTHING)
    section = page[page.index('<section id="code">') :].split("</section>")[0]
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in section.split("<tr")[2:]]
    plain = [[re.sub("<[^>]+>", "", cell).strip() for cell in row] for row in cells]
    assert [row[1:] for row in plain] == [
        ["C", "11", "750", "123", "6.1"],
        ["mpi4py", "3", "430", "55", "7.8"],
        ["go", "–", "–", "107", "–"],
    ]
    assert re.findall('<tr data-binding="(.*?)"', section) == ["mpi4py", "go"]  # C always stays
    assert "<b>The shortest hello has 3 lines: mpi4py; C takes 11.</b>" in section
    assert '<a href="#code">' in page


def test_markdown_has_the_same():
    text = render_markdown(analysis(**LINES), NOTHING)
    section = text.split("## Lines of code")[1].split("\n## ")[0]
    assert "The shortest hello has 3 lines: mpi4py; C takes 11." in section
    assert "mpi4py | 3 | 430 | 55 | 7.8 |" in section


def test_runs_of_before_have_no_such_table():
    assert 'id="code"' not in render_html(analysis(), NOTHING)
    assert "Lines of code" not in render_html(analysis(c=LINES["c"]), NOTHING)
    assert "Lines of code" not in render_markdown(analysis(), NOTHING)


WAVES = [
    summary_row(
        8 * edge**3, c_ns=1e6 * edge, benchmark="wave", payload="problem", mode=mode, binding=binding, delta=5e5
    )
    for edge in (65, 129)
    for mode in ("blocking", "overlapped")
    for binding in ("mpi4py", "c", "c-again", "go")
]
SOLVERS = LINES | {
    "c": CodeLines(hello=11, timed=750, combinations=123, applications={"wave": 300, "sort": 218}),
    "mpi4py": CodeLines(hello=3, timed=430, combinations=55, applications={"wave": 155}),
}


def waves(**lines):
    return built_analysis([*ROWS, *WAVES], bindings=("c", "c-again", "mpi4py", "go"), lines=lines)


def test_lines_of_a_solver_stand_beside_its_time_on_the_largest_mesh():
    page = render_html(waves(**SOLVERS), NOTHING)
    section = page[page.index('data-name="lines-of-applications"') :].split("</table>")[0]
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in section.split("<tr")[2:]]
    plain = [[re.sub("<[^>]+>", "", cell).strip() for cell in row] for row in cells]
    assert plain == [
        ["wave (blocking), 129³ on mpich", "C", "300", "129 ms", ""],
        ["wave (blocking), 129³ on mpich", "mpi4py", "155", "130 ms", "1.004 ×"],
    ]
    text = render_markdown(waves(**SOLVERS), NOTHING)
    assert "| wave (blocking), 129³ on mpich | mpi4py | 155 | 130 ms | 1.004 × |" in text


def test_without_applications_there_is_no_table_of_solvers():
    assert "lines-of-applications" not in render_html(analysis(**SOLVERS), NOTHING)
    assert "lines-of-applications" not in render_html(waves(**LINES), NOTHING)
    assert "Of applications" not in render_markdown(waves(**LINES), NOTHING)
