"""What tests of the laboratory share."""

from pathlib import Path

import pytest


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path))
    return tmp_path
