"""What a broken-off run has measured is taken in once, block by block, and never made again if it is whole."""

from pathlib import Path

import msgspec
import polars as pl
import pytest
from synthetic import EFFECTS, make_run

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.launch.launcher import Arm, planned_case
from polympi.lab.records import LaunchRecord
from polympi.lab.run.replay import replay
from polympi.lab.run.request import StackPlan
from polympi.lab.run.stack_state import StackState, launches_of_block
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.stopping import StopRule

CASES = [("latency", "standard", "bytes", 8), ("barrier", "standard", "none", 0)]
ARMS = list(EFFECTS)


def _state(directory: RunDirectory, blocks: int = 6) -> StackState:
    """A stack of the synthetic run, with what its directory holds taken in."""
    bindings = load_bindings()
    stack = Stack(name="mpich", family="mpich", origin="wheel", mpiexec="", mpicc="", python="")
    cases = directory.run().stacks[0].cases
    asked = [planned_case(case) for case in cases]
    covered = {name: [case for case in asked if bindings[name].why_not(case) is None] for name in ARMS}
    plan = StackPlan(stack, [Arm(bindings[name], Path()) for name in ARMS], covered, {})
    state = StackState(plan, StopRule(blocks, blocks), seed=1)
    state.begin(dict(enumerate(cases)))
    replay(state, directory, directory.launches())
    return state


def _change(directory: RunDirectory, launch: int, **fields: object) -> None:
    """Rewrite the record of one launch, and its samples with it."""
    path = directory.path / "launches.jsonl"
    records = [msgspec.json.decode(line, type=LaunchRecord) for line in path.read_bytes().splitlines()]
    changed = [msgspec.structs.replace(r, **fields) if r.launch == launch else r for r in records]
    path.write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in changed))
    samples = directory.path / "samples" / f"{launch:06d}.parquet"
    frame = pl.read_parquet(samples)
    known = {name: value for name, value in fields.items() if name in frame.columns}
    frame.with_columns(pl.lit(value, frame.schema[name]).alias(name) for name, value in known.items()).write_parquet(
        samples
    )


def test_a_whole_run_leaves_nothing_open(tmp_path: Path) -> None:
    state = _state(make_run(tmp_path / "run", blocks=6, cases=CASES))
    assert state.done == set(range(6))
    assert not state.open_rows
    assert {stop.stopped_by for stop in state.stops} == {"fixed"}
    differences, _ = state.figures.effects("mpi4py", planned_case(state.cases[0]))
    assert len(differences) == 6


def test_the_rest_of_a_run_that_was_cut_short_is_open(tmp_path: Path) -> None:
    state = _state(make_run(tmp_path / "run", blocks=4, cases=CASES))
    assert state.next_block() == 4
    assert {name for name, _ in state.open_rows} == set(ARMS)
    assert state.attempts[4] == 0


@pytest.mark.parametrize("damage", ["no samples", "damaged samples", "interrupted", "no record"])
def test_a_block_that_lacks_a_launch_is_made_again_as_a_whole(tmp_path: Path, damage: str) -> None:
    directory = make_run(tmp_path / "run", blocks=6, cases=CASES)
    launch = 2 * len(ARMS) + 1
    samples = directory.path / "samples" / f"{launch:06d}.parquet"
    lines = directory.path / "launches.jsonl"
    if damage == "no samples":
        samples.unlink()
    elif damage == "damaged samples":
        samples.write_bytes(samples.read_bytes()[:100])
    elif damage == "interrupted":
        _change(directory, launch, outcome="interrupted")
    else:
        kept = lines.read_bytes().splitlines(keepends=True)
        lines.write_bytes(b"".join(kept[:launch] + kept[launch + 1 :]))
    state = _state(directory)
    assert state.done == {0, 1, 3, 4, 5}
    assert state.next_block() == 2
    assert state.attempts[2] == 1
    assert {part.name for _, part in launches_of_block([state], 2)} == set(ARMS)
    differences, _ = state.figures.effects("mpi4py", planned_case(state.cases[0]))
    assert len(differences) == 5


def test_a_binding_that_was_withdrawn_is_not_missed_and_stays_withdrawn(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=6, cases=CASES)
    arm = ARMS.index("mpi4py")
    for block in (0, 1):
        _change(directory, block * len(ARMS) + arm, outcome="crashed", detail="it ended with code 1")
    path = directory.path / "launches.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for n, line in enumerate(lines) if n < 2 * len(ARMS) or n % len(ARMS) != arm))
    state = _state(directory)
    assert state.done == set(range(6))
    assert "2 launches in a row failed; the last: it ended with code 1" in state.withdrawn["mpi4py"]
    assert not state.open_rows


def test_a_trial_that_failed_counts_as_a_failure(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=6, cases=CASES)
    arm = ARMS.index("mpi4py")
    _change(directory, arm, outcome="crashed", detail="it ended with code 1")
    path = directory.path / "launches.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    trial = msgspec.structs.replace(msgspec.json.decode(lines[arm], type=LaunchRecord), block=None, launch=1000)
    kept = [line for n, line in enumerate(lines) if n == arm or n % len(ARMS) != arm]
    path.write_bytes(msgspec.json.encode(trial) + b"\n" + b"".join(kept))
    state = _state(directory)
    assert state.done == set(range(6))
    assert "mpi4py" in state.withdrawn
    assert state.failures[0] == "mpi4py on mpich, trial: it ended with code 1"


def test_failures_count_in_a_block_that_is_made_again_too(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2, cases=CASES)
    arm = ARMS.index("mpi4py")
    for block in (0, 1):
        _change(directory, block * len(ARMS) + arm, outcome="crashed")
    (directory.path / "samples" / f"{len(ARMS):06d}.parquet").unlink()
    state = _state(directory)
    assert state.done == {0}
    assert "mpi4py" in state.withdrawn


def test_the_last_try_at_a_block_is_taken_in(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2, cases=CASES)
    for n in range(len(ARMS)):
        _change(directory, len(ARMS) + n, block=0, attempt=1)
    state = _state(directory)
    assert state.done == {0}
    assert state.next_block() == 1


def test_a_launch_that_was_tried_again_is_no_failure(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2, cases=CASES)
    path = directory.path / "launches.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    binding = msgspec.json.decode(lines[-1], type=LaunchRecord).binding
    for number, line in enumerate((lines[-1], lines[len(ARMS) - 1])):  # one in each block
        record = msgspec.json.decode(line, type=LaunchRecord)
        twice = msgspec.structs.replace(record, launch=1000 + number, outcome="not started")
        lines.insert(lines.index(line), msgspec.json.encode(twice) + b"\n")
    path.write_bytes(b"".join(lines))
    state = _state(directory)
    assert state.done == {0, 1}
    assert not state.withdrawn
    assert not state.failures
    assert [one.outcome for one in directory.launches() if one.binding == binding] == ["not started", "ok"] * 2
