"""The command where the interface alone is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import polympi
from polympi.wheels import install_command


@pytest.fixture
def interface(tmp_path: Path) -> Path:
    """A folder for PYTHONPATH, with the package, but for the laboratory."""
    package = tmp_path / "polympi"
    package.mkdir()
    for part in Path(polympi.__path__[0]).iterdir():
        if part.name != "lab":
            (package / part.name).symlink_to(part)
    return tmp_path


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(folder)}
    line = [sys.executable, "-m", "polympi", *arguments]
    return subprocess.run(line, env=variables, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [[], ["run"], ["--help"]])
def test_one_sentence_says_how_to_get_it(interface: Path, arguments: list[str]) -> None:
    done = command(interface, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"polympi: the laboratory is not installed; get it with: {install_command('lab')}\n"


def test_what_needs_no_laboratory_works(interface: Path) -> None:
    assert command(interface, "--version").stdout == f"polympi {polympi.__version__}\n"
    (interface / "script.py").write_text("print('ran')")
    assert command(interface, "--as", "pypar", "script.py").stdout == "ran\n"
