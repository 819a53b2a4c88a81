import pytest

from polympi.lab.catalogue import Case
from polympi.lab.plan.calibration import calibration_plan, choose_iterations
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.plan.text import plan_text

SMALL = Case("latency", "standard", "bytes", 8)
LARGE = Case("latency", "standard", "bytes", 2**22)


def test_a_batch_of_c_lasts_what_the_profile_asks() -> None:
    for profile in PROFILES.values():
        small, large = choose_iterations(profile, {SMALL: (100, [160_000, 150_000]), LARGE: (1, [900_000])}, 1)
        assert small.iterations * 1500 >= profile.batch_ns > (small.iterations - 1) * 1500
        assert large.iterations * 900_000 >= profile.batch_ns
        assert small.batches == profile.batches


def test_a_coarse_clock_makes_longer_batches() -> None:
    (planned,) = choose_iterations(PROFILES["quick"], {SMALL: (100, [150_000])}, 10_000)
    assert planned.iterations * 1500 >= 1000 * 10_000


def test_events_take_no_longer_than_a_batch() -> None:
    profile = PROFILES["publish"]
    small, large = choose_iterations(profile, {SMALL: (100, [150_000]), LARGE: (1, [900_000])}, 1)
    assert profile.batches < small.events <= profile.events
    assert profile.batches <= large.events < profile.events


def test_a_calibration_batch_is_neither_too_short_nor_too_long() -> None:
    small, large = calibration_plan([SMALL, LARGE])
    assert small.iterations == pytest.approx(250, rel=0.5)
    assert large.iterations == 1


def test_the_plan_is_written_as_the_protocol_says() -> None:
    (planned,) = calibration_plan([SMALL])
    assert plan_text({7: planned}).splitlines() == [
        "polympi-plan 1",
        "window 64",
        f"case 7 latency standard bytes 8 {planned.warmup} {planned.batches} {planned.iterations} 0",
        "end",
    ]
