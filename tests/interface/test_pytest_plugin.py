"""The mark `polympi` in a separate project: how its tests end, and what they say."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = [pytest.mark.one_host, pytest.mark.any_library]

PROJECT = """
import os
import pytest
import polympi as mpi

here = os.getpid()

def doubled(number):
    return 2 * number

@pytest.mark.polympi(ranks=3)
def test_passes():
    assert mpi.world.size == 3
    assert mpi.world.allreduce(doubled(1)) == 6

@pytest.mark.polympi
@pytest.mark.parametrize("number", [1, 2])
def test_has_parameters_and_fixtures(number, tmp_path):
    assert mpi.world.allreduce(number) == 2 * number
    assert tmp_path.is_dir()

class TestInClass:
    @pytest.mark.polympi
    def test_passes(self):
        assert self.number() == 7

    def number(self):
        return 7

@pytest.mark.polympi
def test_fails_on_all():
    assert doubled(1) == 3

@pytest.mark.polympi
def test_fails_on_one():
    if mpi.world.rank == 1:
        assert [doubled(1), 5] == [2, 6]
    mpi.world.barrier()

@pytest.mark.polympi
def test_passes_afterwards():
    assert mpi.world.allreduce(1) == 2

@pytest.mark.polympi(timeout=3)
def test_hangs():
    if mpi.world.rank == 0:
        mpi.world.recv(1)

@pytest.mark.polympi
def test_leaves_a_message():
    if mpi.world.rank == 0:
        mpi.world.send("x", 1)

@pytest.mark.polympi
def test_kills():
    if mpi.world.rank == 1:
        os.abort()

@pytest.mark.polympi
def test_skips():
    pytest.skip("not today")

@pytest.mark.polympi
def test_is_expected_to_fail():
    pytest.xfail("known")

@pytest.mark.polympi
def test_wants_what_cannot_be_sent(capsys):
    pass

def test_plain():
    assert os.getpid() == here
"""
FAILS = {
    "test_fails_on_all": ["[ranks 0 and 1] assert 2 == 3", "where 2 = doubled(1)", ">       assert doubled(1) == 3"],
    "test_fails_on_one": ["[rank 1] assert [2, 5] == [2, 6]", "At index 1 diff: 5 != 6", "[rank 0] was interrupted in"],
    "test_hangs": ["rank 0 of 2 did not return within 3 s", "for rank 1 in recv(source=1"],
    "test_leaves_a_message": ["not in step: [rank 1] a message was received by no rank"],
    "test_kills": ["rank 1 was killed by SIGABRT during test_kills"],
    "test_wants_what_cannot_be_sent": ["can't have the fixture capsys, which can't be pickled"],
}
PASSES = {"test_passes", "test_has_parameters_and_fixtures[1]", "test_has_parameters_and_fixtures[2]", "test_plain"}
PASSES |= {"test_passes_afterwards"}


def run_pytest(folder: Path, environment: dict[str, str], text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_project.py").write_text(text)
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir=.", "-p", "no:cacheprovider", *options]
    return subprocess.run(
        command, cwd=folder, env={**outer, **environment}, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_marked_tests_end_as_their_ranks_do(tmp_path, polympi_env, options: list[str]) -> None:
    ended = run_pytest(tmp_path, polympi_env, PROJECT, "--junitxml=report.xml", *options)
    cases = {case.get("name", ""): case for case in ElementTree.parse(tmp_path / "report.xml").iter("testcase")}
    failed = {name: found.text or "" for name, case in cases.items() for found in case.iter("failure")}
    skipped = {name: found.get("message") for name, case in cases.items() for found in case.iter("skipped")}
    assert set(failed) == set(FAILS), ended.stdout
    for name, words in FAILS.items():
        assert [word for word in words if word not in failed[name]] == [], failed[name]
    assert skipped == {"test_skips": "[ranks 0 and 1] not today", "test_is_expected_to_fail": "[ranks 0 and 1] known"}
    assert set(cases) - set(failed) - set(skipped) == PASSES


def test_a_project_without_marked_tests_imports_nothing_of_the_interface(tmp_path, polympi_env) -> None:
    text = """
import sys
def test_modules():
    assert "polympi.pytest_plugin" in sys.modules
    assert [name for name in sys.modules if name.startswith("polympi.") and name != "polympi.pytest_plugin"] == []
"""
    ended = run_pytest(tmp_path, polympi_env, text, "-p", "no:xdist")
    assert ended.returncode == 0, ended.stdout
