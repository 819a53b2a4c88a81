"""The results in the documentation's gallery stay small, and every later version can report them."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from polympi.lab.audit.analyse import analyse as analyse_audit
from polympi.lab.records import REFERENCE
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse

RESULTS = sorted((Path(__file__).parents[3] / "docs" / "gallery").iterdir())
LARGEST = 1.5e6  # bytes of all of them, which everybody downloads who clones the repository


def test_they_are_small() -> None:
    assert sum(result.stat().st_size for result in RESULTS) < LARGEST


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.name)
def test_each_is_whole_and_can_be_reported(result: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(result, tmp_path)
    (folder,) = tmp_path.iterdir()
    if (folder / "run.json").is_file():
        _in_the_run_every_binding_is_compared_with_c(RunDirectory.open(folder))
    else:
        audit = analyse_audit(folder)
        assert (audit.missing, audit.notes) == ((), ())
        assert {rank.ended for rank in audit.ranks} == {"finalized"}


def _in_the_run_every_binding_is_compared_with_c(directory: RunDirectory) -> None:
    outcome = directory.outcome()
    assert outcome is not None
    assert (outcome.ended, outcome.withdrawn) == ("complete", {})
    compared = analyse(directory).summary.filter(pl.col("ratio_to_c").is_not_null())
    measured = {name for stack in directory.run().stacks for name in stack.bindings}
    assert set(compared["binding"]) == measured - {REFERENCE}
