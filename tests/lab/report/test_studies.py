"""The section of a study: modules side by side, with the published table, in every form of the report."""

import csv
import re
from pathlib import Path

import pytest
from report.forms import html, markdown, terminal
from synthetic import make_run

from polympi.lab.catalogue import BENCHMARKS, problem_bytes
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.plan.studies import STUDIES
from polympi.lab.records import CodeLines
from polympi.lab.report.csvfiles import write_csv
from polympi.lab.report.studies import columns, study_sections
from polympi.lab.statistics.analysis import analyse

EFFECTS = {  # what a call adds, and each byte
    "c": (0.0, 0.0, 1.0),
    "c-again": (0.0, 0.0, 1.0),
    "pypar": (400.0, 0.0, 1.0),
    "pympi": (1600.0, 0.1, 1.0),
    "mpi4py": (800.0, 0.0, 1.0),
    "polympi": (160.0, 0.0, 1.0),
}
LANGUAGES = dict.fromkeys(EFFECTS, "Python") | {"c": "C", "c-again": "C"}
LINES = {
    "c": CodeLines(hello=11, timed=900, combinations=100, applications={"inner-product": 60}),
    "pypar": CodeLines(
        hello=3, timed=80, combinations=20, applications={"inner-product": 25}, communication={"wave": 11}
    ),
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A study on one stack, of made-up times; pympi sends objects, and the others into arrays."""
    study = STUDIES["modules"]
    cases = select_cases(study.applied_to(PROFILES["quick"]), [], None, 2)
    lacks = {"pympi": ["float64"]} | {name: ["array"] for name in ("pypar", "mpi4py", "polympi")}
    directory = make_run(
        tmp_path_factory.mktemp("study") / "run",
        cases=[(c.benchmark, c.mode, c.payload, c.size_bytes) for c in cases],
        effects=EFFECTS,
        languages=LANGUAGES,
        study="modules",
        lacks=lacks,
        lines=LINES,
        left_out={"boost-python": "it runs on openmpi only"},
        events=5,
        noise=0.001,
    )
    return analyse(directory)


def test_every_module_is_shown_with_what_was_published_of_it(measured):
    [section] = study_sections(measured)
    ping_pong, *_ = section.tables
    lines = {name: figures for name, *figures in ping_pong.lines}
    assert list(lines) == ["C", "pypar", "pympi", "mpi4py", "polympi"]
    assert lines["C"][-3:] == ["8 µs", "1 ×", "967 MB/s"]
    assert lines["pypar"][-3:] == ["25 µs", "3.12 ×", "899 MB/s"]
    assert lines["pympi"][-3:] == ["133 µs", "16.6 ×", "151 MB/s"]
    assert lines["polympi"][-3:] == ["–", "–", "–"]
    assert (lines["pypar"][0], lines["pympi"][0]) == ("into an array", "a new array")
    # 800 ns of C, and 400, 1600, 800, 160 more
    over_c = {name: float(figures[2].split()[0]) for name, figures in lines.items()}
    assert over_c == pytest.approx({"C": 1, "pypar": 1.5, "pympi": 3, "mpi4py": 2, "polympi": 1.2}, rel=0.02)


def test_collectives_an_application_and_lines_of_code_stand_there(measured):
    [section] = study_sections(measured)
    table = section.tables[1]
    lines = {name: figures for name, *figures in table.lines}
    assert "of 8 B" in table.title
    assert lines["pypar"][-2:] == ["3", "25"]
    assert lines["C"][-2:] == ["11", "60"]
    assert lines["mpi4py"][-2:] == ["–", "–"]
    for place in range(3):
        assert re.fullmatch(r"1\.[12]\d? µs, 1\.\d+ ×", lines["pypar"][place]), lines["pypar"]
        assert re.fullmatch(r"2\.[2-5]\d? µs, [23]\.\d+ ×", lines["pympi"][place]), lines["pympi"]
    assert "×" not in lines["C"][0]
    assert lines["mpi4py"][3].endswith("×")


def test_the_result_is_a_sentence_and_so_is_what_is_missing(measured):
    [section] = study_sections(measured)
    assert re.fullmatch(
        r"The latency of the modules is 1\.\d+ × \(pypar\) to [23]\.\d+ × \(pympi\) that of C; polympi itself "
        r"1\.\d+ ×\. Published, it was 1\.75 × \(mpi4py\) to 20\.2 × \(boostmpi\)\.",
        section.answer,
    ), section.answer
    assert section.missing == (
        "Missing here: boost-python (it runs on openmpi only); mpich is the only MPI of this run: 'polympi stack add "
        "NAME' adds another."
    )


def test_equations_stand_there_in_the_style_of_each_module(measured):
    [section] = study_sections(measured)
    tables = {table.title: {name: figures for name, *figures in table.lines} for table in section.tables[2:-1]}
    assert list(tables) == ["wave 129³, an iteration", "poisson-cg 1025², an iteration"]
    wave = tables["wave 129³, an iteration"]
    assert list(wave) == ["C", "pypar", "pympi", "mpi4py", "polympi"]
    assert (wave["pypar"][0], wave["pypar"][-1], wave["mpi4py"][-1]) == ("2", "11", "–")
    assert wave["pympi"][1].endswith("×")
    assert len(section.statements) == 3


def test_which_interface_for_whom_is_computed(measured):
    [section] = study_sections(measured)
    calls = {name: figures for name, *figures in section.tables[-1].lines}
    assert calls["mpi4py"][:3] == ["12 of 12", "–", "100 %"]
    assert calls["pypar"][0] == "6 of 12"
    assert "nonblocking messages" in calls["pypar"][1]
    kinds = [text.partition(":")[0] for text in section.advice]
    assert kinds[:2] == ["A script of an older module", "A new program"]
    assert len(kinds) == 5
    assert "A new program: polympi" in section.advice[1]  # of which a call takes 160 ns more, and of mpi4py 800


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_shows_it_with_the_general_summary(measured, width):
    text = terminal(measured, width)
    assert "Python modules for MPI, side by side, on mpich" in text
    assert "Missing here: boost-python" in " ".join(text.split())
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert re.search(r"^pympi +a new +", text, re.MULTILINE)


def test_page_and_markdown_have_its_tables_under_its_title(measured):
    for text in (html(measured), markdown(measured)):
        assert "Python modules for MPI, side by side" in text
        assert "with the published table" in text
        assert "Missing here: boost-python" in text


def test_the_table_is_a_file(measured, tmp_path):
    written = {path.name: path for path in write_csv(measured, tmp_path)}
    with written["study.csv"].open(newline="", encoding="utf-8") as file:
        rows = {row["binding"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["c", "pypar", "pympi", "mpi4py", "polympi"]
    assert float(rows["pypar"]["latency_ratio_to_c"]) == pytest.approx(1.5, rel=0.02)
    for name, row in rows.items():  # as summary.csv has it of the largest message
        own = measured.summary.filter(binding=name, benchmark="latency", payload=row["payload"]).sort("size_bytes")
        assert float(row["mb_per_s"]) == pytest.approx(own["mb_per_s"][-1])
    assert rows["pypar"]["published_latency_us"] == "25"
    assert rows["pympi"]["payload"] == "array"
    assert rows["polympi"]["published_latency_us"] == ""
    assert (rows["pypar"]["hello_lines"], rows["pypar"]["inner_product_lines"]) == ("3", "25")


def test_every_column_of_the_file_is_described(measured):
    described = (Path(__file__).parents[3] / "docs" / "results.md").read_text(encoding="utf-8")
    section = described.partition("## `study.csv`")[2].partition("\n## ")[0]
    assert set(columns(measured)[0]) == set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|[^|]+\|", section, re.M))))


def test_other_runs_have_no_such_section(tmp_path):
    analysis = analyse(make_run(tmp_path / "run"))
    assert study_sections(analysis) == []
    assert "study.csv" not in {path.name for path in write_csv(analysis, tmp_path)}


def test_too_few_sizes_for_a_fit_leave_dashes(tmp_path):
    size = problem_bytes(BENCHMARKS["inner-product"].edges[0], 1)
    cases = [("latency", "standard", "float64", 8), ("inner-product", "standard", "problem", size)]
    analysis = analyse(make_run(tmp_path / "run", cases=cases, effects=EFFECTS, study="modules"))
    [section] = study_sections(analysis)
    assert section.answer == "None of the modules has a fit of its ping-pong, which takes four sizes or more."
    assert {line[2] for line in section.tables[0].lines} == {"–"}
    assert all(line[4] != "–" for line in section.tables[1].lines)
