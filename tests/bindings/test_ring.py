"""A message round more ranks than processors: it arrives everywhere, and the launch tells the memory of all ranks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.memory import memory_table

COUNTS = {"warmup": 1, "batches": 2, "iterations": 1, "events": 2}
SENT = [("bytes", 1024), ("int32", 4), ("int", 8)]


def round_all(folder: Path, stack: Stack, name: str, ranks: int) -> Launched:
    binding = load_bindings()[name]
    cases = [
        PlannedCase(benchmark="ring", mode="standard", payload=payload, size_bytes=size, **COUNTS)
        for payload, size in SENT
    ]
    numbered = dict(enumerate(cases))
    setting = Setting(ranks, None, len(os.sched_getaffinity(0)), folder)
    return launch(Place(0, 0), Arm(binding, build(binding, stack)), stack, numbered, setting, timeout_s=500)


@pytest.mark.parametrize(("name", "covered"), [("c-spin", {0, 1, 2}), ("mpi4py", {0, 1}), ("polympi-object", {0, 2})])
def test_a_message_goes_round_more_ranks_than_processors(
    tmp_path: Path, stack: Stack, name: str, covered: set[int]
) -> None:
    done = round_all(tmp_path, stack, name, 6)
    assert done.record.outcome == "ok", f"{done.record.detail}\n{done.record.stderr_tail}"
    assert (done.samples.valid, done.samples.invalid) == (covered, {})
    assert set(done.samples.skipped) == set(range(len(SENT))) - covered
    assert done.frame["ranks"].unique().to_list() == [6]
    assert 0 < done.record.pss_mean_bytes <= done.record.pss_bytes <= done.record.rss_bytes
    (row,) = memory_table([done.record]).to_dicts()
    assert (row["ranks"], row["pss_mean_bytes"]) == (6, done.record.pss_mean_bytes)


@pytest.mark.slow
@pytest.mark.exclusive
@pytest.mark.exclusive
def test_a_message_goes_round_eighty_ranks(tmp_path: Path, stack: Stack) -> None:
    done = round_all(tmp_path, stack, "c", 80)
    assert done.record.outcome == "ok", f"{done.record.detail}\n{done.record.stderr_tail}"
    assert done.samples.valid == {0, 1, 2}
