"""``polympi diff`` as a user types it."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import EFFECTS, make_run
from typer.testing import CliRunner, Result

from polympi.lab.cli.app import application
from polympi.lab.errors import LabError

CASES = [("latency", "standard", "bytes", 2**k) for k in range(3, 13)] + [("barrier", "standard", "none", 0)]
Diff = Callable[..., Result]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    made = {"cases": CASES, "events": 1, "blocks": 9, "drift": 0.2}
    make_run(path / "a", seed=1, **made)
    make_run(path / "b", seed=2, **made)
    make_run(path / "slow", seed=3, effects=EFFECTS | {"mpi4py": (520.0, 0.0, 1.5)}, **made)
    make_run(path / "noisy", seed=4, noise=0.3, **made)
    make_run(path / "other", seed=5, stacks=("openmpi",), **made)
    return path


@pytest.fixture
def diff(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Diff:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: CliRunner().invoke(application("diff"), ["diff", *arguments])


@pytest.mark.parametrize(
    ("runs", "code", "word"),
    [
        (("a", "b"), 0, "Same"),
        (("a", "slow"), 1, "Slower"),
        (("slow", "a"), 0, "Faster"),
        (("a", "noisy"), 3, "Unknown"),
    ],
)
def test_the_answer_comes_first_and_the_exit_code_agrees(
    diff: Diff, runs: tuple[str, str], code: int, word: str
) -> None:
    done = diff(*runs)
    assert done.exit_code == code, done.output
    assert done.stdout.startswith(f"{word}: ")
    assert "C itself" in done.stdout


def test_a_run_and_itself_are_said_to_be_the_same(diff: Diff, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(folder / "a", folder / "copy", dirs_exist_ok=True)
    for after, same in (("a", True), (f"../{folder.name}/a", True), ("copy", True), ("b", False)):
        done = diff("a", after)
        assert done.exit_code == 0
        assert ("are the same run" in done.stderr + capsys.readouterr().err) == same


def test_the_table_fits_a_narrow_terminal(diff: Diff, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = diff("a", "noisy", "--all").stdout.split("Bindings by benchmark")[1].splitlines()
    assert any(re.fullmatch(r"mpi4py-object +latency .* to .* +unknown \(\S+\) *", line) for line in shown), shown


def test_runs_that_cannot_be_compared_are_2(diff: Diff, tmp_path: Path) -> None:
    done = diff("a", "other", "--json", str(tmp_path / "out.json"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no row in common" in done.stderr
    kept = json.loads((tmp_path / "out.json").read_text())
    assert (kept["exit_code"], kept["groups"]) == (2, [])
    assert "no row in common" in kept["answer"]


def test_what_is_not_asked_for_is_not_judged(diff: Diff) -> None:
    assert diff("a", "slow", "--binding", "mpi4py-object").exit_code == 0
    assert diff("a", "slow", "--bench", "startup").exit_code == 0
    assert diff("a", "slow", "--bench", "barr*,startup").exit_code == 1
    assert diff("a", "slow", "--threshold", "80%").exit_code == 0
    assert "c " in diff("a", "slow", "--absolute", "--all").stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--binding", "mpi5py"), "measured in neither run"),
        (("--binding", ","), "--binding names nothing"),
        (("--bench", "latensy"), "fits 'latensy'"),
        (("--threshold", "5"), "'5' is not a percentage above 0"),
        (("--threshold", "0%"), "'0%' is not a percentage above 0"),
        (("--json", "-", "--markdown", "-"), "cannot both go to '-'"),
        (("--json", "a/run.json"), "'a/run.json' exists and is never overwritten"),
        (("--markdown", "nowhere/out.md"), "There is no folder 'nowhere'"),
    ],
)
def test_wrong_requests_are_reported(diff: Diff, options: tuple[str, ...], sentence: str) -> None:
    done = diff("a", "b", *options)
    assert isinstance(done.exception, LabError)
    assert done.exception.exit_code == 2
    assert sentence in str(done.exception)


def test_an_existing_file_stays_as_it_is(diff: Diff, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text("mine")
    assert isinstance(diff("a", "b", "--json", str(file)).exception, LabError)
    assert file.read_text() == "mine"


def test_json_and_markdown_go_to_files_beside_the_table(diff: Diff, tmp_path: Path) -> None:
    paths = tmp_path / "out.json", tmp_path / "out.md"
    done = diff("a", "slow", "--json", str(paths[0]), "--markdown", str(paths[1]))
    assert done.exit_code == 1
    assert done.stdout.startswith("Slower")
    kept = json.loads(paths[0].read_text())
    assert kept["answer"] == done.stdout.splitlines()[0]
    assert (kept["format"], kept["exit_code"], kept["threshold"]) == (1, 1, 0.1)
    slower = {(g["binding"], g["benchmark"]) for g in kept["groups"] if g["verdict"] == "slower"}
    assert slower == {("mpi4py", "latency"), ("mpi4py", "barrier")}
    assert "| mpi4py | latency |" in paths[1].read_text()


def test_json_on_standard_output_is_all_there_is(diff: Diff) -> None:
    done = diff("a", "b", "--json", "-")
    assert json.loads(done.stdout)["exit_code"] == done.exit_code == 0
    assert diff("a", "b", "--markdown", "-").stdout.startswith("### polympi diff: a → b")


def test_only_what_changed_is_shown_unless_all_is_asked_for(diff: Diff) -> None:
    brief, full = diff("a", "slow").stdout, diff("a", "slow", "--all").stdout
    assert "--all shows what is left out" in brief
    assert "mpi4py-object" not in brief
    assert len(re.findall(r"mpi4py-object +latency", full)) == 1 + 10
