import math
from pathlib import Path

from polympi.lab.catalogue import Case
from polympi.lab.plan.calibration import (
    LONGEST_WARMUP,
    SINGLY_BATCHES,
    SLOW,
    START_CALLS,
    START_NS,
    TRIAL_SHARE,
    at_most,
    choose_iterations,
    fewer_iterations,
    first_plan,
    same_counts,
    second_plan,
    trial_plan,
    with_counts,
)
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.plan.text import plan_text
from polympi.lab.records import PlannedCase

SMALL = Case("latency", "standard", "bytes", 8)
BCAST = Case("bcast", "standard", "bytes", 8)
LARGE = Case("latency", "standard", "bytes", 2**22)


def test_a_batch_of_c_lasts_what_the_profile_asks() -> None:
    for profile in PROFILES.values():
        small, large = choose_iterations(
            profile, {SMALL: (100, [160_000, 150_000]), LARGE: (1, [900_000])}, 1, oversubscribed=False
        )
        assert small.iterations * 1500 >= profile.batch_ns > (small.iterations - 1) * 1500
        assert large.iterations * 900_000 >= profile.batch_ns
        assert small.batches == profile.batches


def test_calls_that_wait_for_a_start_are_timed_in_more_and_shorter_batches() -> None:
    profile = PROFILES["quick"]
    (planned,) = choose_iterations(profile, {BCAST: (100, [25_000, 30_000])}, 1, oversubscribed=False)
    assert planned.batches == SINGLY_BATCHES * profile.batches
    assert planned.iterations == math.ceil(profile.batch_ns / (START_CALLS * 250 + START_NS) / SINGLY_BATCHES)


def test_a_coarse_clock_makes_longer_batches() -> None:
    (planned,) = choose_iterations(PROFILES["quick"], {SMALL: (100, [150_000])}, 10_000, oversubscribed=False)
    assert planned.iterations * 1500 >= 1000 * 10_000


def test_events_take_no_longer_than_a_batch() -> None:
    profile = PROFILES["publish"]
    small, large = choose_iterations(profile, {SMALL: (100, [150_000]), LARGE: (1, [900_000])}, 1, oversubscribed=False)
    assert profile.batches < small.events <= profile.events
    assert profile.batches <= large.events < profile.events


def test_the_second_calibration_lasts_half_a_millisecond_where_it_can() -> None:
    assert [planned.iterations for planned in first_plan([SMALL, LARGE])] == [1, 1]
    small, large = second_plan({SMALL: (1, [4000, 2000, 2500]), LARGE: (1, [900_000, 800_000, 850_000])})
    assert small.iterations == 125
    assert large.iterations == 1


def test_where_ranks_share_a_processor_the_slowest_batch_counts() -> None:
    timed = {SMALL: (100, [200_000, 300_000_000, 100_000_000])}
    (alone,) = choose_iterations(PROFILES["quick"], timed, 1, oversubscribed=False)
    (oversubscribed,) = choose_iterations(PROFILES["quick"], timed, 1, oversubscribed=True)
    assert alone.iterations == math.ceil(PROFILES["quick"].batch_ns / 2000)
    assert oversubscribed.iterations == 1


def test_the_plan_is_written_as_the_protocol_says() -> None:
    (planned,) = first_plan([SMALL])
    assert plan_text({7: planned}, pages="plain", start=Path("/a b/start.so")).splitlines() == [
        "polympi-plan 2",
        "window 64",
        "pages plain",
        "start /a b/start.so",
        f"case 7 latency standard bytes 8 {planned.warmup} {planned.batches} {planned.iterations} 0",
        "end",
    ]


def test_an_interface_of_milliseconds_makes_fewer_iterations_and_events() -> None:
    (planned,) = choose_iterations(PROFILES["quick"], {SMALL: (100, [150_000])}, 1, oversubscribed=False)
    few = at_most(planned, 2)
    assert (few.iterations, few.warmup, few.events) == (2, 2, planned.batches)
    assert few.batches == planned.batches
    assert at_most(planned, planned.iterations) == planned
    assert at_most(planned, planned.iterations - 1).warmup <= planned.warmup


