"""What bindings are compared with: both launches of C in the same block."""

import polars as pl
import pytest

from polympi.lab.statistics.reference import with_reference


def _medians(*rows: tuple[int, str, float | None]) -> pl.DataFrame:
    case = {"benchmark": "latency", "mode": "standard", "payload": "bytes", "size_bytes": 8, "ranks": 2}
    made = [{"stack": "mpich", "block": b, "binding": name, **case, "median_ns": ns} for b, name, ns in rows]
    return pl.DataFrame(made, schema_overrides={"median_ns": pl.Float64})


def _references(*rows: tuple[int, str, float | None]) -> list[tuple[int, str, float]]:
    return with_reference(_medians(*rows)).select("block", "binding", "reference_ns").rows()


def test_a_binding_is_compared_with_both_launches_of_c_and_c_again_with_the_first() -> None:
    found = _references((0, "c", 100.0), (0, "mpi4py", 300.0), (0, "c-again", 400.0), (0, "polympi", 50.0))
    assert found == [(0, "mpi4py", pytest.approx(200.0)), (0, "c-again", 100.0), (0, "polympi", pytest.approx(200.0))]


def test_one_launch_of_c_is_enough_and_none_is_not() -> None:
    found = _references(
        (0, "c", 100.0), (0, "mpi4py", 300.0), (1, "c-again", 90.0), (1, "mpi4py", 300.0), (2, "mpi4py", 300.0)
    )
    assert found == [(0, "mpi4py", pytest.approx(100.0)), (1, "mpi4py", pytest.approx(90.0))]


def test_a_launch_of_c_without_a_figure_does_not_count() -> None:
    assert _references((0, "c", None), (0, "c-again", 90.0), (0, "mpi4py", 300.0)) == [
        (0, "mpi4py", pytest.approx(90.0))
    ]


def test_the_second_launch_does_not_stand_in_for_a_c_that_never_measured_the_case() -> None:
    assert _references((0, "c-again", 90.0), (0, "mpi4py", 300.0)) == []


def test_the_mean_of_one_launch_and_of_two_equal_ones_is_exact() -> None:
    time = 0.1 + 0.2
    for rows in ([(0, "c", time)], [(0, "c", time), (0, "c-again", time)]):
        assert _references(*rows, (0, "mpi4py", 1.0))[-1][-1] == time


def test_a_time_of_zero_makes_a_reference_of_zero() -> None:
    assert _references((0, "c", 0.0), (0, "mpi4py", 3.0), (0, "c-again", 90.0))[0] == (0, "mpi4py", 0.0)
