import io

import polars as pl
import pytest
from built import built_analysis, launch, rich_run, summary_row
from rich.console import Console
from synthetic import make_run

from polympi.lab.errors import UsageError
from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.published import published, sources
from polympi.lab.report import write_report
from polympi.lab.report.markdown import render_markdown
from polympi.lab.report.terminal import print_summary
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import SUMMARY_COLUMNS

NOTHING = pl.DataFrame(schema=IMPORTED_SCHEMA)
LATENCY = [("latency", "standard", "bytes", s) for s in (8, 64, 1024, 65536)]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return rich_run(tmp_path_factory.mktemp("files") / "run")


@pytest.fixture(scope="module")
def analysis(directory):
    return analyse(directory)


def printed(analysis, width):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_summary(analysis, console)
    return console.file.getvalue()


def test_reports_of_ours_are_replaced_others_are_not(analysis, tmp_path):
    first = write_report(analysis, tmp_path, ["html", "markdown", "csv"])
    assert {path.name for path in first} == {"report.html", "report.md", "summary.csv", "memory.csv"}
    assert write_report(analysis, tmp_path, ["html", "markdown", "csv"]) == first
    for name, form in (("report.html", "html"), ("report.md", "markdown")):
        (tmp_path / name).write_text("my own notes")
        with pytest.raises(UsageError, match=r"not made by polympi.*--force"):
            write_report(analysis, tmp_path, [form])
        assert (tmp_path / name).read_text() == "my own notes"
        write_report(analysis, tmp_path, [form], force=True)
        assert "my own notes" not in (tmp_path / name).read_text()


def test_unknown_formats_and_unwritable_places_are_refused(analysis, tmp_path):
    with pytest.raises(UsageError, match="no report format 'pdf'"):
        write_report(analysis, tmp_path, ["pdf"])
    (tmp_path / "file").write_text("")
    for form in ("html", "markdown", "csv", "svg"):
        with pytest.raises(UsageError, match="Cannot write"):
            write_report(analysis, tmp_path / "file" / "inner", [form])


def test_csv_has_the_documented_columns_and_no_impossible_figure(analysis, tmp_path):
    write_report(analysis, tmp_path, ["csv"])
    frame = pl.read_csv(tmp_path / "summary.csv")
    assert frame.columns == list(SUMMARY_COLUMNS)
    assert frame.height == analysis.summary.height
    broken = built_analysis([summary_row(ratio_to_c=float("nan"), delta_to_c_ns=float("inf"))])
    write_report(broken, tmp_path, ["csv"])
    text = (tmp_path / "summary.csv").read_text()
    assert "NaN" not in text
    assert "inf" not in text
    assert pl.read_csv(tmp_path / "memory.csv").columns == broken.memory.columns


def test_every_chart_becomes_a_picture(tmp_path):
    cases = [("bandwidth", "standard", "bytes", s) for s in (8, 64, 1024, 65536)]
    directory = make_run(tmp_path / "run", cases=cases)
    written = write_report(analyse(directory), directory.path, ["png", "svg"])
    pngs = [path for path in written if path.suffix == ".png"]
    svgs = [path for path in written if path.suffix == ".svg"]
    assert len(pngs) == len(svgs) >= 7
    assert all(path.parent == directory.path / "figures" for path in written)
    for path in pngs:
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20], "big") > 1000  # width of the picture in its header
    for path in svgs:
        assert path.read_text().startswith("<svg")
        assert path.stat().st_size > 3000


def test_markdown_has_the_same_answers_and_table(analysis):
    text = render_markdown(analysis, NOTHING)
    assert text.startswith("<!-- made by polympi 0.1.0 -->")
    assert "On mpich, mpi4py adds 5" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    assert any(line.startswith("| latency | 8 B |") for line in table)
    assert "nan" not in text
    assert "None" not in text


def test_markdown_shows_hostile_words_as_they_are():
    hostile = launch(0, outcome="crashed", detail="</details><b> | `code` *bold* [x](http://x)")
    text = render_markdown(built_analysis([summary_row()], launches=[hostile]), NOTHING)
    assert "</details><b>" not in text
    assert "&lt;/details&gt;&lt;b&gt; \\| \\`code\\` \\*bold\\* \\[x\\](http://x)" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_summary_fits_the_terminal(analysis, width):
    text = printed(analysis, width)
    assert max(map(len, text.splitlines())) <= width
    assert "▲+5" in text
    assert " quick " in text
    for binding in ("mpi4py", "mpi4py-object"):
        assert binding in text
    assert "nan" not in text


def test_every_arm_is_shown_with_its_thread_level(analysis):
    heading = printed(analysis, 200).splitlines()
    first = next(number for number, line in enumerate(heading) if line.startswith("benchmark"))
    assert heading[first].split() == ["benchmark", "size", "C", "mpi4py", "mpi4py-object"]
    assert heading[first + 1].split() == ["single", "multiple", "multiple"]
    assert "| benchmark | size | C (single) | mpi4py (multiple) | mpi4py-object (multiple) |" in (
        render_markdown(analysis, NOTHING)
    )


def test_each_way_a_face_can_lie_is_shown_at_its_largest_size(analysis):
    lines = [line for line in printed(analysis, 120).splitlines() if line.startswith("faces (")]
    assert [line.split("135200 B")[0].strip() for line in lines] == [
        "faces (contiguous)",
        "faces (rows)",
        "faces (elements)",
    ]


def test_many_bindings_are_continued_below(tmp_path):
    effects = {"c": (0.0, 0.0, 1.0), "c-again": (0.0, 0.0, 1.0)}
    effects |= {f"binding-{i}": (100.0 * i, 0.0, 1.0) for i in range(1, 7)}
    text = printed(analyse(make_run(tmp_path / "run", effects=effects, cases=LATENCY)), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("benchmark ") == 3
    assert all(f"binding-{i}" in text for i in range(1, 7))


def test_a_run_without_rows_is_said_so():
    text = printed(built_analysis(ended="interrupted", launches=[launch(0, outcome="crashed")]), 80)
    assert "No binding was compared with C." in text
    assert " partial " in text
    assert "1 of 1 launch crashed" in text


def test_every_published_table_names_its_source():
    for name, source in sources().items():
        table = published(name)
        assert table.frame.height > 0
        assert source.work
        assert source.setting
    with pytest.raises(UsageError, match="no published table 'x'"):
        published("x")
