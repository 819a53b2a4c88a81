"""The table "Lines of code" of a page and of Markdown."""

from built import built_analysis, summary_row
from report.forms import cells, html, markdown, section

from polympi.lab.records import CodeLines

ROWS = [summary_row(binding="c"), summary_row(), summary_row(binding="go")]
LINES = {
    "c": CodeLines(hello=11, timed=750, combinations=123),
    "mpi4py": CodeLines(hello=3, timed=430, combinations=55),
    "go": CodeLines(hello=0, timed=0, combinations=107),
}


def analysis(**lines):
    return built_analysis(ROWS, bindings=("c", "c-again", "mpi4py", "go"), lines=lines)


def test_page_and_markdown_have_a_row_for_each_program():
    page = html(analysis(**LINES))
    found = section(page, "code")
    assert [row[1:] for row in cells(found)] == [
        ["C", "11", "750", "123", "6.1"],
        ["mpi4py", "3", "430", "55", "7.8"],
        ["go", "–", "–", "107", "–"],
    ]
    assert '<tr data-binding="mpi4py"' in found
    assert 'data-binding="c"' not in found  # C always stays
    assert '<a href="#code">' in page
    text = markdown(analysis(**LINES)).split("## Lines of code")[1].split("\n## ")[0]
    assert "mpi4py | 3 | 430 | 55 | 7.8 |" in text
    for form in (found, text):
        assert "The shortest hello has 3 lines: mpi4py; C takes 11." in form


def test_runs_of_earlier_versions_have_no_such_table():
    for without in (analysis(), analysis(c=LINES["c"])):
        assert "Lines of code" not in html(without) + markdown(without)


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


def test_lines_of_a_solver_stand_next_to_its_time_on_the_largest_mesh():
    page = html(waves(**SOLVERS))
    assert cells(page[page.index('data-name="lines-of-applications"') :].split("</table>")[0]) == [
        ["wave (blocking), 129³ on mpich", "C", "300", "129 ms", ""],
        ["wave (blocking), 129³ on mpich", "mpi4py", "155", "130 ms", "1.004 ×"],
    ]
    line = "| wave (blocking), 129³ on mpich | mpi4py | 155 | 130 ms | 1.004 × |"
    assert line in markdown(waves(**SOLVERS)).split("### Of applications")[1]


def test_without_applications_there_is_no_table_of_solvers():
    for without in (analysis(**SOLVERS), waves(**LINES)):
        assert "lines-of-applications" not in html(without)
        assert "Of applications" not in markdown(without)
