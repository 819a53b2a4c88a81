"""What one sees of pip while a stack is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from polympi.lab.stacks import add


def _pip(folder: Path) -> Path:
    """An environment whose pip prints its arguments and a progress."""
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "$*"\necho "Downloading 16.6 MB"\n')
    python.chmod(0o755)
    return folder


def test_at_a_terminal_pip_shows_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, terminal = os.openpty()
    with os.fdopen(terminal, "w") as shown:
        monkeypatch.setattr(sys, "stderr", shown)
        add._pip_install(_pip(tmp_path), ["numpy"])
    lines = os.read(screen, 4096).decode().splitlines()
    os.close(screen)
    assert lines == ["-m pip install --disable-pip-version-check numpy", "Downloading 16.6 MB"]


def test_in_a_log_pip_is_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    add._pip_install(_pip(tmp_path), ["numpy"])
    assert capfd.readouterr() == ("", "")