def _planned(**times: tuple[int, list[int]]) -> dict[int, PlannedCase]:
    cases = {"small": SMALL, "bcast": BCAST, "large": LARGE}
    timed = {cases[name]: time for name, time in times.items()}
    return dict(enumerate(choose_iterations(PROFILES["quick"], timed, 1, oversubscribed=False)))


def test_a_trial_has_the_whole_warm_up_and_few_iterations() -> None:
    planned = _planned(small=(100, [150_000]), large=(1, [900_000]))
    trial = trial_plan(planned)
    assert [case.warmup for case in trial.values()] == [case.warmup for case in planned.values()]
    assert trial[0].iterations == math.ceil(planned[0].iterations / TRIAL_SHARE)
    assert trial[1].iterations == 1
    assert {case.events for case in trial.values()} == {0}


def test_batches_of_a_slow_binding_last_as_long_as_those_of_c() -> None:
    profile, planned = PROFILES["quick"], _planned(small=(100, [150_000]), bcast=(100, [25_000]))
    reference = {0: 1500.0, 1: START_CALLS * 250 + START_NS}
    trial = {number: case.iterations for number, case in trial_plan(planned).items()}
    # a ping-pong that takes 20 times as long, and a broadcast that takes 100 us
    batches = {0: [trial[0] * 30_000, trial[0] * 31_000], 1: [trial[1] * 100_000]}
    fewer = fewer_iterations(profile, planned, reference, batches, oversubscribed=False)
    assert fewer[0].iterations * 30_000 >= profile.batch_ns > (fewer[0].iterations - 1) * 30_000
    assert fewer[0].warmup * 30_000 <= LONGEST_WARMUP * profile.batch_ns
    assert fewer[0].events * 30_000 <= profile.batch_ns
    call_ns = START_CALLS * 100_000 + START_NS
    assert fewer[1].iterations == math.ceil(profile.batch_ns / call_ns / SINGLY_BATCHES)
    own = with_counts(planned[0], fewer[0])
    assert (own.batches, own.benchmark) == (planned[0].batches, "latency")
    assert (own.iterations, own.warmup, own.events) == (fewer[0].iterations, fewer[0].warmup, fewer[0].events)
    assert with_counts(planned[0], None) == planned[0]


def test_a_binding_that_is_not_slow_makes_the_iterations_of_c() -> None:
    planned = _planned(small=(100, [150_000]), large=(1, [900_000]))
    trial = {number: case.iterations for number, case in trial_plan(planned).items()}
    reference = {0: 1500.0, 1: 900_000.0}
    at_the_limit = {0: [int(SLOW * 1500 * trial[0])], 1: [int(SLOW * 900_000 * trial[1])]}
    assert fewer_iterations(PROFILES["quick"], planned, reference, at_the_limit, oversubscribed=False) == {}
    assert fewer_iterations(PROFILES["quick"], planned, reference, {}, oversubscribed=False) == {}


def test_a_call_longer_than_a_batch_is_made_once() -> None:
    planned = _planned(small=(100, [150_000]), large=(1, [900_000]))
    second = 1_000_000_000
    trial = {0: [second * trial_plan(planned)[0].iterations], 1: [second]}
    fewer = fewer_iterations(PROFILES["quick"], planned, {0: 1500.0, 1: 900_000.0}, trial, oversubscribed=False)
    assert [(counts.warmup, counts.iterations, counts.events) for counts in fewer.values()] == [(1, 1, 1)] * 2


def test_levels_share_the_counts_of_the_one_with_the_most_iterations_unless_they_need_far_fewer() -> None:
    def one(iterations: int, size: int = 8) -> PlannedCase:
        return PlannedCase(
            benchmark="latency", mode="standard", payload="bytes", size_bytes=size, warmup=iterations // 4, batches=3,
            iterations=iterations, events=iterations // 2,
        )  # fmt: skip

    base, near, far, lacking = [one(1000), one(10, 64)], [one(250), one(12, 64)], [one(249), one(12, 64)], [one(600)]
    found = same_counts({"base": base, "near": near, "far": far, "lacking": lacking})
    assert found == {
        "base": [one(1000), one(12, 64)],
        "near": [one(1000), one(12, 64)],
        "far": [one(249), one(12, 64)],
        "lacking": [one(1000)],
    }
