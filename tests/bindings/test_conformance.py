"""Every shipped binding runs every case that its manifest covers, and what arrives is what was sent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from every_case import SMALLEST_FACE, all_cases

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.launch.launcher import Arm, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.mpi

COUNTS = {"warmup": 1, "batches": 3, "iterations": 2, "events": 4}
SHIPPED = load_bindings()


def _cases(name: str, ranks: int) -> list[Case]:
    covered = [case for case in all_cases() if SHIPPED[name].why_not(case) is None]
    if ranks == 2:
        return covered
    # A third rank only waits while two exchange messages: a few such cases show that.
    return [
        c
        for c in covered
        if BENCHMARKS[c.benchmark].collective
        or (c.mode, c.size_bytes) == ("standard", 24)
        or (c.benchmark, c.size_bytes) == ("faces", SMALLEST_FACE)
    ]


def test_no_benchmark_mode_or_payload_is_left_out_here() -> None:
    assert {case.pattern for case in all_cases()} == {
        Case(b.name, mode, payload, 0).pattern
        for b in BENCHMARKS.values()
        if not b.launch_figure
        for mode in b.modes
        for payload in b.payloads
    }


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("name", SHIPPED)
def test_covered_cases_are_validated_and_timed(stack: Stack, name: str, ranks: int, tmp_path: Path) -> None:
    planned = {
        number: PlannedCase(benchmark=c.benchmark, mode=c.mode, payload=c.payload, size_bytes=c.size_bytes, **COUNTS)
        for number, c in enumerate(_cases(name, ranks))
    }
    arm = Arm(SHIPPED[name], build(SHIPPED[name], stack))
    setting = Setting(ranks, None, len(os.sched_getaffinity(0)), tmp_path)
    launched = launch(Place(0, 0), arm, stack, planned, setting, timeout_s=60)
    record, samples = launched.record, launched.samples
    assert record.outcome == "ok", f"{record.detail}\n{record.stderr_tail}"
    assert (record.invalid, record.skipped) == ([], [])
    assert samples.valid == set(planned)
    assert samples.binding == name
    assert launched.frame.height == len(planned) * (COUNTS["batches"] + COUNTS["events"])
    assert launched.frame["time_ns"].min() > 0
    assert record.threads in ("single", "funneled", "serialized", "multiple")
    assert record.clock_resolution_ns >= 1
    assert record.pss_bytes > 0
    assert 0 < (record.ready_ns or 0) < record.wall_ns
