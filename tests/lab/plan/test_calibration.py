import math
from pathlib import Path

from polympi.lab.catalogue import Case
from polympi.lab.plan.calibration import (
    SINGLY_BATCHES,
    START_CALLS,
    START_NS,
    at_most,
    choose_iterations,
    first_plan,
    second_plan,
)
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.plan.text import plan_text

SMALL = Case("latency", "standard", "bytes", 8)
BCAST = Case("bcast", "standard", "bytes", 8)
LARGE = Case("latency", "standard", "bytes", 2**22)


def test_a_batch_of_c_lasts_what_the_profile_asks() -> None:
    for profile in PROFILES.values():
        small, large = choose_iterations(
            profile, {SMALL: (100, [160_000, 150_000]), LARGE: (1, [900_000])}, 1, crowded=False
        )
        assert small.iterations * 1500 >= profile.batch_ns > (small.iterations - 1) * 1500
        assert large.iterations * 900_000 >= profile.batch_ns
        assert small.batches == profile.batches


def test_calls_that_wait_for_a_start_are_timed_in_more_and_shorter_batches() -> None:
    profile = PROFILES["quick"]
    (planned,) = choose_iterations(profile, {BCAST: (100, [25_000, 30_000])}, 1, crowded=False)
    assert planned.batches == SINGLY_BATCHES * profile.batches
    assert planned.iterations == math.ceil(profile.batch_ns / (START_CALLS * 250 + START_NS) / SINGLY_BATCHES)


def test_a_coarse_clock_makes_longer_batches() -> None:
    (planned,) = choose_iterations(PROFILES["quick"], {SMALL: (100, [150_000])}, 10_000, crowded=False)
    assert planned.iterations * 1500 >= 1000 * 10_000


def test_events_take_no_longer_than_a_batch() -> None:
    profile = PROFILES["publish"]
    small, large = choose_iterations(profile, {SMALL: (100, [150_000]), LARGE: (1, [900_000])}, 1, crowded=False)
    assert profile.batches < small.events <= profile.events
    assert profile.batches <= large.events < profile.events


def test_the_second_calibration_lasts_half_a_millisecond_where_it_can() -> None:
    assert [planned.iterations for planned in first_plan([SMALL, LARGE])] == [1, 1]
    small, large = second_plan({SMALL: (1, [4000, 2000, 2500]), LARGE: (1, [900_000, 800_000, 850_000])})
    assert small.iterations == 125
    assert large.iterations == 1


def test_where_ranks_share_a_processor_the_slowest_batch_counts() -> None:
    timed = {SMALL: (100, [200_000, 300_000_000, 100_000_000])}
    (alone,) = choose_iterations(PROFILES["quick"], timed, 1, crowded=False)
    (crowded,) = choose_iterations(PROFILES["quick"], timed, 1, crowded=True)
    assert alone.iterations == math.ceil(PROFILES["quick"].batch_ns / 2000)
    assert crowded.iterations == 1


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
    (planned,) = choose_iterations(PROFILES["quick"], {SMALL: (100, [150_000])}, 1, crowded=False)
    few = at_most(planned, 2)
    assert (few.iterations, few.warmup, few.events) == (2, 2, planned.batches)
    assert few.batches == planned.batches
    assert at_most(planned, planned.iterations) == planned
    assert at_most(planned, planned.iterations - 1).warmup <= planned.warmup
