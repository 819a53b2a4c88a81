"""Speed-up, efficiency and share of communication of applications with several numbers of ranks."""

import numpy as np
import polars as pl
import pytest
from launch_medians import a_run, launch_medians, launches_of

from polympi.lab.catalogue import problem_bytes
from polympi.lab.records import Environment, StackRun
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.scaling import scaling_rows

TWO_PROCESSORS = Environment(metadata={"affinity": {"count": 2}})
NAMES = {1: "mpich, 1 rank", 2: "mpich, 2 ranks", 4: "mpich, 4 ranks"}


def run_of(several_ranks=(1, 2, 4), **other):
    several = len(several_ranks) > 1
    arms = ["c", "c-again", "mpi4py"]
    stacks = [
        StackRun(stack=NAMES[ranks], bindings=arms, installed="mpich", ranks=ranks)
        if several
        else StackRun(stack="mpich", bindings=arms)
        for ranks in several_ranks
    ]
    every = list(several_ranks) if several else []
    return a_run(ranks=several_ranks[0], several_ranks=every, stacks=stacks, **other)


def medians(times, binding="c", *, mode="blocking", benchmark="wave", sizes=None):
    """Launch medians, block by block for each number of ranks."""
    case = {"benchmark": benchmark, "mode": mode, "payload": "problem", "communication": None}
    sizes = sizes or dict.fromkeys(times, problem_bytes(33, 3))
    return pl.concat(
        launch_medians(of_blocks, binding, NAMES[ranks], **case, size_bytes=sizes[ranks], ranks=ranks)
        for ranks, of_blocks in times.items()
    )


def scaled(frame, run=None, records=None, environment=TWO_PROCESSORS):
    return scaling_rows(frame, run or run_of(), launches_of(frame) if records is None else records, environment)


def test_what_drifts_from_block_to_block_cancels() -> None:
    weather = np.exp(np.random.default_rng(1).normal(0.0, 0.5, 9))
    one, two, four = scaled(medians({1: 1000 * weather, 2: 600 * weather, 4: 500 * weather}))
    assert (one.speedup, one.efficiency, one.speedup_low) == (1.0, 1.0, None)  # itself; nothing was estimated
    assert (two.speedup, two.speedup_low, two.speedup_high) == pytest.approx((5 / 3, 5 / 3, 5 / 3))
    assert (four.speedup, four.efficiency) == pytest.approx((2.0, 0.5))
    assert (two.stack, two.base_ranks, two.blocks, two.launches) == ("mpich", 1, 9, 9)


def test_the_interval_is_that_of_the_log_ratios() -> None:
    random = np.random.default_rng(3)
    slow, fast = random.lognormal(7, 0.1, 9), random.lognormal(6.4, 0.1, 9)
    _, row = scaled(medians({1: slow, 4: fast}))
    wanted = median_interval(np.log(slow / fast))
    own = median_interval(fast)
    assert wanted is not None
    assert own is not None
    ends = (np.exp(wanted.low), np.exp(wanted.high))
    assert (row.speedup_low, row.speedup_high, row.confidence) == pytest.approx((*ends, wanted.coverage))
    assert (row.efficiency_low, row.efficiency_high) == pytest.approx((ends[0] / 4, ends[1] / 4))
    assert (row.ci_low_ns, row.ci_high_ns, row.median_ns) == pytest.approx((own.low, own.high, np.median(fast)))


def test_too_few_blocks_have_no_interval() -> None:
    _, row = scaled(medians({1: [100.0] * 5, 2: [50.0] * 5}))
    assert (row.speedup, row.speedup_low, row.ci_low_ns, row.confidence) == (2.0, None, None, None)


def test_only_blocks_of_both_are_paired() -> None:
    rows = scaled(medians({1: [100.0, None, 100.0], 2: [50.0, 1.0, None]}))
    assert (rows[1].speedup, rows[1].blocks, rows[1].launches) == (2.0, 1, 2)


