"""SimGrid, really run, against the analytic model and against costs planted into an arm."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from simulated import ROUND, arm, program, span, stack

from polympi.lab.errors import UsageError
from polympi.lab.projection import simulator
from polympi.lab.projection.cases import PATTERNS, Case, usual_cases
from polympi.lab.projection.loggp import Model, time_of
from polympi.lab.projection.plan import plan_text
from polympi.lab.projection.simulator import SimulatorError, simulate

pytestmark = pytest.mark.system

RANKS = 16
CLUSTER = msgspec.structs.replace(ROUND, ranks_per_node=4, node_send=[(0, 50.0)], node_receive=[(0, 50.0)])
OPEN_MPI = msgspec.structs.replace(stack(network=ROUND), selector="ompi")
COST = span(0.0, 10_000.0, 10_000.0)
Time = Callable[..., float]


@pytest.fixture(scope="module")
def simulated() -> simulator.Simulated:
    """All usual cases of C, of an arm that costs 10 µs a message, and of one that costs nothing."""
    arms = stack(arm("slow", COST), arm("free", span(0, 0, 0)), network=CLUSTER)
    return simulate(program(), plan_text(arms, usual_cases(), RANKS), CLUSTER, RANKS, selector="mpich")


@pytest.fixture(scope="module")
def time(simulated: simulator.Simulated) -> Time:
    def found(pattern: str, size: int, name: str = "c", style: str = "built") -> float:
        seconds = simulated.seconds[name, pattern, size, style]
        return seconds * 1e9 / Case(PATTERNS[pattern], size).operations(RANKS)

    return found


@pytest.mark.parametrize(
    ("pattern", "size"),
    [("latency", 8), ("latency", 65536), ("ring", 8), ("barrier", 0), ("bcast", 8), ("allreduce", 8)],
)
def test_simulation_and_analytic_model_agree(time: Time, pattern: str, size: int) -> None:
    assert time(pattern, size) == pytest.approx(time_of(Model(CLUSTER, RANKS), pattern, size, "mpich"), rel=0.02)


def test_only_messages_that_cross_take_their_receivers_more() -> None:
    both_ns = 3000.0
    cases = [
        Case(PATTERNS[name], size) for name, size in (("latency", 8), ("bcast", 8), ("barrier", 0), ("alltoall", 8))
    ]
    alone, crossing = (
        simulate(program(), plan_text(stack(network=network), cases, 2), network, 2, selector="mpich").seconds
        for network in (ROUND, msgspec.structs.replace(ROUND, both=[(0, both_ns)]))
    )
    added = {pattern: (crossing[key] - alone[key]) * 1e9 for key in alone for pattern in [key[1]]}
    assert added == {
        "latency": pytest.approx(0.0, abs=1.0),
        "bcast": pytest.approx(0.0, abs=1.0),
        "barrier": pytest.approx(both_ns, rel=1e-3),
        "alltoall": pytest.approx(both_ns, rel=1e-3),
    }


def test_a_planted_cost_comes_once_a_message_and_once_a_round(time: Time) -> None:
    added = {
        name: time(name, size, "slow/median") - time(name, size)
        for name, size in (("latency", 8), ("ring", 8), ("barrier", 0), ("bcast", 8))
    }
    # A barrier has log2(16) rounds; in bcast, two among the first ranks of four nodes, and two within a node.
    assert added == {
        "latency": pytest.approx(10_000, rel=1e-3),
        "ring": pytest.approx(10_000, rel=1e-3),
        "barrier": pytest.approx(40_000, rel=0.02),
        "bcast": pytest.approx(40_000, rel=0.02),
    }


def test_an_arm_without_a_cost_is_not_simulated_and_calls_cost_what_they_cost(time: Time, simulated: object) -> None:
    assert isinstance(simulated, simulator.Simulated)
    assert {name for name, *_ in simulated.seconds} == {"c", "slow/median"}
    # The arm has no measured allreduce, so that a call costs as much as a message: twice an iteration.
    called = time("cg-iteration", 1024, "slow/median", "called") - time("cg-iteration", 1024)
    built = time("cg-iteration", 1024, "slow/median", "built") - time("cg-iteration", 1024)
    assert called < built


def test_on_nodes_of_one_rank_mpich_halves_an_allreduce_and_open_mpi_does_not() -> None:
    cases = [Case(PATTERNS["allreduce"], size) for size in (8, 1024)]
    one = stack(network=ROUND)
    halved, doubled = (
        simulate(program(), plan_text(which, cases, 4), ROUND, 4, selector="mpich").seconds
        for which in (one, msgspec.structs.replace(one, selector="ompi"))
    )
    expected = [time_of(Model(ROUND, 4), "allreduce", size, "mpich") for size in (8, 1024)]
    assert [halved["c", "allreduce", size, "built"] * 1e9 for size in (8, 1024)] == pytest.approx(expected, rel=0.1)
    assert doubled["c", "allreduce", 8, "built"] == halved["c", "allreduce", 8, "built"]
    assert doubled["c", "allreduce", 1024, "built"] < 0.8 * halved["c", "allreduce", 1024, "built"]


# A message takes 1300 ns and its bytes on the wire, which are 16 more; the next one can be sent after 100 ns, and those
# of a rank share its wire.
@pytest.mark.parametrize(
    ("ranks", "size", "expected"),
    [
        pytest.param(2, 32768, 1300 + 32784, id="a message"),
        pytest.param(5, 65536, 1300 + 4 * 65552, id="four from the root"),
        pytest.param(7, 1024, 2 * (1300 + 2 * 1040), id="two levels of a binary tree"),
        pytest.param(130, 8, 7 * 1324 + 100, id="seven, to the second child of one"),
        pytest.param(64, 8, 3 * (1324 + 2 * 100), id="three levels of a k-nomial tree, to the third child"),
    ],
)
def test_bcast_of_open_mpi_goes_down_its_trees_in_one_piece(ranks: int, size: int, expected: float) -> None:
    plan = plan_text(OPEN_MPI, [Case(PATTERNS["bcast"], size)], ranks)
    seconds = simulate(program(), plan, ROUND, ranks, selector="ompi").seconds["c", "bcast", size, "built"]
    assert seconds * 1e9 == pytest.approx(expected, rel=0.001)


@pytest.mark.parametrize("ranks", [4, 7])
def test_messages_of_a_bcast_follow_each_other_on_the_wire_of_their_sender(ranks: int) -> None:
    # The first child of four has the data when the second one's set off, and passes them on meanwhile: two messages
    # long, and not three.
    size = 65536
    plan = plan_text(stack(network=ROUND), [Case(PATTERNS["bcast"], size)], ranks)
    found = simulate(program(), plan, ROUND, ranks, selector="mpich").seconds["c", "bcast", size, "built"] * 1e9
    assert found == pytest.approx(time_of(Model(ROUND, ranks), "bcast", size, "mpich"), rel=0.02)
    assert found == pytest.approx((2 if ranks == 4 else 3) * size, rel=0.06)


def test_messages_within_a_node_wait_for_no_wire() -> None:
    # Open MPI's rank 0 sends to all three others, of which one is on its node.
    network = msgspec.structs.replace(ROUND, ranks_per_node=2, node_send=[(0, 50.0)], node_receive=[(0, 50.0)])
    open_mpi = msgspec.structs.replace(stack(network=network), selector="ompi")
    size = 20_000
    plan = plan_text(open_mpi, [Case(PATTERNS["bcast"], size)], 4)
    found = simulate(program(), plan, network, 4, selector="ompi").seconds["c", "bcast", size, "built"] * 1e9
    assert found == pytest.approx(50 + 100 + 2 * size + 1000 + 200, rel=0.02)


@pytest.mark.parametrize("ranks", [2, 3, 4, 8, 16, 33, 64, 129, 300])
def test_bcast_of_open_mpi_reaches_all_ranks_at_any_size(ranks: int) -> None:
    sizes = [1, 16, 100, 300, 600, 5000, 10_000, 20_000, 40_000, 100_000, 200_000, 400_000, 600_000, 2_000_000]
    plan = plan_text(OPEN_MPI, [Case(PATTERNS["bcast"], size) for size in sizes], ranks)
    seconds = simulate(program(), plan, ROUND, ranks, selector="ompi").seconds
    assert all(seconds["c", "bcast", size, "built"] * 1e9 >= 1300 + size for size in sizes)


@pytest.mark.parametrize(
    ("ranks", "size"), [pytest.param(32, 128, id="by Bruck's algorithm"), pytest.param(4, 1024, id="directly")]
)
def test_alltoall_of_open_mpi_takes_what_the_model_says(ranks: int, size: int) -> None:
    plan = plan_text(OPEN_MPI, [Case(PATTERNS["alltoall"], size)], ranks)
    seconds = simulate(program(), plan, ROUND, ranks, selector="ompi").seconds["c", "alltoall", size, "built"]
    assert seconds * 1e9 == pytest.approx(time_of(Model(ROUND, ranks), "alltoall", size, "mpich"), rel=0.1)


def test_an_alltoall_of_256_ranks_of_open_mpi_is_simulated_while_one_waits() -> None:
    plan = plan_text(OPEN_MPI, [Case(PATTERNS["alltoall"], 1024)], 256)
    simulation = simulate(program(), plan, ROUND, 256, selector="ompi")
    bytes_a_wire = 255 * 1040
    assert simulation.seconds["c", "alltoall", 1024, "built"] * 1e9 == pytest.approx(bytes_a_wire, rel=0.3)
    assert simulation.wall_s < 100  # it was longer than 260 s where all messages began at once


def test_the_same_plan_gives_the_same_times_and_another_library_others() -> None:
    text = plan_text(stack(network=CLUSTER), [Case(PATTERNS["allreduce"], 65536)], RANKS)
    first, second, other = (
        simulate(program(), text, CLUSTER, RANKS, selector=selector) for selector in ("mpich", "mpich", "ompi")
    )
    assert first.seconds == second.seconds
    assert first.seconds != other.seconds
    assert simulator.selector_of("openmpi") == "ompi"
    assert simulator.selector_of("mpich") == simulator.selector_of("of somebody") == "mpich"


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("arm c 0 0\ncase latensy 8 built\n", "this line of the plan is not possible: case latensy 8 built"),
        ("curve wire-send 0 0\n", "there is no case in plan"),
        ("curve wire-send 0 x\n", "this line of the plan is not possible: curve wire-send 0 x"),
        ("curve wire-send 0 500\narm c 0 0\ncase ring 8 built\ncase ring 8 built\n", "a case takes too long"),
    ],
)
def test_a_plan_that_is_not_possible_ends_with_what_is_wrong(plan: str, why: str) -> None:
    with pytest.raises(SimulatorError, match=f"SimGrid failed with 2 ranks: {why}"):
        simulate(program(), plan, ROUND, 2, selector="mpich")


def test_a_simulation_that_takes_too_long_and_one_that_is_interrupted_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = plan_text(stack(), [Case(PATTERNS["bcast"], 8)], 1024)
    ending = threading.Event()
    ending.set()
    with pytest.raises(SimulatorError, match="interrupted"):
        simulate(program(), text, ROUND, 1024, selector="mpich", ending=ending)
    monkeypatch.setattr(simulator, "TIMEOUT_S", 0.2)
    with pytest.raises(SimulatorError, match="SimGrid did not simulate 1024 ranks within 0 s: ask for fewer"):
        simulate(program(), text, ROUND, 1024, selector="mpich")


def test_without_simgrid_a_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for call in (simulator.version, simulator.compiled):
        with pytest.raises(SimulatorError, match=r"needs SimGrid, .*: apt install .*libsimgrid-dev g\+\+ \(Debian\)"):
            call()


def test_a_compiler_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, script in {"smpirun": "echo SimGrid 1", "smpicxx": "echo no g++ here >&2; exit 1"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    with pytest.raises(SimulatorError, match=r"does not compile with .* \(no g\+\+ here\): apt install"):
        simulator.compiled()


@pytest.mark.parametrize("ranks", [0, 1, 4097])
def test_too_many_ranks_cannot_be_projected(ranks: int) -> None:
    with pytest.raises(UsageError, match=f"{ranks} ranks cannot be projected: 2 to 4096 can"):
        simulator.check_ranks([2, ranks])
