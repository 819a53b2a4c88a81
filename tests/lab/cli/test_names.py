"""Completion of values: what a shell offers while somebody types."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import typed
from synthetic import make_run

from polympi.lab.cli import names


def _completed(line: str, folder: Path, **variables: str) -> list[str]:
    words = line.split(" ")
    asked = {"_POLYMPI_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = typed(folder=folder, **asked, **variables)
    assert done.stderr == ""
    return done.stdout.split()


def test_a_shell_gets_what_completes_a_word(tmp_path: Path) -> None:
    asked = {"_POLYMPI_COMPLETE": "complete_bash", "COMP_WORDS": "polympi\nr", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "polympi"],
        cwd=tmp_path,
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["run", "report"], "")


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("polympi run --bench lat", ["latency"]),
        (
            "polympi run --bench latency,all",
            ["latency,allreduce", "latency,allgather", "latency,alltoall", "latency,allgatherv", "latency,alltoallv"],
        ),
        (
            "polympi run --binding mpi4py-",
            ["mpi4py-object", "mpi4py-pkl5", "mpi4py-accelerated", "mpi4py-accelerated-object"],
        ),
        ("polympi run --binding c,c-m", ["c,c-multiple"]),
        ("polympi run --profile gl", ["glance"]),
        ("polympi run --resume ou", ["out"]),
        ("polympi report ou", ["out"]),
        ("polympi diff out ou", ["out"]),
        ("polympi history out ou", ["out"]),
        ("polympi report fo", ["folder/"]),
        ("polympi report folder/", ["folder/inner"]),
        ("polympi stack add im", ["impi"]),
        ("polympi source add k", ["kamping", "kassert"]),
        ("polympi run --dry", ["--dry-run"]),
    ],
)
def test_values_are_completed(tmp_path: Path, line: str, completions: list[str]) -> None:
    make_run(tmp_path / "out", blocks=0)
    make_run(tmp_path / "folder" / "inner", blocks=0)
    (tmp_path / "outer.txt").write_text("")
    assert _completed(line, tmp_path) == completions


def test_nothing_is_said_when_nothing_can_be_completed(tmp_path: Path) -> None:
    (tmp_path / "stacks" / "x").mkdir(parents=True)
    (tmp_path / "stacks" / "x" / "stack.json").write_text("{")
    home = {"POLYMPI_HOME": str(tmp_path)}
    assert _completed("polympi run --stack m", tmp_path, **home) == []
    assert _completed("polympi stack remove x", tmp_path, **home) == []
    assert _completed("polympi run --binding m", tmp_path, POLYMPI_BINDINGS="/nowhere") == []
    assert _completed("polympi report nowhere/x", tmp_path) == []
    assert _completed("polympi bogus --x", tmp_path) == []


def test_a_name_of_a_list_is_offered_once() -> None:
    assert "latency,latency" not in names.complete_benches("latency,lat")


@pytest.mark.parametrize(
    "of", ["benches", "bindings", "new_stack", "pages", "placements", "scalings", "schedulers", "tools"]
)
def test_names_are_where_completions_look_for_them(of: str) -> None:
    assert getattr(names, f"complete_{of}")("")


def test_profiles_say_what_they_are() -> None:
    assert all(summary for _, summary in names.complete_profiles(""))
