"""How many programs polympi serves, from small tables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import mpi4py_usage as usage

HEADER = "capability,programs_of_10,percent,programs_where_few\n"


def table(tmp_path: Path, rows: str) -> Path:
    path = tmp_path / "usage.csv"
    path.write_text(HEADER + rows)
    return path


def test_names_are_looked_for_in_polympi_itself(tmp_path: Path) -> None:
    path = table(tmp_path, "".join(f'"{use}",1,10,\n' for use in usage.COUNTERPARTS))
    done = subprocess.run(
        [sys.executable, usage.__file__, str(path)],
        env={**os.environ, "POLYMPI_BACKEND": "serial"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    covered = {words[2]: words[1] for words in lines if len(words) == 3}
    said = {use: "covered" if names else "missing" for use, names in usage.COUNTERPARTS.items()}
    said |= dict.fromkeys(usage.EXPERIMENTAL, "experimental")
    assert {use: covered[use] for use in said} == said


@pytest.fixture
def everything_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "exists", lambda name: name != "Communicator.fence")
    for name in "alltoallw", "RMA":  # that nothing stands in for
        monkeypatch.setitem(usage.COUNTERPARTS, name, ())


@pytest.mark.usefixtures("everything_exists")
def test_programs_that_use_what_is_missing_are_counted_once(tmp_path: Path) -> None:
    rows = "barrier,9,90,\nalltoallw,2,20,one two\nRMA,2,20,two three\nSplit_type,1,10,four\n"
    programs, found = usage.read(table(tmp_path, rows))
    missing = [capability for capability in found if capability.status == "missing"]
    assert [capability.name for capability in missing] == ["alltoallw", "RMA"]
    assert usage.served(programs, missing) == (7, 7)


@pytest.mark.usefixtures("everything_exists")
def test_programs_without_names_widen_the_answer(tmp_path: Path) -> None:
    programs, found = usage.read(table(tmp_path, "alltoallw,4,40,\nRMA,2,20,one two\n"))
    assert usage.served(programs, found) == (4, 6)


@pytest.mark.usefixtures("everything_exists")
def test_a_name_that_polympi_lacks_covers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    barrier = usage.Capability("barrier", 1, frozenset())
    assert barrier.status == "covered"
    monkeypatch.setitem(usage.COUNTERPARTS, "barrier", ("Communicator.barrier", "Communicator.fence"))
    assert barrier.status == "missing"


@pytest.mark.parametrize(
    ("text", "said"),
    [(HEADER + "telepathy,1,10,one\n", "telepathy: add them there"), ("name,count\n", "has the columns name, count")],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "usage.csv"
    path.write_text(text)
    with pytest.raises(SystemExit, match=said):
        usage.read(path)
