"""What settings and other stacks cost, in every form of the report."""

import polars as pl
import pytest
from report.forms import html, markdown, terminal
from synthetic import make_run

from polympi.lab.report.csvfiles import write_csv
from polympi.lab.report.factors import factor_figures, factor_sections
from polympi.lab.report.figures import palette_of
from polympi.lab.statistics.analysis import analyse

CASES = [*[("latency", "standard", "bytes", size) for size in (8, 1024, 2**20)], ("barrier", "standard", "none", 0)]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    levels = {"slow": (0.0, 0.0, 1.3), "no change": (0.0, 0.0, 1.0)}
    return make_run(tmp_path_factory.mktemp("factors") / "run", stacks=("mpich", "openmpi"), cases=CASES, levels=levels)


@pytest.fixture(scope="module")
def analysis(directory):
    return analyse(directory)


def test_there_is_a_section_for_each_factor_and_stack(analysis) -> None:
    sections = factor_sections(analysis)
    assert [section.heading for section in sections] == [
        "What a setting costs, on mpich",
        "What a setting costs, on openmpi",
        "What another MPI costs",
    ]
    settings = sections[0]
    assert [part.title for part in settings.parts] == ["slow", "no change"]
    assert [group.language for group in settings.screen.groups] == ["slow", "no change"]
    slow, same = settings.screen.groups
    assert [line.binding for line in slow.lines] == ["c", "mpi4py", "mpi4py-object"]
    assert [one.cell.verdict for one in slow.lines[0].cells] == ["slower"] * 3 + ["not separated"]  # the start-up
    assert "× the base" in slow.lines[0].cells[0].tip
    assert {one.cell.verdict for line in same.lines for one in line.cells} <= {"not separated", "ambiguous"}
    of_c = analysis.launch_medians.filter(stack="mpich", binding="c", benchmark="latency", size_bytes=8)["median_ns"]
    shown, unit = settings.screen.columns[0].reference.split()
    assert (unit, float(shown)) == ("ns", pytest.approx(of_c.median(), rel=0.02))  # the mean of both launches of C
    assert sections[2].parts[0].title == "openmpi instead of mpich"


def test_each_arm_has_a_sentence_with_its_clearest_case(analysis) -> None:
    slow, same = factor_sections(analysis)[0].parts
    said = dict(slow.sentences)
    assert said["c"].startswith("C: of 6 cases, 4 are slower (1.")
    assert said["c"].endswith("2 not separated.")
    assert dict(same.sentences)["c"].startswith("C: none of 6 cases is separated (")


def test_the_table_has_c_at_the_base_and_every_arm_at_the_level(analysis) -> None:
    slow, _ = factor_sections(analysis)[0].parts
    assert slow.columns == ["c", "mpi4py", "mpi4py-object"]
    assert [(line.label, line.size) for line in slow.lines][:2] == [("latency", "8 B"), ("", "1 KiB")]
    assert all(line.reference for line in slow.lines if line.family.mode != "import")


def test_charts_show_the_ratio_to_the_base_of_c_too(analysis) -> None:
    found = factor_figures(analysis, palette_of(analysis))
    [figure] = found["setting/mpich, slow"]
    spec = figure.chart.to_dict(validate=False)
    rows = next(data for data in spec["datasets"].values() if "binding" in data[0])
    assert {row["binding"] for row in rows} == {"c", "mpi4py", "mpi4py-object"}
    assert all(row["separated"] for row in rows)
    assert "as a multiple of that of the base" in str(spec)
    [few] = factor_figures(analysis, palette_of(analysis), shown=["mpi4py"])["setting/mpich, slow"]
    assert "mpi4py-object" not in str(few.chart.to_dict(validate=False)["datasets"])


def test_every_form_of_the_report_has_it(analysis, tmp_path) -> None:
    page = html(analysis)
    assert '<section id="setting">' in page
    assert '<section id="stack">' in page
    text = markdown(analysis)
    assert "## What a setting costs, on mpich" in text
    assert "## What another MPI costs" in text
    assert "What a setting costs, on openmpi" in terminal(analysis, 120)
    write_csv(analysis, tmp_path)
    table = pl.read_csv(tmp_path / "factors.csv")
    assert set(table["factor"]) == {"setting", "stack"}
    assert table.filter(level="slow", binding="c", benchmark="latency")["verdict"].to_list() == ["slower"] * 6


def test_a_run_that_compares_bindings_alone_has_none_of_it(tmp_path) -> None:
    analysis = analyse(make_run(tmp_path / "run", cases=CASES))
    assert analysis.factors == []
    assert '<section id="setting">' not in html(analysis)
    assert "factors.csv" not in {path.name for path in write_csv(analysis, tmp_path)}
