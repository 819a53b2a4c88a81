"""All that a machine lacks is said at once, before anything is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
TOOLS = ("sh", "cat", "id", "mktemp", "rm", "as", "ld")  # of the system itself, and what a compiler calls
GOOD_PYTHON = "#!/bin/sh\ncat >/dev/null\n"  # has nothing to say about what it lacks


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A PATH of a machine that has everything; a test takes something away."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in (*TOOLS, "make", "gcc", "cc"):
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"this machine has no {name}")
        (folder / name).symlink_to(found)
    _program(folder / "python3", GOOD_PYTHON)
    return folder


def _program(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _check(path: Path, python: str = "python3") -> tuple[int, str]:
    done = subprocess.run(
        ["/bin/sh", str(REPOSITORY / "prerequisites.sh"), python],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def _packages(sentence: str) -> list[str]:
    found = re.search(r"apt-get install (.*)$", sentence.strip())
    return found[1].split() if found else []


def test_a_machine_that_has_everything_is_silent(machine: Path) -> None:
    assert _check(machine) == (0, "")


def test_a_real_python_with_its_headers_is_enough(machine: Path) -> None:
    code, sentence = _check(machine, sys.executable)
    assert ("Python.h" in sentence) == (code == 2)
    assert "venv" not in sentence.replace(sys.executable, "")


@pytest.mark.parametrize(
    ("gone", "words", "packages"),
    [
        ("make", "lacks make", ["make"]),
        ("gcc", r"a C compiler \(gcc\)", ["gcc", "libc6-dev"]),
        ("cc", r"a C compiler \(cc\)", ["gcc", "libc6-dev"]),
        ("python3", r"Python 3.10 or newer \('python3' does not run\)", ["python3", "python3-venv", "python3-dev"]),
    ],
)
def test_a_program_that_is_missing(machine: Path, gone: str, words: str, packages: list[str]) -> None:
    (machine / gone).unlink()
    code, sentence = _check(machine)
    assert code == 2
    assert re.search(words, sentence)
    assert _packages(sentence) == packages


@pytest.mark.parametrize(
    ("says", "words", "packages"),
    [
        ("venv", "venv and ensurepip of 'python3'", ["python3-venv"]),
        (
            "headers /usr/include/python3.11",
            r"Python.h of 'python3' \(not in /usr/include/python3.11\)",
            ["python3-dev"],
        ),
        ("own-headers /opt/python", "install it with its headers", []),
        ("old 3.9", r"Python 3.10 or newer \('python3' is 3.9\)", ["python3", "python3-venv", "python3-dev"]),
    ],
)
def test_a_python_that_lacks_something(machine: Path, says: str, words: str, packages: list[str]) -> None:
    _program(machine / "python3", f"{GOOD_PYTHON}[ $1 = - ] && echo '{says}'\nexit 0\n")
    code, sentence = _check(machine)
    assert code == 2
    assert re.search(words, sentence)
    assert _packages(sentence) == packages


def test_the_packages_of_another_python_have_its_name(machine: Path) -> None:
    _program(machine / "python3.12", f"{GOOD_PYTHON}[ $1 = - ] && printf 'venv\\nheaders /usr/include\\n'\nexit 0\n")
    code, sentence = _check(machine, "python3.12")
    assert (code, _packages(sentence)) == (2, ["python3.12-venv", "python3.12-dev"])


def test_a_compiler_that_cannot_link(machine: Path) -> None:
    _program(machine / "gcc", "#!/bin/sh\nexit 1\n")
    code, sentence = _check(machine)
    assert code == 2
    assert "what 'gcc' needs to link a C program" in sentence
    assert _packages(sentence) == ["gcc", "libc6-dev"]


def test_all_that_is_missing_is_one_sentence(machine: Path) -> None:
    for name in ("make", "gcc", "cc", "python3"):
        (machine / name).unlink()
    code, sentence = _check(machine)
    assert code == 2
    assert len(sentence.splitlines()) == 1
    assert _packages(sentence) == ["make", "python3", "python3-venv", "python3-dev", "gcc", "libc6-dev"]


@pytest.mark.parametrize("target", ["compare", "test"])
def test_make_stops_before_anything_is_installed(machine: Path, tmp_path: Path, target: str) -> None:
    for name in ("Makefile", "prerequisites.sh"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    (machine / "gcc").unlink()
    done = subprocess.run(
        ["make", "-C", str(tmp_path), target],
        env={**os.environ, "PATH": str(machine)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "this machine lacks a C compiler (gcc)" in done.stderr
    assert not (tmp_path / ".venv").exists()
