"""What tests of jobs share: commands of batch systems that are scripts."""

from collections.abc import Callable
from pathlib import Path

import pytest

Plant = Callable[[str, str], Path]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, before which only those of the system are on PATH; it has no batch system."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "system").mkdir()
    for name in ("sh", "cat", "head", "tail", "sed", "env"):
        real = next(path for path in (Path("/bin") / name, Path("/usr/bin") / name) if path.exists())
        (folder / "system" / name).symlink_to(real)
    monkeypatch.setenv("PATH", f"{folder}:{folder / 'system'}")
    return folder


@pytest.fixture
def plant(programs: Path) -> Plant:
    """Makes a program of a shell script; `$CALLS` in it is a file for what it is called with."""

    def planted(name: str, text: str) -> Path:
        calls = programs / f"{name}.calls"
        path = programs / name
        path.write_text(f'#!/bin/sh\nCALLS={calls}\necho "$@" >>"$CALLS"\n{text}\n')
        path.chmod(0o755)
        return calls

    return planted
