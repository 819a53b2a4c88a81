"""What applications reach of what memory allows."""

import numpy as np
import polars as pl
import pytest
from launch_medians import a_run, launch_medians

from polympi.lab.catalogue import problem_bytes
from polympi.lab.records import Environment, RunRecord, StackRun
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.limits import limit_rows

SIZE = problem_bytes(10, 3)
CACHE = Environment(metadata={"affinity": {"last_level_cache_bytes": 2 * SIZE}})
RUN = a_run(stacks=[StackRun(stack="mpich", bindings=["c", "c-again", "mpi4py"])])


def medians(times, binding="c", **case):
    wave = {"benchmark": "wave", "mode": "blocking", "payload": "problem", "size_bytes": SIZE}
    return launch_medians(times, binding, **wave | case)


def triad(times, binding="c", mode="in-place", **other):
    return medians(times, binding, benchmark="triad", mode=mode, **other)


def limits(*frames, run=RUN, environment=CACHE):
    return limit_rows(pl.concat(frames), run, environment)


def test_what_drifts_from_block_to_block_cancels() -> None:
    weather = np.exp(np.random.default_rng(1).normal(0.0, 0.5, 9))
    [row] = limits(medians(2000 * weather), triad(500 * weather))
    assert (row.reached, row.reached_low, row.reached_high) == pytest.approx((0.25, 0.25, 0.25))
    assert (row.binding, row.blocks, row.ranks, row.mode) == ("c", 9, 2, "blocking")
    assert (row.median_ns, row.limit_ns) == pytest.approx((2000 * np.median(weather), 500 * np.median(weather)))


def test_the_interval_is_that_of_the_log_ratios() -> None:
    random = np.random.default_rng(3)
    step, of_triad = random.lognormal(7, 0.1, 9), random.lognormal(6.4, 0.1, 9)
    [row] = limits(medians(step), triad(of_triad))
    wanted = median_interval(np.log(of_triad / step))
    assert wanted is not None
    ends = (np.exp(wanted.low), np.exp(wanted.high), wanted.coverage)
    assert (row.reached_low, row.reached_high, row.confidence) == pytest.approx(ends)
    assert row.reached == pytest.approx(np.exp(np.median(np.log(of_triad / step))))


def test_the_limit_of_a_block_is_the_mean_of_both_launches_of_c() -> None:
    times = [medians([1000.0, 1000.0]), triad([400.0, 400.0]), triad([100.0, None], "c-again")]
    [row] = limits(*times, medians([1000.0, 1000.0], "c-again"))
    assert row.limit_ns == pytest.approx((200.0 + 400.0) / 2)  # the geometric mean of 400 and 100; then 400 alone
    assert row.reached == pytest.approx(np.sqrt(0.2 * 0.4))
    assert (row.reached_low, row.confidence) == (None, None)  # two blocks have no interval


def test_every_arm_is_compared_with_the_triad_of_c() -> None:
    rows = limits(medians([1000.0], "mpi4py"), medians([500.0]), triad([250.0]), triad([1.0], "c-multiple"))
    assert [(row.binding, row.reached) for row in rows] == [("c", 0.5), ("mpi4py", 0.25)]


def test_only_the_triad_in_place_of_the_same_size_ranks_stack_and_block_is_a_limit() -> None:
    wave = medians([1000.0, None])
    assert limits(wave, triad([250.0], mode="standard")) == []
    assert limits(wave, triad([250.0], size_bytes=2 * SIZE)) == []
    assert limits(wave, triad([250.0], ranks=1)) == []
    assert limits(wave, triad([250.0], stack="openmpi")) == []
    assert limits(wave, triad([None, 250.0])) == []
    assert limits(medians([1000.0], benchmark="sort", mode="standard"), triad([250.0])) == []


def test_the_bandwidth_is_of_24_bytes_a_point() -> None:
    [row] = limits(medians([1000.0]), triad([500.0]))
    assert row.moved_bytes == 24 * 1000
    assert row.mb_per_s == pytest.approx(1000 * 24000 / 500)  # 48 bytes a nanosecond
    assert row.arrays_bytes == 16 * 1000


@pytest.mark.parametrize(
    ("cache_bytes", "inside", "partly"),
    [
        (2 * SIZE, True, False),
        (2 * SIZE - 1, False, True),
        (SIZE // 2 + 1, False, True),
        (SIZE // 2, False, False),
        (None, False, False),
    ],
)
def test_it_is_known_whether_the_cache_holds_the_arrays(cache_bytes, inside: bool, partly: bool) -> None:
    environment = Environment(metadata={"affinity": {"last_level_cache_bytes": cache_bytes}})
    [row] = limits(medians([1000.0]), triad([500.0]), environment=environment)
    assert (row.in_cache, row.partly_in_cache, row.cache_bytes) == (inside, partly, cache_bytes)


def test_of_several_hosts_no_cache_is_known() -> None:
    several = RunRecord(**{name: getattr(RUN, name) for name in RUN.__struct_fields__} | {"hostfile": "hosts"})
    assert limits(medians([1000.0]), triad([500.0]), run=several)[0].cache_bytes is None
    cluster = Environment(metadata={**CACHE.metadata, "cluster": {"hosts": ["a", "b"]}})  # hosts of one machine
    assert limits(medians([1000.0]), triad([500.0]), run=several, environment=cluster)[0].cache_bytes == 2 * SIZE
    assert limits(medians([1000.0]), triad([500.0]), environment=Environment())[0].cache_bytes is None
