"""By how much a projection missed, in a sentence."""

import pytest

from polympi.lab.projection.against import Miss, answer


def miss(predicted: float, measured: float, **fields: object) -> Miss:
    return Miss("mpich", "mpi4py", "barrier", 0, predicted, measured, **{"given": False, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predicted", "error", "within"),
    [(125.0, 0.25, True), (126.0, 0.26, False), (75.0, -0.25, True), (74.0, -0.26, False)],
)
def test_a_quarter_is_still_within(predicted: float, error: float, within: bool) -> None:
    one = miss(predicted, 100.0)
    assert one.error == pytest.approx(error)
    assert one.within is within


def test_what_was_given_does_not_count_and_the_largest_miss_is_named() -> None:
    said = answer([miss(100.0, 100.0, given=True), miss(110.0, 100.0), miss(40.0, 100.0)])
    assert said == (
        "1 of 2 figures are within 25 % of what was measured; the median error is 35 %, the largest 60 % "
        "(mpi4py, barrier, 0 B)."
    )


def test_misses_below_the_error_of_the_clocks_are_counted_and_still_missed() -> None:
    found = [miss(2000.0, 4000.0, clocks_ns=3000.0), miss(2000.0, 9000.0, clocks_ns=3000.0)]
    assert [one.doubtful for one in found] == [True, False]
    assert not any(one.within for one in found)
    said = answer(found)
    assert said.startswith("0 of 2 figures")
    assert said.endswith("The error of 1 collective is less than that of the hosts' clocks, 3.00 µs.")


def test_a_run_with_more_ranks_than_processors_is_said_to_show_the_scheduler() -> None:
    assert answer([miss(1.0, 1.0, oversubscribed=True)]).endswith(
        "short times show the scheduler, which no projection predicts."
    )
    assert "scheduler" not in answer([miss(1.0, 1.0)])
