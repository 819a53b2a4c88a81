"""A gate measures what its baseline measured, then what is in doubt, and stops when it knows."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from short_runs import short_request
from synthetic import DEFAULT_CASES, EFFECTS, make_run

from polympi.lab.errors import UsageError
from polympi.lab.plan.patterns import fits
from polympi.lab.records import Outcome
from polympi.lab.run import gate as module
from polympi.lab.run import resume
from polympi.lab.run.gate import Asked, Judged, gate
from polympi.lab.run.measure import Measured, measure
from polympi.lab.run.request import Request
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.comparison.compare import THRESHOLD
from polympi.lab.statistics.verdicts import SLOWER

MPICH = Stack(name="mpich", family="mpich", origin="wheel", mpiexec="", mpicc="", python="")
SLOW = {"mpi4py": (520.0, 0.0, 1.5)}


class Machine:
    """Measures instead of the laboratory: bindings cost, in each round, what `effects` says."""

    def __init__(self, *effects: dict[str, tuple[float, float, float]], noise: float = 0.01, seconds: float = 1.0):
        self.effects, self.noise, self.seconds = effects, noise, seconds
        self.requests: list[Request] = []
        self.outcome = Outcome(ended="complete", finished="", blocks={"mpich": 1})

    def measure(self, request: Request, *, watcher: Watcher, wait: bool) -> Measured:
        number = len(self.requests)
        self.requests.append(request)
        wanted = {"c", "c-again", *(request.wanted or ())}
        cost = EFFECTS | self.effects[min(number, len(self.effects) - 1)]
        directory = make_run(
            request.output,
            seed=100 + number,
            blocks=request.profile.maximum_blocks,
            events=1,
            noise=self.noise,
            cases=[case for case in DEFAULT_CASES if any(fits(b, *case[:3]) for b in request.benches or ["*"])],
            effects={name: effect for name, effect in cost.items() if name in wanted},
        )
        return Measured(directory, self.outcome, self.seconds)


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    monkeypatch.setattr(resume, "get_stack", lambda name: {"mpich": MPICH}[name])
    return make_run(tmp_path / "baseline", events=1)


def judged(
    baseline: RunDirectory, machine: Machine, monkeypatch: pytest.MonkeyPatch, **changes: object
) -> tuple[Judged, dict[str, str]]:
    monkeypatch.setattr(module, "measure", machine.measure)
    asked = Asked(baseline.path.parent / "gate", [], ["latency", "barrier", "allreduce"], THRESHOLD, None)
    found = gate(baseline, dataclasses.replace(asked, **changes), watcher=Watcher())  # type: ignore[arg-type]
    groups = found.comparison.groups if found.comparison else []
    return found, {f"{group.binding} {group.benchmark}": group.verdict for group in groups}


def test_what_is_as_before_needs_one_round(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine({})
    found, verdicts = judged(baseline, machine, monkeypatch)
    assert set(verdicts.values()) == {"same"}
    [request] = machine.requests
    assert request.wanted == ["mpi4py", "mpi4py-object"]
    assert (request.profile.minimum_blocks, request.profile.maximum_blocks) == (9, 9)
    assert [path.name for path, _ in found.rounds] == ["round-1"]


def test_what_stays_slower_is_measured_twice_and_nothing_else(
    baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(SLOW)
    _, verdicts = judged(baseline, machine, monkeypatch, patterns=["latency", "barrier"])
    assert {name for name, verdict in verdicts.items() if verdict == SLOWER} == {"mpi4py latency", "mpi4py barrier"}
    first, second = machine.requests
    assert (second.wanted, second.profile.maximum_blocks) == (["mpi4py"], 18)
    assert {pattern.partition("/")[0] for pattern in second.benches} == {"latency", "barrier"}
    assert first.seed != second.seed
    assert [stack.name for stack in second.stacks] == ["mpich"]


def test_what_is_slow_once_is_not_slower(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(SLOW, {})
    _, verdicts = judged(baseline, machine, monkeypatch)
    assert set(verdicts.values()) == {"same"}
    assert len(machine.requests) == 2


def test_a_noisy_machine_ends_after_four_rounds(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine({}, noise=1.0)
    _, verdicts = judged(baseline, machine, monkeypatch, patterns=["barrier"])
    assert "unknown" in verdicts.values()
    assert [request.profile.maximum_blocks for request in machine.requests] == [9, 18, 36, 72]


def test_a_round_that_would_end_too_early_is_not_begun(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(SLOW, seconds=100.0)
    _, verdicts = judged(baseline, machine, monkeypatch, time_limit_s=450.0)
    assert verdicts["mpi4py latency"] == "unknown"  # it looked slower once
    assert len(machine.requests) == 1


def test_a_run_that_was_interrupted_is_judged_as_far_as_it_is(
    baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(SLOW)
    machine.outcome = Outcome(ended="interrupted", finished="", blocks={"mpich": 9})
    found, verdicts = judged(baseline, machine, monkeypatch)
    assert (found.interrupted, len(machine.requests)) == (True, 1)
    assert verdicts["mpi4py latency"] == "unknown"


def test_a_binding_that_fails_is_named(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine({})
    machine.outcome = Outcome(ended="complete", finished="", blocks={"mpich": 9}, withdrawn={"mpich/mpi4py": "crashed"})
    assert judged(baseline, machine, monkeypatch)[0].failed == {"mpich/mpi4py": "crashed"}


def test_nothing_measured_is_no_answer(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine({})
    machine.outcome = Outcome(ended="time limit", finished="", blocks={"mpich": 0})
    found, verdicts = judged(baseline, machine, monkeypatch)
    assert (found.comparison, found.reasons, verdicts) == (None, [], {})


def test_wrong_requests_are_refused(baseline: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="doesn't find mpi5py now"):
        judged(baseline, Machine({}), monkeypatch, bindings=["mpi5py"])
    with pytest.raises(UsageError, match="exists and results are never overwritten"):
        judged(baseline, Machine({}), monkeypatch, folder=baseline.path)


@pytest.mark.exclusive
def test_a_delay_is_found_and_c_is_as_before(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(tmp_path / "baseline", [mpich], ["c-spin"], ["latency/standard/bytes"])
    profile = dataclasses.replace(request.profile, minimum_blocks=9, maximum_blocks=9)
    request = dataclasses.replace(request, profile=profile)
    baseline = measure(request, watcher=Watcher()).directory
    asked = Asked(tmp_path / "gate", [], [], 20.0, None)
    found = gate(baseline, asked, watcher=Watcher())
    assert found.comparison is not None
    groups = {group.benchmark: group for group in found.comparison.groups}
    assert groups["latency"].verdict == "same"  # a factor of 21 is more than any noise
    assert groups["latency"].launches_after >= 9
    assert (tmp_path / "gate" / "round-1" / "run.json").is_file()
