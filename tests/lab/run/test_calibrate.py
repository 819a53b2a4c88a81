"""Calibration of the reference, with launches that are made up."""

from dataclasses import replace
from types import SimpleNamespace

import msgspec

from polympi.lab.catalogue import Case
from polympi.lab.launch.launcher import planned_case
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.protocol import LaunchSamples
from polympi.lab.run.calibrate import calibrate, fitting

CASES = [Case("latency", "standard", "bytes", size) for size in (8, 1024)]


def made(cases, *, timed: set[int]):
    """What calibration makes of launches in which only some cases could be timed, and how many launches it took."""
    launches = []

    def reference(planned):
        times = {number: [10_000] * 3 for number in planned if number in timed}
        launches.append(SimpleNamespace(samples=SimpleNamespace(batches=times, clock_resolution_ns=1), cut=None))
        return launches[-1]

    return calibrate(PROFILES["quick"], cases, reference, oversubscribed=False), launches


def test_the_iterations_are_those_of_the_second_launch() -> None:
    found, launches = made(CASES, timed={0, 1})
    assert len(launches) == 2
    assert found.launched is launches[1]
    assert sorted(found.cases) == [0, 1]


def test_where_nothing_can_be_timed_the_first_launch_is_what_tells_why() -> None:
    found, launches = made(CASES, timed=set())
    assert found.launched is launches[0] is launches[-1]
    assert not found.cases


def test_without_cases_there_are_two_launches_all_the_same() -> None:
    _, launches = made([], timed=set())
    assert len(launches) == 2


SLOW = [
    Case("latency", "standard", "bytes", 8),
    *(Case("bibandwidth", "standard", "bytes", 2**k) for k in (20, 21, 22)),
]


def cut_short(cases, *, fit: dict[int, int], launches: list[list[int]]):
    """A reference whose launches finish so many cases, by their number, and then time out; others finish all."""

    def reference(planned):
        numbers = list(planned)
        finished = numbers[: fit.get(len(launches), len(numbers))]
        launches.append(numbers)
        samples = LaunchSamples(clock_resolution_ns=1, batches={number: [10_000] * 3 for number in finished})
        if finished == numbers:
            return SimpleNamespace(samples=samples, cut=None)
        samples.last_case = numbers[len(finished)]
        return SimpleNamespace(samples=LaunchSamples(clock_resolution_ns=1), cut=samples)

    return calibrate(PROFILES["quick"], cases, reference, oversubscribed=False)


def test_what_a_launch_that_timed_out_had_finished_is_kept_and_the_rest_is_launched_again() -> None:
    launches: list[list[int]] = []
    found = cut_short(SLOW, fit={0: 2}, launches=launches)
    assert launches == [[0, 1, 2, 3], [2, 3], [0, 1, 2, 3]]
    assert (len(found.cases), found.too_slow) == (4, ())


def test_a_case_that_does_not_end_is_left_out_with_the_larger_ones_and_the_others_are_kept() -> None:
    launches: list[list[int]] = []
    found = cut_short(SLOW, fit={0: 2, 1: 0}, launches=launches)
    assert launches == [[0, 1, 2, 3], [2, 3], [0, 1]]
    assert found.too_slow == (SLOW[2], SLOW[3])
    fitting_ones = fitting(found, 60.0, 600.0)
    assert [planned_case(case) for case in fitting_ones.cases.values()] == SLOW[:2]
    assert sorted(fitting_ones.left_out) == [str(SLOW[2]), str(SLOW[3])]
    assert all("--launch-timeout 2m" in why for why in fitting_ones.left_out.values())


def test_cases_for_which_no_launch_has_time_are_left_out_by_what_they_need() -> None:
    found = cut_short(SLOW, fit={}, launches=[])
    slow = replace(found, reference_ns={0: 1e3, 1: 1e9, 2: 2e9, 3: 4e9})
    few = {
        number: msgspec.structs.replace(case, warmup=2, batches=3, iterations=1, events=3)
        for number, case in slow.cases.items()
    }
    kept = fitting(replace(slow, cases=few), 60.0, 60.0)  # 8, 16 and 32 s
    assert [planned_case(case) for case in kept.cases.values()] == SLOW[:3]
    assert list(kept.reference_ns.values()) == [1e3, 1e9, 2e9]
    assert list(kept.left_out) == [str(SLOW[3])]
    assert "about 32 s" in kept.left_out[str(SLOW[3])]
    assert not fitting(replace(slow, cases=few), 60.0, 600.0).left_out
