"""What the benchmark of an earlier core measures, and how it judges."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from synthetic import make_run

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.errors import UsageError
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.compare import THRESHOLD

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import another_core

CASES = [("latency", "standard", "bytes", size) for size in (8, 1024, 65536)]
HALF = (0.0, 0.0, 0.5)  # of the time of C
SLOWER = (0.0, 0.0, 0.7)
NOTHING = (0.0, 0.0, 1.0)


@pytest.fixture
def git():
    if shutil.which("git") is None:
        pytest.skip("git is not installed: apt-get install git")


@pytest.fixture
def clone(git):
    head = ["git", "-C", another_core.REPOSITORY, "rev-parse", "HEAD"]
    if subprocess.run(head, capture_output=True, check=False).returncode:
        pytest.skip("these sources are not in a repository of git: git clone them")


def verdicts(path, now):
    effects = {"c": NOTHING, "c-again": NOTHING, "polympi": now, "polympi-before": HALF}
    directory = make_run(path, cases=CASES, effects=effects, blocks=20, noise=0.01, drift=0.02, events=1)
    found = another_core.compared(analyse(directory).launch_medians, THRESHOLD)
    return {(group.binding, group.verdict) for group in found.groups if group.benchmark == "latency"}


def test_a_core_that_became_slower_is_reported_and_one_that_did_not_is_not(tmp_path):
    assert verdicts(tmp_path / "slower", SLOWER) == {("polympi", "slower")}
    assert verdicts(tmp_path / "same", HALF) == {("polympi", "same")}
    assert verdicts(tmp_path / "faster", (0.0, 0.0, 0.4)) == {("polympi", "faster")}


def test_the_earlier_package_is_a_binding_with_the_programs_and_cases_of_today(tmp_path, clone):
    bindings = load_bindings([another_core.binding_of("HEAD", tmp_path)])
    for name in another_core.NAMES:
        now, before = bindings[name], bindings[name + another_core.BEFORE]
        assert before.entry.covers == now.entry.covers
        assert before.folder != now.folder
    assert (tmp_path / "polympi_before" / "src" / "polympi" / "native" / "build.py").is_file()


def test_a_revision_that_git_does_not_know_is_one_sentence(tmp_path, git):
    with pytest.raises(UsageError, match="git has no package of 'no-such-revision'"):
        another_core.binding_of("no-such-revision", tmp_path)


def test_a_machine_without_git_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="git, which is not installed: apt-get install git"):
        another_core.binding_of("HEAD", tmp_path)
