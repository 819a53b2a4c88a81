"""The rows of a run for services that follow benchmarks over commits."""

import json
from pathlib import Path

import pytest
from synthetic import make_run

from polympi.lab.report.exporters import write_report
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import Analysis

CASES = [("latency", "standard", "bytes", 8), ("bandwidth", "standard", "bytes", 65536)]


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return analyse(make_run(tmp_path_factory.mktemp("exports") / "run", cases=CASES, events=1))


def test_bencher_gets_times_and_ratios_with_their_intervals(analysis: Analysis, tmp_path: Path) -> None:
    [path] = write_report(analysis, tmp_path, ["bencher"])
    found = json.loads(path.read_text())
    assert not any("c-again" in name for name in found)
    assert list(found["mpich/c/latency/standard/bytes/8"]) == ["latency"]
    measures = found["mpich/mpi4py/latency/standard/bytes/8"]
    assert set(measures) == {"latency", "ratio-to-c"}
    for measure in measures.values():
        assert measure["lower_value"] < measure["value"] < measure["upper_value"]
    assert measures["ratio-to-c"]["value"] == pytest.approx(1 + 520 / 800, rel=0.05)


def test_github_action_benchmark_gets_a_file_for_each_of_its_tools(analysis: Analysis, tmp_path: Path) -> None:
    smaller, bigger = (
        json.loads(path.read_text()) for path in write_report(analysis, tmp_path, ["github-action-benchmark"])
    )
    assert {entry["unit"] for entry in smaller} == {"times C"}
    assert {entry["unit"] for entry in bigger} == {"MB/s"}
    assert all({"name", "unit", "value"} <= set(entry) for entry in [*smaller, *bigger])
    by_name = {entry["name"]: entry for entry in smaller}
    entry = by_name["mpich/mpi4py/latency/standard/bytes/8"]
    assert (entry["extra"], " to " in entry["range"]) == ("slower", True)


def test_a_badge_has_the_schema_of_shields(analysis: Analysis, tmp_path: Path) -> None:
    [path] = write_report(analysis, tmp_path, ["badge"])
    found = json.loads(path.read_text())
    assert (found["schemaVersion"], found["label"], found["color"]) == (1, "MPI latency over C, 8 B", "blue")
    assert found["message"].startswith("mpi4py 1.6")
    assert "c-again" not in found["message"]


def test_a_run_without_launches_has_empty_exports(tmp_path: Path) -> None:
    nothing = analyse(make_run(tmp_path / "run", blocks=0))
    paths = write_report(nothing, tmp_path, ["bencher", "github-action-benchmark", "badge"])
    assert [json.loads(path.read_text()) for path in paths[:3]] == [{}, [], []]
    assert json.loads(paths[3].read_text())["message"] == "not measured"
