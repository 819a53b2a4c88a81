"""What `make` runs, seen by programs that stand in for those of the environment."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PARTS = {  # of `make test`, and the marks of each
    "test-shared": "-m not (exclusive or slow or system) --ignore tests/bindings",
    "test-bindings": "-m not (exclusive or slow or system) tests/bindings",
    "test-exclusive": "-m exclusive and not (slow or system)",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose programs note their arguments in the file `called`; pytest then fails."""
    for name in ("Makefile", "prerequisites.sh"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, code in (("python", 0), ("polympi", 0), ("pytest", 1)):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >>called\nexit {code}\n')
        (programs / name).chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".venv" / "lab").touch()
    (tmp_path / ".venv" / "test").touch()
    return tmp_path


def make(checkout: Path, *arguments: str) -> tuple[int, str, list[str]]:
    """The exit code, standard error, and what was called."""
    # A make that runs these tests would hand its own options down.
    variables = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "STACK")}
    done = subprocess.run(
        ["make", "-C", str(checkout), *arguments], env=variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr, (checkout / "called").read_text().splitlines()


@pytest.mark.parametrize(("options", "library"), [([], "mpich"), (["STACK=openmpi"], "openmpi")])
def test_all_parts_run_though_the_first_one_fails(checkout: Path, options: list[str], library: str) -> None:
    code, said, called = make(checkout, "test", *options)
    assert code == 2
    firsts, again = called[::2], called[1::2]
    assert all(marks in call for call, marks in zip(firsts, PARTS.values(), strict=True))
    assert all(marks in call and "--second-try" in call for call, marks in zip(again, PARTS.values(), strict=True))
    assert all(f"--stack={library}" in call for call in firsts)
    assert [part for part in PARTS if f": {part}] Error 1" in said] == [*PARTS]


def test_a_part_that_passes_is_not_named(checkout: Path) -> None:
    pytest_program = checkout / ".venv" / "bin" / "pytest"
    pytest_program.write_text('#!/bin/sh\necho >>called\ncase "$*" in *"-m exclusive "*) exit 1 ;; esac\n')
    code, said, called = make(checkout, "test")
    assert (code, len(called)) == (2, len(PARTS) + 1)
    assert [part for part in PARTS if f": {part}] Error 1" in said] == ["test-exclusive"]
    # What fails next to other tests may pass alone.
    pytest_program.write_text('#!/bin/sh\ncase "$*" in *--last-failed*) exit 0 ;; esac\nexit 1\n')
    assert make(checkout, "test")[0] == 0


def test_compare_passes_options_on_and_they_have_the_last_word(checkout: Path) -> None:
    code, _, called = make(checkout, "compare", "ARGS=--profile glance")
    assert code == 0
    assert called == ["polympi stack add mpich", "polympi run --stack mpich --profile quick --profile glance"]
