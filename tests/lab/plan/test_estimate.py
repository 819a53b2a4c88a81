"""An estimate is good to a factor of two of what real runs took."""

import dataclasses

import pytest

from polympi.lab.catalogue import Case
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.estimate import (
    INTERPRETER_S,
    START_S,
    calibration_seconds,
    iteration_ns,
    launch_seconds,
    tool_seconds,
)
from polympi.lab.plan.profiles import PROFILES

QUICK = PROFILES["quick"]
SMALL = Case("latency", "standard", "bytes", 8)


def test_a_launch_without_cases_is_its_start() -> None:
    assert launch_seconds("mpich", "C", [], QUICK) == START_S["mpich"]
    assert launch_seconds("mpich", "Python", [], QUICK) == START_S["mpich"] + INTERPRETER_S
    assert launch_seconds("another", "C", [], QUICK) == max(START_S.values())


def test_a_launch_of_java_or_of_a_tool_takes_longer_whatever_is_measured() -> None:
    assert launch_seconds("mpich", "Java", [], QUICK) > 10 * launch_seconds("mpich", "Python", [], QUICK)
    assert tool_seconds("openmpi") > tool_seconds("mpich") > START_S["mpich"]


def test_a_case_takes_its_batches_warm_up_and_events() -> None:
    case_s = launch_seconds("mpich", "C", [SMALL], QUICK) - START_S["mpich"]
    assert case_s == pytest.approx((3 + 0.25 + 1) * QUICK.batch_ns / 1e9 * 1.0, rel=0.3)
    longer = dataclasses.replace(QUICK, batches=30)
    assert launch_seconds("mpich", "C", [SMALL], longer) > launch_seconds("mpich", "C", [SMALL], QUICK)


def test_a_trial_is_shorter_than_a_launch_and_longer_than_a_start() -> None:
    cases = [SMALL] * 100
    of_c, of_python = (launch_seconds("mpich", language, cases, QUICK, trial=True) for language in ("C", "Python"))
    assert START_S["mpich"] < of_c < launch_seconds("mpich", "C", cases, QUICK) / 2
    assert of_python > of_c


def test_a_window_of_large_messages_is_longer_than_a_batch() -> None:
    large = Case("bibandwidth", "standard", "bytes", 2**20)
    assert iteration_ns(large) > 5 * QUICK.batch_ns
    assert iteration_ns(SMALL) < QUICK.batch_ns


def test_a_launch_of_c_of_the_quick_profile_takes_about_as_long_as_it_did() -> None:
    cases = select_cases(QUICK, [], None, 2)
    assert 0.7 < launch_seconds("mpich", "C", cases, QUICK) < 2.8  # 1.4 s on two cores
    assert 0.3 < calibration_seconds("mpich", cases) < 1.3  # 0.6 s


def test_more_ranks_take_longer_and_most_of_all_where_they_share_processors() -> None:
    cases = select_cases(QUICK, [], None, 64)
    two, many, oversubscribed = (
        launch_seconds("mpich", "Python", cases, QUICK, ranks=ranks, processors=processors)
        for ranks, processors in ((2, 64), (64, 64), (64, 2))
    )
    assert two <= many < oversubscribed / 10
    assert calibration_seconds("mpich", cases, ranks=64, processors=2) > calibration_seconds("mpich", cases)


def test_launches_of_large_applications_take_as_long_as_they_did() -> None:
    meshes = {"wave": (129**3, 257**3), "poisson-cg": (1025**2, 2049**2)}
    modes = ("blocking", "overlapped")
    cases = [Case(name, mode, "problem", 8 * n) for name, sizes in meshes.items() for n in sizes for mode in modes]
    standard = PROFILES["standard"]
    for language, ranks, seconds in (("C", 1, 9.6), ("Python", 1, 16.0), ("C", 2, 5.9), ("Python", 2, 11.0)):
        assert seconds / 2 < launch_seconds("openmpi", language, cases, standard, ranks=ranks) < 2 * seconds
