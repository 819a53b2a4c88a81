"""Rows are made of simulated times: what is added, what is derived in proportion, what is of the model."""

import pytest
from simulated import ROUND, arm, program, span, stack

from polympi.lab.projection import plan as plan_module
from polympi.lab.projection.cases import PATTERNS, Case, usual_cases, with_first
from polympi.lab.projection.loggp import Model, time_of
from polympi.lab.projection.model import BUILT, CALLED, Row
from polympi.lab.projection.plan import plan_text, simulated_levels
from polympi.lab.projection.rows import rows_of
from polympi.lab.projection.simulator import nodes_of, simulate

Key = tuple[str, int, str]


def made(*arms: object, ranks: int = 16, cases: list[Case] | None = None) -> dict[Key, Row]:
    cases = cases or usual_cases()
    one = stack(*arms)  # type: ignore[arg-type]
    done = simulate(program(), plan_text(one, with_first(cases), ranks), ROUND, ranks, selector="mpich")
    return {(row.pattern, row.size_bytes, row.style): row for row in rows_of(one, ranks, cases, done.seconds)}


@pytest.fixture(scope="module")
def rows() -> dict[Key, Row]:
    """Of an arm whose bcast is measured apart and calls MPI's twice."""
    return made(arm(collectives={"bcast": span(40.0, 50.0, 60.0, per_byte=0.5)}, calls={"bcast": 2}))


def test_each_case_has_a_row_for_each_way_a_cost_comes_in(rows: dict[Key, Row]) -> None:
    assert set(rows) == {(c.pattern.name, c.size_bytes, style) for c in usual_cases() for style in c.pattern.styles}
    for row in rows.values():
        assert row.low_ns <= row.time_ns * 1.001
        assert row.time_ns <= row.high_ns * 1.001


def test_a_call_costs_once_and_messages_in_every_round(rows: dict[Key, Row]) -> None:
    barrier, built = rows["barrier", 0, CALLED], rows["barrier", 0, BUILT]
    assert barrier.added_ns == pytest.approx(1000)  # not measured: as much as a message
    assert (barrier.low_ns - barrier.c_ns, barrier.high_ns - barrier.c_ns) == pytest.approx((900, 1200))
    assert built.added_ns == pytest.approx(4000, rel=0.02)
    assert built.c_ns == barrier.c_ns


def test_further_calls_take_the_network_again(rows: dict[Key, Row]) -> None:
    small, large = rows["bcast", 8, CALLED], rows["bcast", 65536, CALLED]
    assert small.added_ns == pytest.approx(small.c_ns + 50 + 0.5 * 8)
    assert large.added_ns == pytest.approx(small.c_ns + 50 + 0.5 * 65536)
    assert small.model_ns == pytest.approx(small.time_ns, rel=0.02)


def test_rounds_before_the_data_are_small_whatever_sizes_are_wanted() -> None:
    one = arm(collectives={"bcast": span(0.0, 0.0, 0.0)}, announced_from=1024, rounds={"bcast": 2})
    large = Case(PATTERNS["bcast"], 65536)
    alone, among = made(one, cases=[large]), made(one)
    assert set(alone) == {("bcast", 65536, style) for style in (BUILT, CALLED)}
    assert alone["bcast", 65536, CALLED] == among["bcast", 65536, CALLED]


def test_what_announces_its_data_makes_rounds_before_them_from_that_size_on(rows: dict[Key, Row]) -> None:
    lines = {"collectives": {"bcast": span(40.0, 50.0, 60.0, per_byte=0.5)}}
    found = made(arm(**lines, announced_from=1024, rounds={"bcast": 2}))
    plain = made(arm(**lines))
    small = found["bcast", 8, CALLED]
    assert small.time_ns == plain["bcast", 8, CALLED].time_ns
    for size in (1024, 65536):
        assert found["bcast", size, CALLED].time_ns == pytest.approx(
            plain["bcast", size, CALLED].time_ns + 2 * small.c_ns
        )
    # A message of a ping-pong takes its sender 100 ns more, and its receiver the 100 ns by which that is slower.
    for size, more in ((8, 0.0), (1024, 200.0)):
        assert found["latency", size, BUILT].time_ns == pytest.approx(plain["latency", size, BUILT].time_ns + more)
    assert found["barrier", 0, CALLED].time_ns == plain["barrier", 0, CALLED].time_ns


