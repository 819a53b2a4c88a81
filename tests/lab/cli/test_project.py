"""``polympi project`` as a user types it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from simulated import program
from synthetic import make_run
from typer.testing import CliRunner, Result

from polympi.lab.cli.app import application
from polympi.lab.errors import LabError, UsageError
from polympi.lab.projection import simulator
from polympi.lab.projection.simulator import SimulatorError

CASES = [("latency", "standard", "bytes", size) for size in (8, 1024)] + [("barrier", "standard", "none", 0)]
Project = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    make_run(tmp_path / "run", cases=CASES, events=1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(application("project"), ["project", *arguments])


def refusal(done: Result) -> str:
    assert isinstance(done.exception, LabError), done.output
    return str(done.exception)


def test_a_projection_is_shown_and_written_next_to_the_run(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    done = project("run", "--ranks", "4,8", "--network", "100g", "--binding", "mpi4py")
    assert done.exit_code == 0, done.output
    for words in ("mpi4py on mpich, network 100g", "4 ranks", "mpi4py adds", "The analytic model (LogGP)"):
        assert words in done.output
    folder = tmp_path / "run" / "projection-100g"
    assert {path.name for path in folder.iterdir()} == {f"projection.{end}" for end in ("html", "md", "csv", "json")}
    assert "exists and is not overwritten" in refusal(project("run", "--ranks", "4", "--network", "100g"))
    again = project("run", "--ranks", "4", "--network", "100g", "--force", "--binding", "mpi4py")
    assert again.exit_code == 0, again.output


def test_figures_that_are_missed_by_far_end_with_exit_code_1(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    far = project("run", "--network", "gigabit", "--against", "run", "--ranks-per-node", "1", "-o", "far")
    assert far.exit_code == 1, far.output
    assert "missed" in far.output
    assert "within 25 % of what was measured; the median error is" in far.output
    assert "polympi run --by-network" in far.output
    near = project(
        "run", "--network", "gigabit", "--against", "run", "-o", "near"
    )  # all ranks on one node, as measured
    assert near.exit_code == 0, near.output
    assert "9 of 9 figures are within 25 % of what was measured" in near.output
    assert "--by-network" not in near.output


def test_without_simgrid_one_sentence_says_how_to_get_it_and_nothing_is_left(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    done = project("run")
    assert isinstance(done.exception, SimulatorError)
    said = refusal(done)
    assert said.startswith("A projection needs SimGrid, whose command 'smp")
    assert "apt install --no-install-recommends libsimgrid-dev g++" in said
    assert not (tmp_path / "run" / "projection-gigabit").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ranks", "many"], "--ranks many is not possible: write numbers, as 64,256,1024"),
        (["--ranks", "1"], "1 ranks cannot be projected: 2 to 4096 can"),
        (["--ranks-per-node", "0"], "--ranks-per-node 0 is impossible"),
        (["--ranks", "4", "--against", "run"], "--ranks cannot be given with --against"),
        (["--network", "gigabyte"], "There is no network 'gigabyte'"),
        (["--network", "bad.toml"], "The network 'bad.toml' cannot be used: it is not TOML"),
        (["--network", "run"], "'run' cannot describe a network, because it was on one host"),
        (["--binding", "mpi5py"], "'mpi5py' cannot be projected from mpich"),
        (["-o", "bad.toml"], "'bad.toml' is a file"),
    ],
)
def test_what_cannot_be_projected_is_a_sentence_and_leaves_nothing(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    (tmp_path / "bad.toml").write_text("name = ]")
    before = sorted(tmp_path.rglob("*"))
    done = project("run", *arguments)
    assert isinstance(done.exception, UsageError)
    assert words in refusal(done)
    assert sorted(tmp_path.rglob("*")) == before
