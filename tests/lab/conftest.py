"""How ranks of two tests of the laboratory share the machine, and what its tests share."""

from pathlib import Path

import pytest
from sharing import let_ranks_yield_beside_others

let_ranks_yield_beside_others()


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of stacks and builds, which has none yet."""
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path))
    return tmp_path