def test_data_that_follow_at_once_share_the_way_of_their_announcement_up_to_a_limit() -> None:
    # Sixteen nodes, so that the tree of the nodes has four levels.
    lines = {"collectives": {"bcast": span(40.0, 50.0, 60.0, per_byte=0.5)}, "announced_from": 1024}
    cases = [Case(PATTERNS["bcast"], size) for size in (8, 1024, 65536)]
    asking = made(arm(**lines, rounds={"bcast": 2}), cases=cases)
    found = made(arm(**lines, rounds={"bcast": 2}, follows={"bcast": 65535}), cases=cases)
    plain = made(arm(collectives=lines["collectives"]), cases=cases)
    assert nodes_of(ROUND, 16) == 16
    at_once, of_c = found["bcast", 1024, CALLED], plain["bcast", 1024, CALLED]
    announced = 4 * 200.0
    assert at_once.time_ns == pytest.approx(of_c.time_ns + announced)
    assert at_once.time_ns < asking["bcast", 1024, CALLED].time_ns
    assert of_c.model_ns is not None
    assert at_once.model_ns == pytest.approx(of_c.model_ns + announced)
    for size in (8, 65536):
        assert found["bcast", size, CALLED] == asking["bcast", size, CALLED]


def test_an_allreduce_that_doubles_leaves_what_it_announces_to_the_library() -> None:
    cases = [Case(PATTERNS["allreduce"], size) for size in (8, 1024)]
    plain = made(arm(), ranks=4, cases=cases)
    found = made(arm(doubles=True, announced_from=1024, rounds={"allreduce": 1}), ranks=4, cases=cases)
    of_c, large = plain["allreduce", 1024, CALLED], found["allreduce", 1024, CALLED]
    small = made(arm(doubles=True), ranks=4, cases=cases)["allreduce", 8, CALLED]
    assert large.time_ns == pytest.approx(of_c.time_ns + small.time_ns - 1000)
    assert of_c.model_ns is not None
    assert small.model_ns is not None
    assert large.model_ns == pytest.approx(of_c.model_ns + small.model_ns - 1000)


def test_an_allreduce_that_doubles_is_one_round_a_bit_of_the_ranks_also_where_mpich_halves() -> None:
    cases = [Case(PATTERNS["allreduce"], size) for size in (8, 1024)]
    halves, doubles = (made(arm(doubles=doubles), ranks=4, cases=cases) for doubles in (False, True))
    assert halves["allreduce", 1024, CALLED].time_ns > 1.3 * doubles["allreduce", 1024, CALLED].time_ns
    assert doubles["allreduce", 8, CALLED].time_ns == pytest.approx(halves["allreduce", 8, CALLED].time_ns, rel=0.02)
    assert doubles["allreduce", 1024, CALLED].time_ns == pytest.approx(2 * one_round(1024) + 1000, rel=0.02)
    assert doubles["allreduce", 1024, CALLED].model_ns == pytest.approx(
        doubles["allreduce", 1024, CALLED].time_ns, rel=0.02
    )


def one_round(size: int) -> float:
    found = time_of(Model(ROUND, 2), "latency", size, "mpich")
    assert found is not None
    return found


def test_ends_found_from_the_median_are_those_that_would_be_simulated(
    rows: dict[Key, Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_module, "ENDS_BELOW", 16)
    assert simulated_levels(arm(), 16) == ["median"]
    assert simulated_levels(arm(), 15) == ["low", "median", "high"]
    found = made(arm(collectives={"bcast": span(40.0, 50.0, 60.0, per_byte=0.5)}, calls={"bcast": 2}))
    for key, row in found.items():
        assert row.time_ns == pytest.approx(rows[key].time_ns, rel=1e-3)  # SimGrid counts in nanoseconds
        assert (row.low_ns, row.high_ns) == pytest.approx((rows[key].low_ns, rows[key].high_ns), rel=0.02)


def test_what_has_too_many_messages_is_of_the_model() -> None:
    case = Case(PATTERNS["alltoall"], 1024)
    assert case.simulated(256)
    assert not case.simulated(257)
    one = stack(arm())
    called, built = rows_of(one, 1024, [case], {})
    assert not built.simulated
    assert built.c_ns == time_of(Model(ROUND, 1024), "alltoall", 1024, "mpich")
    assert called.added_ns == pytest.approx(1000)


def test_an_arm_without_cost_has_the_times_of_c() -> None:
    free = made(arm(cost=span(0, 0, 0)), ranks=4, cases=[Case(PATTERNS["ring"], 8), Case(PATTERNS["barrier"], 0)])
    assert {row.added_ns for row in free.values()} == {0.0}
