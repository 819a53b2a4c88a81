"""``polympi history`` as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import typed
from synthetic import EFFECTS, make_run

from polympi.lab.cli import console

CASES = [("latency", "standard", "bytes", 2**k) for k in range(3, 8)] + [("barrier", "standard", "none", 0)]
SLOW = {"mpi4py": (520.0, 0.0, 1.5)}


def made(path: Path, number: int, *, slow: bool, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    """A run of a day, with what it recorded changed."""
    make_run(path, seed=number, cases=CASES, events=1, effects=EFFECTS | (SLOW if slow else {}))
    for name, changes in (
        ("run.json", [("created", f"2026-01-{number:02d}T03:04:05+00:00")]),
        ("environment.json", []),
    ):
        record = json.loads((path / name).read_text()) | dict(changes)
        if name == "environment.json":
            record["stacks"] = {"mpich": {"packages": ["mpi4py==4.1" if slow else "mpi4py==4.0", "numpy==2.0"]}}
            change(record)
        (path / name).write_text(json.dumps(record))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    for number in range(1, 7):
        made(path / f"run-{number}", number, slow=number >= 4)
    make_run(path / "network", seed=9, cases=CASES, events=1, by_network=True)
    return path


RUNS = [f"run-{number}" for number in range(1, 7)]


@pytest.fixture
def page(tmp_path: Path) -> str:
    return str(tmp_path / "history.html")


def test_the_answer_names_the_binding_the_run_and_what_else_changed(
    folder: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console.results, "_width", 200)  # a row of the table is a line
    done = typed("history", *reversed(RUNS), "-o", page, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("In 6 runs from 2026-01-01 to 2026-01-06, mpi4py in ")
    assert "mpi4py in latency (+30 %, run 4)" in done.stdout
    assert "'polympi diff run-3 run-4' shows the rows of the largest change." in done.stdout
    lines = [line for line in done.stdout.splitlines() if "slower" in line and "run-4" in line]
    assert len(lines) == 2
    assert all("mpi4py 4.0 → 4.1" in line and "numpy" not in line for line in lines)
    text = Path(page).read_text()
    assert text.count("data-chart=") == 3  # latency, barrier and start-up
    assert "mpi4py 4.0 → 4.1" in text


def test_json_has_runs_series_and_steps(folder: Path, page: str) -> None:
    done = typed("history", *RUNS, "network", "-o", page, "--json", "-", folder=folder)
    found = json.loads(done.stdout)
    assert [run["directory"] for run in found["runs"]] == RUNS
    assert list(found["left_out"]) == ["network"]
    assert "Ranks of one host sent by the network" in found["left_out"]["network"]
    assert [run["changed"] for run in found["runs"]] == [[]] * 3 + [
        [{"what": "mpi4py", "before": "4.0", "after": "4.1", "stack": "mpich", "binding": ""}]
    ] + [[]] * 2
    assert {(s["binding"], s["benchmark"], s["run"]) for s in found["steps"]} == {
        ("mpi4py", "latency", 4),
        ("mpi4py", "barrier", 4),
    }
    assert {len(one["points"]) for one in found["series"]} == {6}


def test_markdown_escapes_and_folds(folder: Path, page: str) -> None:
    done = typed("history", *RUNS, "--bench", "latency", "-o", page, "--markdown", "-", folder=folder)
    assert done.stdout.startswith("<!-- made by polympi")
    assert "| 4 (run-4) | mpi4py | latency | +" in done.stdout
    assert "<summary>All bindings by benchmark (2)</summary>" in done.stdout


def test_the_newest_run_alone_is_not_yet_believed(folder: Path, page: str) -> None:
    done = typed("history", *RUNS[:4], "-o", page, folder=folder)
    assert "Only the newest run shows it for mpi4py in" in done.stdout
    assert "Only the newest" not in typed("history", *RUNS[:5], "-o", page, folder=folder).stdout


def test_runs_are_taken_as_given(folder: Path, page: str) -> None:
    order = [*RUNS[3:], *RUNS[:3]]
    found = json.loads(typed("history", *order, "--as-given", "-o", page, "--json", "-", folder=folder).stdout)
    assert [run["directory"] for run in found["runs"]] == order
    assert {(step["run"], step["verdict"]) for step in found["steps"]} == {(4, "faster")}


def test_processors_that_alternate_have_series_of_their_own(tmp_path: Path, page: str) -> None:
    def processor(model: str) -> Callable[[dict[str, Any]], None]:
        return lambda record: record["cpu"].update(model=model)

    for number in range(1, 9):
        odd = number % 2 == 1
        made(tmp_path / f"run-{number}", number, slow=odd, change=processor("Odd" if odd else "Even"))
    names = [f"run-{number}" for number in range(1, 9)]
    found = json.loads(typed("history", *names, "-o", page, "--json", "-", folder=tmp_path).stdout)
    assert found["steps"] == []
    assert {one["stack"] for one in found["series"]} == {"mpich, Odd", "mpich, Even"}
    for_good = [*names[0::2], *names[1::2]]
    done = typed("history", *for_good, "--as-given", "-o", page, "--json", "-", folder=tmp_path)
    found = json.loads(done.stdout)
    assert {(one["run"], one["verdict"]) for one in found["steps"]} == {(5, "faster")}
    assert found["runs"][4]["changed"][0] == {
        "what": "processor", "before": "Odd", "after": "Even", "stack": "", "binding": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run-1"], "A history needs 2 runs that can be compared, and there is 1."),
        (["run-1", "run-1"], "and there is 1."),
        (["run-1", "network"], "'run-1': Ranks of one host sent by the network"),
        (["run-1", "nowhere"], "There is no result directory 'nowhere'"),
        (
            ["run-1", "run-2", "--binding", "mpi5py"],
            "No run has the binding 'mpi5py': they have mpi4py, mpi4py-object.",
        ),
        (["run-1", "run-2", "--bench", "latensy"], "No case that a run measured fits 'latensy'"),
        (["run-1", "run-2", "--threshold", "5"], "'5' is not a percentage above 0"),
        (["run-1", "run-2", "-o", "run-1/run.json"], "'run-1/run.json' was not made by polympi"),
    ],
)
def test_wrong_requests_are_reported(folder: Path, arguments: list[str], sentence: str) -> None:
    done = typed("history", *arguments, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert not (folder / "history.html").exists()
