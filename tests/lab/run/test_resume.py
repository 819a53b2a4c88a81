"""A run that was broken off goes on as it was begun, or is refused in a sentence."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from short_runs import FEW_BLOCKS, Counting, measured, short_request
from synthetic import make_run

from polympi.lab.catalogue import problem_bytes
from polympi.lab.errors import UsageError
from polympi.lab.plan.studies import STUDIES
from polympi.lab.records import Environment, Outcome, StackMetadata
from polympi.lab.report.studies import columns, study_sections
from polympi.lab.run import resume
from polympi.lab.run.experiment import Experiment
from polympi.lab.run.resume import is_complete, machine_difference, prepare_again, request_again
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.analysis import analyse

NOTHING = Environment()
MESH = [problem_bytes(17, 3)]


def _begin(path: Path, stack: Stack, stop_after: int, **changes: object) -> RunDirectory:
    """A run that somebody stops after so many launches."""
    asked: dict[str, Any] = {"wanted": ["mpi4py"], "benches": ["latency/standard/bytes"], "sizes": [8]}
    asked |= {"profile": FEW_BLOCKS, **changes}
    watcher = Counting()
    return measured(short_request(path, [stack], **asked), lambda: watcher.ended >= stop_after, watcher)[0]


def _go_on(directory: RunDirectory, stop_after: int = 10**6) -> Outcome:
    request = request_again(directory, time_limit_s=None)
    plans = prepare_again(request, directory, NOTHING)
    directory.begin_again("2026-01-01T00:00:00+00:00")
    watcher = Counting()
    experiment = Experiment(
        request, plans, directory, processors=2, watcher=watcher, asked_to_stop=lambda: watcher.ended >= stop_after
    )
    return experiment.run()


@pytest.mark.exclusive
def test_only_what_is_missing_is_measured(tmp_path: Path, mpich: Stack) -> None:
    # Calibration, a block, and a launch of the next.
    directory = _begin(tmp_path / "run", mpich, stop_after=3 + 3 + 1, launch_timeout_s=200)
    assert request_again(directory, time_limit_s=None).launch_timeout_s == 200
    assert request_again(directory, time_limit_s=None, launch_timeout_s=100).launch_timeout_s == 100
    before = (tmp_path / "run" / "launches.jsonl").read_bytes()
    cases = directory.run().stacks[0].cases
    outcome = directory.outcome()
    assert outcome is not None
    assert (outcome.ended, outcome.blocks) == ("interrupted", {"mpich": 1})
    assert not is_complete(directory)

    outcome = _go_on(directory)
    assert (outcome.ended, outcome.blocks) == ("complete", {"mpich": 3})
    assert is_complete(directory)
    assert (tmp_path / "run" / "launches.jsonl").read_bytes().startswith(before)
    launches = directory.launches()
    assert [r.launch for r in launches] == list(range(3 + 3 + 1 + 6))
    assert [r.block for r in launches].count(None) == 3
    assert directory.run().stacks[0].cases == cases
    counted = [(r.block, r.binding) for r in launches if r.outcome == "ok" and r.block is not None]
    assert sorted(counted) == [(b, name) for b in range(3) for name in ("c", "c-again", "mpi4py")]
    assert [r.outcome for r in launches if r.block == 1 and r.attempt == 0] == ["repeated"]
    assert set(analyse(directory).summary["launches"]) == {3}


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_run_with_several_ranks_goes_on_where_it_was(tmp_path: Path, mpich: Stack) -> None:
    # Calibrations (two launches each), a block with each number of ranks, and a launch of the next block.
    directory = _begin(
        *(tmp_path / "run", mpich, 3 * 2 + 3 * 2 + 1), ranks=[1, 2, 3], wanted=["c"], benches=["wave"], sizes=MESH
    )
    names = ["mpich, 1 rank", "mpich, 2 ranks", "mpich, 3 ranks"]
    outcome = directory.outcome()
    assert outcome is not None
    assert outcome.blocks == dict.fromkeys(names, 1)
    outcome = _go_on(directory)
    assert (outcome.ended, outcome.blocks) == ("complete", dict.fromkeys(names, 3))
    launches = [r for r in directory.launches() if r.block is not None and r.outcome == "ok"]
    assert [r.block for r in launches] == sorted(r.block or 0 for r in launches)
    assert {(r.stack, r.ranks) for r in launches} == set(zip(names, (1, 2, 3), strict=True))
    rows = [row for row in analyse(directory).scaling if row.mode == "blocking"]
    assert [(row.stack, row.ranks, row.launches) for row in rows] == [("mpich", ranks, 3) for ranks in (1, 2, 3)]


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_run_of_weak_scaling_goes_on_with_its_problems(tmp_path: Path, mpich: Stack) -> None:
    weak = {"ranks": [1, 2], "scaling": "weak", "wanted": ["c"], "benches": ["wave/blocking"], "sizes": MESH}
    directory = _begin(tmp_path / "run", mpich, 2 + 1, **weak)  # the second calibration has not begun
    assert _go_on(directory).ended == "complete"
    one, two = directory.run().stacks
    assert {case.size_bytes for case in one.cases} == {MESH[0]}
    assert {case.size_bytes for case in two.cases} == {problem_bytes(21, 3)}
    assert two.grown_from == {name: {problem_bytes(21, 3): MESH[0]} for name in ("wave", "triad")}
    rows = [row for row in analyse(directory).scaling if row.benchmark == "wave"]
    assert [(row.asked_bytes, row.ranks) for row in rows] == [(MESH[0], 1), (MESH[0], 2)]


@pytest.mark.exclusive
def test_a_run_that_was_stopped_while_calibrating_calibrates(tmp_path: Path, mpich: Stack) -> None:
    directory = _begin(tmp_path / "run", mpich, stop_after=1)
    assert directory.run().stacks[0].cases == []
    assert _go_on(directory).ended == "complete"
    assert len(directory.run().stacks[0].cases) == 1


@pytest.mark.exclusive
def test_a_run_that_was_killed_goes_on(tmp_path: Path, mpich: Stack) -> None:
    directory = _begin(tmp_path / "run", mpich, stop_after=3 + 3 + 2)
    path = tmp_path / "run"
    (path / "outcome.json").unlink()
    (path / "launches.jsonl").write_bytes((path / "launches.jsonl").read_bytes()[:-25])  # the last line is cut off
    (path / "launch").mkdir()
    (path / "launch" / "plan.txt").write_text("left behind")
    assert _go_on(directory, stop_after=1).ended == "interrupted"
    assert _go_on(directory).ended == "complete"
    assert directory.damaged_lines() == [8]
    assert not (path / "launch").exists()
    assert {r.attempt for r in directory.launches() if r.block == 1} == {0, 1, 2}


@pytest.mark.exclusive
def test_lost_samples_are_measured_again(tmp_path: Path, mpich: Stack) -> None:
    directory = _begin(tmp_path / "run", mpich, stop_after=10**6)
    assert is_complete(directory)
    (tmp_path / "run" / "samples" / "000006.parquet").unlink()
    assert not is_complete(directory)
    assert _go_on(directory).ended == "complete"
    assert is_complete(directory)
    assert set(analyse(directory).summary["launches"]) == {3}


@pytest.mark.exclusive
def test_another_program_is_refused(tmp_path: Path, mpich: Stack) -> None:
    directory = _begin(tmp_path / "run", mpich, stop_after=3)
    run = directory.run()
    run.stacks[0].builds["mpi4py"] = "mpi4py-000000000000"
    directory.write_run(run)
    with pytest.raises(UsageError, match=r"cannot be continued: .*mpi4py.* its program differs from the one"):
        _go_on(directory)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"polympi": "0.0.1"}, "polympi 0.0.1 began it"),
        ({"hostfile": "/nowhere/hosts"}, "There is no host file '/nowhere/hosts'"),
        ({"profile": "quik"}, "There is no profile 'quik'"),
        ({"bindings_from": ["/nowhere"]}, "There is no folder of bindings '/nowhere'"),
    ],
)
def test_what_is_gone_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict, words: str) -> None:
    monkeypatch.setattr(resume, "__version__", "0.1.0")
    directory = make_run(tmp_path / "run", blocks=1, ended="interrupted")
    directory.write_run(msgspec.structs.replace(directory.run(), **change))
    with pytest.raises(UsageError, match=words):
        request_again(directory, time_limit_s=None)


def test_a_binding_that_is_gone_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resume, "__version__", "0.1.0")
    effects = {"c": (0.0, 0.0, 1.0), "c-again": (0.0, 0.0, 1.0), "fortran": (0.0, 0.0, 1.0)}
    directory = make_run(tmp_path / "run", blocks=1, ended="interrupted", effects=effects)
    with pytest.raises(UsageError, match="it measures fortran, which polympi does not find now"):
        request_again(directory, time_limit_s=None)


METADATA = {"cpu": {"model": "One"}, "affinity": {"count": 4}, "kernel": {"machine": "x86_64"}}
PACKAGES = ["mpi4py==4.1", "numpy==2.0"]
BEFORE = Environment(metadata=METADATA, stacks={"mpich": StackMetadata(library="MPICH 5", packages=PACKAGES)})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"cpu": {"model": "Two"}}, "the processor was One, and is Two"),
        ({"affinity": {"count": 2}}, "the number of processors that may be used was 4, and is 2"),
        ({"cpu": {"model": None}, "kernel": None}, None),
    ],
)
def test_another_machine_is_found(change: dict, words: str | None) -> None:
    assert machine_difference(BEFORE, Environment(metadata=METADATA | change, stacks=BEFORE.stacks)) == words


@pytest.mark.parametrize(
    ("stacks", "words"),
    [
        ({"mpich": StackMetadata(library="MPICH 6")}, "stack mpich was MPICH 5, and is MPICH 6"),
        ({}, "stack mpich was MPICH 5, and is gone"),
        (
            {"mpich": StackMetadata(library="MPICH 5", packages=["mpi4py==4.2", "numpy==2.0"])},
            "the packages of stack mpich changed (mpi4py==4.1 and mpi4py==4.2)",
        ),
    ],
)
def test_another_stack_is_found(stacks: dict, words: str) -> None:
    assert machine_difference(BEFORE, Environment(metadata=METADATA, stacks=stacks)) == words


@pytest.mark.parametrize("ended", ["complete", "interrupted", "time limit"])
def test_only_a_run_that_ended_by_itself_is_complete(tmp_path: Path, ended: str) -> None:
    directory = make_run(tmp_path / "run", blocks=1, ended=ended)
    assert is_complete(directory) == (ended == "complete")


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_study_goes_on_as_it_was_begun_and_has_its_section(tmp_path: Path, mpich: Stack) -> None:
    profile = STUDIES["modules"].applied_to(FEW_BLOCKS)
    directory = _begin(
        tmp_path / "run", mpich, stop_after=4, profile=profile, study="modules", wanted=["pypar", "pympi"],
        benches=["latency/standard/float64", "latency/standard/array"], sizes=[8, 16, 24, 32],
    )  # fmt: skip
    assert directory.run().study == "modules"
    assert not is_complete(directory)
    again = request_again(directory, time_limit_s=None)
    assert (again.study, again.profile.benches) == ("modules", profile.benches)
    assert again.profile.sizes_of == profile.sizes_of
    assert _go_on(directory).ended == "complete"
    analysis = analyse(directory)
    [section] = study_sections(analysis)
    lines = {name: figures for name, *figures in section.tables[0].lines}
    assert list(lines) == ["C", "pypar", "pympi"]
    assert lines["pympi"][0] == "a new array"
    assert lines["pympi"][4] == "133 µs"  # published
    rows = {row["binding"]: row for row in columns(analysis)}
    assert all(row["latency_ns"] >= 0 and row["inner_product_lines"] > row["hello_lines"] > 0 for row in rows.values())