def test_blocks_from_before_and_after_a_break_are_no_pair() -> None:
    frame = medians({1: [100.0, 100.0], 2: [50.0, 10.0]})
    records = launches_of(frame)
    records[-1].started = "2026-01-02T00:00:00+00:00"  # block 1 with two ranks, the day after
    run = run_of(resumed=["2026-01-02T00:00:00+00:00"])
    assert (scaled(frame, run, records)[1].speedup, scaled(frame, run, records)[1].blocks) == (2.0, 1)
    assert scaled(frame, run_of(), records)[1].blocks == 2


GROWN = {1: problem_bytes(33, 3), 2: problem_bytes(42, 3)}  # 42³ is 2.06 times 33³


def a_weak_run():
    run = run_of((1, 2), scaling="weak")
    for one in run.stacks:
        one.grown_from = {"wave": {GROWN[one.ranks]: GROWN[1]}}
    return run


def test_in_weak_scaling_the_work_that_was_done_counts() -> None:
    weather = np.exp(np.random.default_rng(2).normal(0.0, 0.5, 9))
    one, two = scaled(medians({1: 1000 * weather, 2: 1100 * weather}, sizes=GROWN), a_weak_run())
    assert (one.speedup, one.efficiency, one.work, one.weak) == (1.0, 1.0, 1.0, True)
    assert (one.asked_bytes, two.asked_bytes, two.size_bytes) == (GROWN[1], GROWN[1], GROWN[2])
    assert two.work == pytest.approx(74088 / 35937)
    assert (two.speedup, two.efficiency) == pytest.approx((1.8742, 0.9371), rel=1e-4)  # 74088 / 35937 / 1.1
    assert (two.speedup_low, two.efficiency_high) == pytest.approx((two.speedup, two.efficiency))


def test_in_strong_scaling_the_work_is_the_same() -> None:
    _, two = scaled(medians({1: [100.0], 2: [50.0]}))
    assert (two.scaling, two.work, two.asked_bytes, two.size_bytes) == ("strong", 1.0, GROWN[1], GROWN[1])


def test_without_the_fewest_ranks_there_is_no_speed_up() -> None:
    [row] = scaled(medians({4: [50.0] * 9}))
    assert (row.speedup, row.efficiency, row.blocks, row.median_ns, row.work) == (None, None, 0, 50.0, None)


def test_the_share_of_communication_is_the_median_of_the_launches_of() -> None:
    frame = medians({1: [100.0] * 7}).with_columns(communication=pl.Series([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]))
    [row] = scaled(frame)
    assert (row.communication, row.communication_low, row.communication_high) == (0.4, 0.1, 0.7)
    [row] = scaled(medians({1: [100.0] * 7}))
    assert (row.communication, row.communication_low) == (None, None)


def test_more_ranks_than_processors_are_reported() -> None:
    frame = medians({1: [100.0], 2: [50.0], 4: [50.0]})
    assert [row.oversubscribed for row in scaled(frame)] == [False, False, True]
    assert not any(row.oversubscribed for row in scaled(frame, environment=Environment()))
    assert not any(row.oversubscribed for row in scaled(frame, run_of(hostfile="hosts")))
    one_machine = Environment(metadata=TWO_PROCESSORS.metadata | {"cluster": {"hosts": ["a", "b"]}})
    cluster = scaled(frame, run_of(hostfile="hosts"), environment=one_machine)
    assert [row.oversubscribed for row in cluster] == [False, False, True]


def test_applications_alone_scale_and_arms_keep_the_order_of_the_run() -> None:
    frame = pl.concat(
        [
            medians({1: [100.0], 2: [50.0]}, binding="mpi4py", mode="overlapped"),
            medians({1: [100.0], 2: [50.0]}, binding="mpi4py"),
            medians({2: [50.0], 1: [100.0]}),
            medians({1: [100.0], 2: [50.0]}, binding="c-again"),
            medians({1: [100.0], 2: [50.0]}, benchmark="latency"),
        ]
    )
    assert [(row.mode, row.binding, row.ranks) for row in scaled(frame)] == [
        ("blocking", "c", 1),
        ("blocking", "c", 2),
        ("blocking", "mpi4py", 1),
        ("blocking", "mpi4py", 2),
        ("overlapped", "mpi4py", 1),
        ("overlapped", "mpi4py", 2),
    ]


def test_a_run_with_one_number_of_ranks_does_not_scale() -> None:
    assert scaled(medians({1: [100.0]}), run_of((2,))) == []
