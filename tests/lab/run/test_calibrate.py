"""Calibration of the reference, with launches that are made up."""

from __future__ import annotations

from types import SimpleNamespace

from polympi.lab.catalogue import Case
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.run.calibrate import calibrate

CASES = [Case("latency", "standard", "bytes", size) for size in (8, 1024)]


def made(cases, *, timed: set[int]):
    """What calibration makes of launches in which only some cases could be timed, and how many launches it took."""
    launches = []

    def reference(planned):
        times = {number: [10_000] * 3 for number in planned if number in timed}
        launches.append(SimpleNamespace(samples=SimpleNamespace(batches=times, clock_resolution_ns=1)))
        return launches[-1]

    return calibrate(PROFILES["quick"], cases, reference, crowded=False), launches


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
