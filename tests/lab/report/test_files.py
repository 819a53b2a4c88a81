import polars as pl
import pytest
from built import built_analysis, summary_row
from synthetic import DEFAULT_CASES, make_run

from polympi.lab.errors import UsageError
from polympi.lab.published import published, sources
from polympi.lab.report.exporters import write_report
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import SUMMARY_COLUMNS


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    # Few cases: what is in a file is looked at elsewhere, and each report takes seconds for each chart.
    return make_run(
        tmp_path_factory.mktemp("files") / "run", cases=[*DEFAULT_CASES[:3], ("barrier", "standard", "none", 0)]
    )


@pytest.fixture(scope="module")
def analysis(directory):
    return analyse(directory)


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
        with pytest.raises(UsageError, match=r"^Cannot write .*: a part of the path is not a directory\.$"):
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


@pytest.fixture
def nothing():
    """An analysis in which nothing was compared with C."""
    return built_analysis([summary_row(binding="c")], ended="interrupted")


@pytest.mark.parametrize(("form", "name"), [("html", "report.html"), ("markdown", "report.md"), ("csv", "summary.csv")])
def test_what_says_something_is_never_replaced_by_what_says_nothing(analysis, nothing, tmp_path, form, name):
    write_report(analysis, tmp_path, [form])
    good = (tmp_path / name).read_text()
    with pytest.raises(UsageError, match=rf"nothing was compared with C.*'{name}'.*--force") as refused:
        write_report(nothing, tmp_path, [form])
    assert "\n" not in str(refused.value)
    assert (tmp_path / name).read_text() == good
    write_report(nothing, tmp_path, [form], force=True)
    assert (tmp_path / name).read_text() != good


def test_nothing_is_written_where_one_file_must_be_kept(analysis, nothing, tmp_path):
    write_report(analysis, tmp_path, ["html"])
    with pytest.raises(UsageError, match=r"report\.html"):
        write_report(nothing, tmp_path, ["csv", "markdown", "html"])
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_an_empty_report_is_written_where_there_is_none_and_replaced_by_a_good_one(analysis, nothing, tmp_path):
    for each in (nothing, nothing, analysis):
        write_report(each, tmp_path, ["html", "markdown", "csv"])
    assert "polympi 0.1.0, nothing compared" not in (tmp_path / "report.html").read_text()
    assert "On mpich, mpi4py adds 5" in (tmp_path / "report.md").read_text()


def test_every_published_table_names_its_source():
    for name, source in sources().items():
        table = published(name)
        assert table.frame.height > 0
        assert source.work
        assert source.setting
    with pytest.raises(UsageError, match="no published table 'x'"):
        published("x")
