"""Costs are found again in runs that were made with them."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from synthetic import EFFECTS, c_time_ns, make_run

from polympi.lab.projection.costs import NOTHING, c_points, costs_of
from polympi.lab.projection.model import ArmCosts
from polympi.lab.projection.network import network_of
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import Analysis

CASES = [
    *[("latency", "standard", "bytes", size) for size in (8, 1024, 8192, 65536)],
    *[("bcast", "standard", "bytes", size) for size in (8, 1024)],
    *[("allreduce", "standard", "float64", size) for size in (8, 1024)],
    ("barrier", "standard", "none", 0),
]
PLANTED = EFFECTS | {
    "quick": (-300.0, 0.0, 1.0),
    "quick-when-small": (-300.0, 0.1, 1.0),  # 519 ns slower with 8 KiB, 6254 with 64
    "like-c": (0.0, 0.0, 1.0),
}


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    path = tmp_path_factory.mktemp("costs") / "run"
    return analyse(make_run(path, cases=CASES, effects=PLANTED, blocks=9, events=1, noise=0.002))


@pytest.fixture(scope="module")
def costs(analysis: Analysis) -> dict[str, ArmCosts]:
    return {one.binding: one for one in costs_of(analysis, "mpich")}


def test_planted_costs_are_found_with_their_interval(costs: dict[str, ArmCosts]) -> None:
    mpi4py, objects = costs["mpi4py"], costs["mpi4py-object"]
    assert mpi4py.message.median.per_call_ns == pytest.approx(520, rel=0.1)
    assert mpi4py.message.low.per_call_ns <= mpi4py.message.median.per_call_ns <= mpi4py.message.high.per_call_ns
    assert objects.message.median.per_byte_ns == pytest.approx(0.35, rel=0.05)
    assert (mpi4py.blocks, mpi4py.shown, mpi4py.saves) == (9, True, False)
    assert objects.collectives["barrier"].median.per_call_ns == pytest.approx(1400, rel=0.1)
    assert set(objects.collectives) == {"allreduce", "bcast", "barrier"}


def test_an_arm_as_fast_as_c_and_a_faster_one_have_no_cost_to_show(costs: dict[str, ArmCosts]) -> None:
    assert not costs["like-c"].shown
    assert not costs["like-c"].saves
    assert not costs["quick"].shown
    assert costs["quick"].saves
    assert costs["quick"].message.high.per_call_ns == 0
    assert "c" not in costs


def test_what_an_arm_saves_with_small_messages_makes_no_large_ones_slower(costs: dict[str, ArmCosts]) -> None:
    found = costs["quick-when-small"].message
    assert [found.median.at(size) for size in (8, 1024)] == [0, 0]
    assert found.median.at(8192) == pytest.approx(519, rel=0.1)
    assert found.median.at(65536) == pytest.approx(6254, rel=0.05)
    assert found.median.at(2 * 65536) == pytest.approx(6254 + 0.1 * 65536, rel=0.05)  # beyond what was measured
    assert found.low.at(65536) < found.median.at(65536) < found.high.at(65536)


def test_what_a_protocol_costs_from_a_size_on_is_not_spread_over_all_sizes(tmp_path: Path) -> None:
    cases = [("latency", "standard", "bytes", size) for size in (8, 64, 1024, 8192, 65536)]
    run = make_run(tmp_path / "run", cases=cases, blocks=9, events=1, noise=0.002)
    analysis = analyse(run)
    shifted = analysis.launch_medians.with_columns(
        median_ns=pl.when(pl.col("binding") == "mpi4py", pl.col("size_bytes") >= 8192)
        .then(pl.col("median_ns") + 5000)
        .otherwise(pl.col("median_ns"))
    )
    way = ArmCosts(binding="mpi4py", payload="", message=NOTHING, announced_from=8192)
    (found,) = (
        one
        for one in costs_of(replace(analysis, launch_medians=shifted), "mpich", {"mpi4py": way})
        if one.binding == "mpi4py"
    )
    assert found.message.median.at(8191) == found.message.median.at(1024)
    assert found.message.median.at(64) == pytest.approx(520, rel=0.1)
    for size in (8192, 65536):
        assert found.message.median.at(size) == pytest.approx(5520, rel=0.05)


def test_further_calls_are_not_counted_twice(analysis: Analysis, costs: dict[str, ArmCosts]) -> None:
    way = ArmCosts(binding="mpi4py-object", payload="", message=NOTHING, calls={"bcast": 2})
    twice = {one.binding: one for one in costs_of(analysis, "mpich", {"mpi4py-object": way})}
    once = costs["mpi4py-object"].collectives["bcast"].median.per_call_ns
    of_c = c_points(analysis, "mpich", "bcast")[0][1]
    assert of_c == pytest.approx(c_time_ns(8), rel=0.5)
    found = twice["mpi4py-object"]
    assert found.calls == {"bcast": 2}
    assert found.collectives["bcast"].median.per_call_ns == pytest.approx(once - of_c)
    assert found.collectives["barrier"] == costs["mpi4py-object"].collectives["barrier"]
    assert twice["mpi4py"] == costs["mpi4py"]


def test_what_announces_data_is_counted_where_it_was_measured_and_not_where_there_was_none(
    analysis: Analysis, costs: dict[str, ArmCosts]
) -> None:
    # Each message of this arm is announced by another one, and a round of small messages goes before two collectives.
    rounds = {"bcast": 1, "allreduce": 1}
    way = ArmCosts(binding="mpi4py-object", payload="", message=NOTHING, announced_from=1, rounds=rounds)
    network = network_of(c_points(analysis, "mpich"), [(8, 200.0)], "a run")
    announced = {one.binding: one for one in costs_of(analysis, "mpich", {"mpi4py-object": way}, network)}[
        "mpi4py-object"
    ]
    in_memory = {one.binding: one for one in costs_of(analysis, "mpich", {"mpi4py-object": way})}["mpi4py-object"]
    assert in_memory.message == costs["mpi4py-object"].message
    assert in_memory.collectives == costs["mpi4py-object"].collectives
    assert network.send[0][1] == pytest.approx(200, rel=0.01)
    # The receiver takes the announcement while the sender makes the data.
    assert announced.message.median.per_call_ns == pytest.approx(
        costs["mpi4py-object"].message.median.per_call_ns - network.send[0][1]
    )
    for collective, payload in (("bcast", "bytes"), ("allreduce", "float64")):
        of_c = c_points(analysis, "mpich", collective, payload)[0][1]
        once = costs["mpi4py-object"].collectives[collective].median.per_call_ns
        assert announced.collectives[collective].median.per_call_ns == pytest.approx(once - of_c)
    assert announced.collectives["barrier"] == costs["mpi4py-object"].collectives["barrier"]
    assert (announced.announced_from, announced.rounds) == (1, rounds)


@pytest.mark.parametrize("hostfile", [None, "hosts"])
def test_data_follow_their_announcement_where_ranks_are_on_two_hosts_and_else_rounds(
    tmp_path: Path, hostfile: str | None
) -> None:
    way = ArmCosts(
        binding="mpi4py-object",
        payload="",
        message=NOTHING,
        announced_from=1,
        rounds={"bcast": 1},
        follows={"bcast": 2**20},
    )
    run = make_run(tmp_path / "run", cases=CASES, blocks=9, events=1, noise=0.002, hostfile=hostfile)
    analysis = analyse(run)
    network = network_of(c_points(analysis, "mpich"), [(8, 200.0)], "a run")
    once, found = (
        next(one for one in costs_of(analysis, "mpich", ways, network) if one.binding == "mpi4py-object")
        for ways in ({}, {"mpi4py-object": way})
    )
    less = network.send[0][1] if hostfile else c_points(analysis, "mpich", "bcast")[0][1]
    assert found.collectives["bcast"].median.per_call_ns == pytest.approx(
        once.collectives["bcast"].median.per_call_ns - less
    )


def test_five_blocks_give_no_interval_and_so_no_cost(tmp_path: Path) -> None:
    assert costs_of(analyse(make_run(tmp_path / "run", cases=CASES, blocks=5, events=1)), "mpich") == []
