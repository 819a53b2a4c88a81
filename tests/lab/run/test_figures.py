"""The running figures agree with what the analysis will say."""

import math

import polars as pl
import pytest

from polympi.lab.catalogue import Case
from polympi.lab.launch.launcher import Launched
from polympi.lab.protocol import LaunchSamples
from polympi.lab.records import LaunchRecord, PlannedCase
from polympi.lab.run.figures import RunningFigures
from polympi.lab.statistics.stopping import StopRule

LATENCY = Case("latency", "standard", "bytes", 8)
BCAST = Case("bcast", "standard", "bytes", 8)
PLAN = {
    number: PlannedCase(
        benchmark=case.benchmark, mode="standard", payload="bytes", size_bytes=8, warmup=1, batches=3, iterations=10,
        events=0,
    )
    for number, case in enumerate((LATENCY, BCAST))
}  # fmt: skip


def _launched(binding: str, block: int | None, latency_ns: int, bcast_ns: int = 1, outcome: str = "ok") -> Launched:
    record = LaunchRecord(
        launch=0, stack="mpich", block=block, position=0, binding=binding, ranks=2, outcome=outcome, start_cost_ns=20
    )
    batches = {0: [2 * 10 * latency_ns] * 2 + [10**9], 1: [10 * (bcast_ns + 20)] * 3}
    return Launched(record, LaunchSamples(batches=batches), pl.DataFrame())


def _figures(*launches: Launched) -> RunningFigures:
    figures = RunningFigures()
    for launched in launches:
        figures.add(launched, PLAN)
    return figures


def test_a_binding_is_compared_with_both_launches_of_c_in_the_block() -> None:
    figures = _figures(
        _launched("c", 0, 100), _launched("mpi4py", 0, 400), _launched("c-again", 0, 400), _launched("c", 1, 100)
    )
    assert figures.effects("mpi4py", LATENCY) == (pytest.approx([200]), pytest.approx([math.log(2)]))
    assert figures.effects("c-again", LATENCY) == ([300], pytest.approx([math.log(4)]))
    assert figures.effects("polympi", LATENCY) == ([], [])


def test_a_start_is_taken_off_singly_timed_iterations() -> None:
    figures = _figures(_launched("c", 0, 100, 500), _launched("mpi4py", 0, 100, 750))
    assert figures.effects("mpi4py", BCAST) == (pytest.approx([250]), pytest.approx([math.log(1.5)]))


def test_a_start_that_was_disturbed_is_taken_off_as_in_the_analysis() -> None:
    launches = [_launched("c", block, 100, 500) for block in range(3)]
    launches += [_launched("mpi4py", block, 100, 750) for block in range(3)]
    launches[4].record.start_cost_ns = 4165  # more than the whole call
    assert _figures(*launches).effects("mpi4py", BCAST) == (
        pytest.approx([250] * 3),
        pytest.approx([math.log(1.5)] * 3),
    )


def test_launches_that_come_later_are_taken_in_and_failed_ones_are_not() -> None:
    figures = _figures(_launched("c", 0, 100), _launched("mpi4py", 0, 300))
    assert figures.mean_ratios("mpi4py", [LATENCY]) == {"latency": pytest.approx(3)}
    figures.add(_launched("c", 1, 100), PLAN)
    figures.add(_launched("mpi4py", 1, 900, outcome="crashed"), PLAN)
    figures.add(_launched("mpi4py", None, 900), PLAN)
    assert figures.mean_ratios("mpi4py", [LATENCY, BCAST]) == {"latency": pytest.approx(3), "bcast": pytest.approx(1)}
    figures.add(_launched("mpi4py", 1, 500), PLAN)
    assert figures.mean_ratios("mpi4py", [LATENCY]) == {"latency": pytest.approx(math.sqrt(3 * 5))}


def test_the_reference_is_as_precise_as_its_again_arm() -> None:
    same = [_launched(name, block, 10**6) for block in range(6) for name in ("c", "c-again")]
    apart = [_launched("mpi4py", block, 10**6 * (1 + block)) for block in range(6)]
    figures = _figures(*same, *apart)
    rule = StopRule(6, 30)
    assert figures.stopped(rule, "c", LATENCY, 6) == "precision"
    assert figures.stopped(rule, "mpi4py", LATENCY, 6) is None
    assert RunningFigures().stopped(StopRule(9, 9), "c", LATENCY, 9) == "fixed"
