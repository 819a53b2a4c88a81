"""Performance guidelines: which are checked, and which are contradicted."""

import numpy as np
import polars as pl
import pytest
from launch_medians import launch_medians

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.statistics.guidelines import GUIDELINES, Check, checks
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.keys import RowKey

NINE = np.ones(9)


def times(benchmark, ns, size=8, mode="standard", payload="bytes", **other):
    payload = {"reduce": "float64", "allreduce": "float64", "iallreduce": "float64", "barrier": "none"}.get(
        benchmark, payload
    )
    return launch_medians(
        ns * NINE, benchmark=benchmark, mode=mode, payload=payload, size_bytes=0 if payload == "none" else size, **other
    )


def floors(*frames, floor=0.0):
    columns = ("stack", "benchmark", "mode", "payload", "size_bytes", "ranks")
    keys = pl.concat(frames).select(columns).unique().iter_rows(named=True)
    return {RowKey(binding="c-again", **key): floor for key in keys}


def found(*frames, floor=0.0) -> list[Check]:
    return checks(pl.concat(frames), floors(*frames, floor=floor))


def test_a_call_should_take_no_longer_than_its_nonblocking_form_and_a_wait() -> None:
    [check] = found(times("allreduce", 1200.0), times("iallreduce", 1000.0))
    assert (check.operation, check.others) == (("allreduce", "standard", 8), (("iallreduce", "standard", 8),))
    assert (check.ratio, check.low, check.high) == pytest.approx((1.2, 1.2, 1.2))
    assert check.violated
    [check] = found(times("allreduce", 1000.0), times("iallreduce", 1000.0))
    assert not check.violated


def test_times_of_several_operations_are_added() -> None:
    [check] = found(times("allreduce", 2000.0), times("reduce", 700.0), times("bcast", 300.0))
    assert (check.others_ns, check.ratio) == pytest.approx((1000.0, 2.0))


def test_the_data_of_all_ranks_are_larger() -> None:
    [check, by_size] = found(times("scatter", 500.0), times("bcast", 100.0), times("bcast", 250.0, size=16))
    assert (check.others, check.ratio) == ((("bcast", "standard", 16),), pytest.approx(2.0))
    assert by_size.operation == ("bcast", "standard", 8)


def test_a_barrier_is_compared_with_the_smallest_reduction() -> None:
    frames = [times("barrier", 300.0), times("allreduce", 200.0), times("allreduce", 400.0, size=64)]
    check = found(*frames)[0]
    assert (check.operation, check.others) == (("barrier", "standard", 0), (("allreduce", "standard", 8),))


def test_less_data_should_take_no_longer_than_more() -> None:
    checked = found(*(times("latency", ns, size) for size, ns in ((8, 100.0), (64, 300.0), (512, 200.0))))
    assert [(check.operation[2], check.others[0][2], check.violated) for check in checked] == [
        (8, 64, False),
        (64, 512, True),
    ]


def test_modes_of_a_ping_pong() -> None:
    modes = {"standard": 200.0, "synchronous": 100.0, "ready": 300.0}
    [check] = found(*(times("latency", ns, mode=mode) for mode, ns in modes.items()))
    assert (check.operation[1], check.others[0][1], check.violated) == ("standard", "synchronous", True)


def test_what_is_timed_alone_is_compared_with_what_is_timed_so_too() -> None:
    for guideline in GUIDELINES:
        if BENCHMARKS[guideline.operation.benchmark].kind == "rooted":
            assert {BENCHMARKS[other.benchmark].kind for other in guideline.others} == {"rooted"}
    assert found(times("reduce", 2000.0), times("allreduce", 1000.0)) == []


def test_what_noise_explains_is_no_contradiction() -> None:
    frames = times("bcast", 1200.0), times("ibcast", 1000.0)
    assert not found(*frames, floor=0.2)[0].violated
    assert found(*frames, floor=0.1)[0].violated
    assert not checks(pl.concat(frames), {})[0].violated  # nobody knows what noise explains


def test_the_interval_is_that_of_the_log_ratios_of_the_blocks() -> None:
    random = np.random.default_rng(1)
    weather, own, other = random.lognormal(0, 1, 9), random.lognormal(7, 0.1, 9), random.lognormal(6.8, 0.1, 9)
    [check] = found(times("bcast", own * weather), times("ibcast", other * weather))
    wanted = median_interval(np.log(own / other), 0.99)
    assert wanted is not None
    assert (check.low, check.high) == pytest.approx((np.exp(wanted.low), np.exp(wanted.high)))


def test_each_arm_is_compared_with_itself_and_few_launches_say_nothing() -> None:
    of_two = [times("bcast", 1200.0), times("ibcast", 1000.0, binding="mpi4py")]
    assert found(*of_two) == []
    few = [frame.filter(pl.col("block") < 7) for frame in (times("bcast", 1200.0), times("ibcast", 1000.0))]
    assert found(*few) == []  # seven launches have no interval of 99 %
    again = [times(name, 1000.0, binding="c-again") for name in ("bcast", "ibcast")]
    assert found(*again) == []


def test_equal_operations_contradict_seldom() -> None:
    random = np.random.default_rng(2)
    violated = 0
    for _ in range(500):
        [check] = found(times("bcast", random.lognormal(7, 0.2, 9)), times("ibcast", random.lognormal(7, 0.2, 9)))
        violated += check.violated
    assert violated <= 3  # 1 of 512 each, and less with the margin


def test_no_rule_is_twice_there() -> None:
    assert len(set(GUIDELINES)) == len(GUIDELINES)
