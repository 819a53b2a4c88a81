"""Whole runs on real stacks, with short batches; what they must do when a program misbehaves."""

import dataclasses
import os
import re
import time
from pathlib import Path

import msgspec
import polars as pl
import psutil
import pytest
from short_runs import FEW_BLOCKS, SHORT, TEST_BINDINGS, measured, short_request

from polympi.lab.bindings.lines import code_lines
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import problem_bytes
from polympi.lab.errors import BuildError, StackError, UsageError
from polympi.lab.plan.profiles import Profile
from polympi.lab.records import Environment, Level
from polympi.lab.run.asked import record
from polympi.lab.run.experiment import Experiment
from polympi.lab.run.request import prepare
from polympi.lab.run.resume import prepare_again, request_again
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.analysis import analyse

pytestmark = pytest.mark.exclusive


def _lines(path: Path) -> int:
    """How many lines a file has; none if it is not there yet."""
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def _outcomes(directory: RunDirectory, binding: str) -> list[str]:
    return [launch.outcome for launch in directory.launches() if launch.binding == binding]


@pytest.mark.any_library
def test_a_run_measures_every_arm_in_every_block(tmp_path: Path, stack: Stack) -> None:
    asked = {"profile": dataclasses.replace(SHORT, demands=True)}
    benches = ["latency/standard", "allreduce"]
    request = short_request(tmp_path / "run", [stack], ["mpi4py", "mpi4py-object"], benches, **asked)
    directory, outcome = measured(request)
    assert (outcome.ended, outcome.blocks, outcome.withdrawn) == ("complete", {stack.name: 6}, {})
    assert {s.stopped_by for s in outcome.stops} == {"fixed"}
    launches = directory.launches()
    before = [launch.binding for launch in launches if launch.block is None]
    # Two launches choose the iterations, then each makes a trial.
    assert before == ["c", "c", "mpi4py", "mpi4py-object"]
    for block in range(6):
        arms = [launch.binding for launch in launches if launch.block == block]
        assert sorted(arms) == ["c", "c-again", "mpi4py", "mpi4py-object"]
    assert {launch.threads for launch in launches if launch.binding == "c"} == {"single"}
    assert {launch.threads for launch in launches if launch.binding == "mpi4py"} == {"multiple"}
    assert all(launch.ready_ns and launch.pss_bytes for launch in launches)
    lines = directory.run().stacks[0].lines
    assert lines == {name: code_lines(request.bindings[name]) for name in ("c", "c-again", "mpi4py", "mpi4py-object")}
    assert lines["mpi4py"].hello < lines["c"].hello
    assert not (tmp_path / "run" / "launch").exists()
    cases = {(case.benchmark, case.mode, case.payload, case.size_bytes) for case in directory.run().stacks[0].cases}
    recorded = {(d.benchmark, d.mode, d.payload, d.size_bytes) for d in directory.demands() if d.binding == "c"}
    assert recorded == cases
    assert {demand.binding for demand in directory.demands()} == {"c", "mpi4py", "mpi4py-object"}
    summary = analyse(directory).summary
    assert set(summary["verdict"]) <= {
        "reference", "slower", "faster", "ambiguous", "not separated", "no counterpart",
    }  # fmt: skip
    assert {"latency", "allreduce", "startup"} == set(summary["benchmark"])


def test_all_bindings_use_the_same_iterations(tmp_path: Path, mpich: Stack) -> None:
    # No busy moment makes mpi4py four times as slow as C with large messages, so that it would make fewer.
    asked = {"profile": FEW_BLOCKS, "sizes": [32 * 1024, 64 * 1024]}
    directory, _ = measured(short_request(tmp_path / "run", [mpich], ["mpi4py"], ["latency/standard/bytes"], **asked))
    samples = directory.samples().collect()
    for _, rows in samples.group_by("mode", "payload", "size_bytes", "kind"):
        assert rows["iterations"].n_unique() == 1
        assert set(rows["binding"]) == {"c", "c-again", "mpi4py"}


def test_a_binding_of_milliseconds_makes_fewer_iterations(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(tmp_path / "run", [mpich], ["mpi4py"], ["latency/standard/bytes"], profile=FEW_BLOCKS)
    slow = request.bindings["mpi4py"]
    entry = msgspec.structs.replace(slow.entry, most_iterations=3)
    bindings = {**request.bindings, "mpi4py": msgspec.structs.replace(slow, entry=entry)}
    directory, outcome = measured(dataclasses.replace(request, bindings=bindings))
    assert outcome.ended == "complete"
    batches = directory.samples().collect().filter(kind="batch", size_bytes=8)
    assert set(batches.filter(binding="mpi4py")["iterations"]) == {3}
    assert min(batches.filter(binding="c")["iterations"]) > 3
    medians = analyse(directory).launch_medians.filter(size_bytes=8, binding="mpi4py").sort("block")["median_ns"]
    of_blocks = batches.filter(binding="mpi4py").group_by("block").agg(pl.col("time_ns").median()).sort("block")
    assert medians.to_list() == pytest.approx([time / 3 / 2 for time in of_blocks["time_ns"]])  # three round trips


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with a binding that waits for 50 us before each send."""
    text = (TEST_BINDINGS / "c-delayed" / "manifest.toml").read_text()
    folder = tmp_path / "bindings" / "c-slow"
    folder.mkdir(parents=True)
    text = text.replace("c-delayed", "c-slow").replace("DELAY_NS=200", "DELAY_NS=50000")
    (folder / "manifest.toml").write_text(text)
    return folder.parent


@pytest.mark.slow
def test_a_slow_binding_makes_batches_as_long_as_those_of_c_and_the_same_after_it_was_interrupted(
    tmp_path: Path, planted: Path, mpich: Stack
) -> None:
    known = load_bindings([planted])
    request = short_request(
        tmp_path / "run", [mpich], ["c-slow"], ["latency/standard/bytes"], bindings=known, profile=FEW_BLOCKS, sizes=[8]
    )
    launches = tmp_path / "run" / "launches.jsonl"
    directory, outcome = measured(request, lambda: _lines(launches) >= 3 + 3)
    assert (outcome.ended, outcome.blocks) == ("interrupted", {"mpich": 1})
    again = Experiment(
        request, prepare_again(request, directory, Environment()), directory, processors=2, watcher=Watcher()
    )
    assert again.run().ended == "complete"
    batches = directory.samples().collect().filter(kind="batch")
    of_c, slow = (batches.filter(binding=name) for name in ("c", "c-slow"))
    assert slow["iterations"].n_unique() == 1
    assert slow["iterations"][0] < of_c["iterations"][0] / 4
    assert SHORT.batch_ns <= slow["time_ns"].median() <= 3 * SHORT.batch_ns + 200_000
    summary = analyse(directory).summary.filter(benchmark="latency", binding="c-slow")
    assert 50_000 <= summary["median_ns"][0] < 200_000


def test_two_stacks_share_the_time_block_by_block(tmp_path: Path, mpich: Stack, openmpi: Stack) -> None:
    directory, outcome = measured(
        short_request(tmp_path / "run", [mpich, openmpi], ["c"], ["barrier"], profile=FEW_BLOCKS)
    )
    assert outcome.blocks == {"mpich": 3, "openmpi": 3}
    blocks = [launch.block for launch in directory.launches() if launch.block is not None]
    assert blocks == sorted(blocks)
    [row] = {(row.factor, row.level, row.base) for row in analyse(directory).factors}
    assert row == ("stack", "openmpi", "mpich")


NOTHING = Level(factor="setting", name="nothing", environment={"NOBODY_READS_THIS": "1"})
TCP = Level(factor="setting", name="tcp", environment={"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1"})


@pytest.mark.slow
def test_settings_are_interleaved_in_the_blocks_and_only_one_that_does_something_is_found(
    tmp_path: Path, openmpi: Stack
) -> None:
    levels = [Level(), NOTHING, TCP]
    request = short_request(tmp_path / "run", [openmpi], ["c"], ["latency/standard/bytes"], levels=levels)
    launches, calibration = tmp_path / "run" / "launches.jsonl", 2 * 3
    several = calibration + 8  # in the middle of the second block of six launches
    directory, outcome = measured(request, lambda: _lines(launches) >= several)
    assert (outcome.ended, set(outcome.blocks)) == ("interrupted", {"openmpi", "openmpi, nothing", "openmpi, tcp"})
    again = dataclasses.replace(
        request_again(directory, time_limit_s=None), bindings=request.bindings, profile=request.profile
    )
    assert list(again.levels) == levels
    resumed = Experiment(
        again, prepare_again(again, directory, Environment()), directory, processors=2, watcher=Watcher()
    )
    assert resumed.run().ended == "complete"
    made = [launch for launch in directory.launches() if launch.block is not None and launch.outcome == "ok"]
    of_first = [(launch.stack, launch.binding) for launch in made if launch.block == 0]
    assert sorted(of_first) == [(stack, arm) for stack in sorted(outcome.blocks) for arm in ("c", "c-again")]
    assert [stack for stack, _ in of_first] != sorted(stack for stack, _ in of_first)  # not one level after the other
    assert [planned.level for planned in directory.run().stacks] == ["", "nothing", "tcp"]
    rows = {(row.level, row.size_bytes): row for row in analyse(directory).factors if row.benchmark == "latency"}
    assert {rows["tcp", size].verdict for size in (8, 1024)} == {"slower"}
    assert all(rows["tcp", size].ratio > 3 for size in (8, 1024))  # shared memory against the loopback device
    assert {rows["nothing", size].verdict for size in (8, 1024)} <= {"not separated", "ambiguous"}


def test_a_setting_that_no_stack_reads_is_refused_and_one_that_some_read_is_left_out_elsewhere(
    tmp_path: Path, mpich: Stack, openmpi: Stack
) -> None:
    request = short_request(tmp_path / "run", [mpich], ["c"], ["barrier"], levels=[Level(), TCP])
    with pytest.raises(
        UsageError, match="'tcp' would change nothing on the stacks of this run: only another MPI reads"
    ):
        prepare(request)
    plans = prepare(dataclasses.replace(request, stacks=[mpich, openmpi]))
    assert [plan.name for plan in plans] == ["mpich", "openmpi", "openmpi, tcp"]
    assert plans[0].left_out == {"the setting tcp": "only another MPI reads OMPI_MCA_btl, OMPI_MCA_pml"}


@pytest.mark.slow
def test_several_numbers_of_ranks_are_measured_block_by_block(tmp_path: Path, mpich: Stack) -> None:
    sizes, benches = [8, problem_bytes(17, 3)], ["wave/blocking", "latency/standard/bytes"]
    request = short_request(tmp_path / "run", [mpich], ["c"], benches, ranks=[1, 2], sizes=sizes)
    directory, outcome = measured(request)
    assert outcome.blocks == {"mpich, 1 rank": 6, "mpich, 2 ranks": 6}
    made = [launch for launch in directory.launches() if launch.block is not None]
    assert [launch.block for launch in made] == [block for block in range(6) for _ in range(4)]
    assert {launch.stack for launch in made[:2]} != {launch.stack for launch in made[2:4]}
    one, two = directory.run().stacks
    assert (one.installation, one.ranks, two.installation, two.ranks) == ("mpich", 1, "mpich", 2)
    assert {case.benchmark for case in one.cases} == {"wave", "triad"}  # which the wave takes along
    assert {case.benchmark for case in two.cases} == {"wave", "triad", "latency"}
    assert one.left_out == {"latency": "it needs at least 2 ranks"}
    assert two.left_out == {}
    analysis = analyse(directory)
    assert {(row["stack"], row["ranks"]) for row in analysis.summary.iter_rows(named=True)} == {
        ("mpich, 1 rank", 1),
        ("mpich, 2 ranks", 2),
    }
    base, more = (row for row in analysis.scaling if row.benchmark == "wave")
    assert (base.ranks, base.speedup, base.launches) == (1, 1.0, 6)
    assert (more.ranks, more.base_ranks, more.blocks) == (2, 1, 6)
    assert more.speedup_low <= more.speedup <= more.speedup_high
    assert 0 < base.communication < more.communication < 1  # one rank exchanges nothing


@pytest.mark.slow
def test_in_weak_scaling_each_number_of_ranks_has_its_own_problem(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(
        *(tmp_path / "run", [mpich], ["c"], ["wave/blocking", "matmul"]),
        **{"ranks": [1, 2], "sizes": [problem_bytes(17, 3), problem_bytes(32, 2)], "scaling": "weak"},
    )
    directory, outcome = measured(request)
    assert outcome.blocks == {"mpich, 1 rank": 6, "mpich, 2 ranks": 6}
    _, two = directory.run().stacks
    sizes = {case.benchmark: case.size_bytes for case in two.cases}
    wave, product = problem_bytes(21, 3), problem_bytes(40, 2)  # 17 and 32 times the third root of 2
    assert sizes == {"wave": wave, "matmul": product, "triad": wave}
    of_one = dict(zip(("wave", "matmul", "triad"), (*request.sizes, request.sizes[0]), strict=True))
    assert two.grown_from == {name: {size: of_one[name]} for name, size in sizes.items()}
    base, more = (row for row in analyse(directory).scaling if row.benchmark == "wave")
    assert (base.asked_bytes, more.asked_bytes, more.size_bytes) == (8 * 17**3, 8 * 17**3, 8 * 21**3)
    assert (more.weak, more.work, more.blocks) == (True, 21**3 / 17**3, 6)
    assert more.efficiency == pytest.approx(more.speedup / 2)
    assert more.speedup_low <= more.speedup <= more.speedup_high


@pytest.mark.slow
def test_a_wave_takes_along_what_shows_what_memory_allows(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(tmp_path / "run", [mpich], ["mpi4py"], ["wave/blocking"], sizes=[problem_bytes(17, 3)])
    directory, outcome = measured(request)
    assert (outcome.ended, outcome.withdrawn) == ("complete", {})
    [planned] = directory.run().stacks
    assert [(case.benchmark, case.mode, case.size_bytes) for case in planned.cases] == [
        ("wave", "blocking", 8 * 17**3),
        ("triad", "in-place", 8 * 17**3),
    ]
    assert planned.not_covered == {}  # nobody asked mpi4py for a triad
    batches = directory.samples().filter(pl.col("benchmark") == "triad", pl.col("block").is_not_null()).collect()
    assert set(batches["binding"]) == {"c", "c-again"}
    of_c, of_mpi4py = analyse(directory).limits
    assert (of_c.binding, of_mpi4py.binding) == ("c", "mpi4py")
    assert (of_c.blocks, of_c.ranks, of_c.moved_bytes) == (6, 2, 24 * 17**3)
    assert of_c.reached_low <= of_c.reached <= of_c.reached_high
    assert of_mpi4py.reached < of_c.reached < 1  # a step of so few points is mostly messages


def _left_processes() -> list[psutil.Process]:
    """Other processes with this test's environment: what it has started, and no other test that runs beside it."""
    mine = os.environ["PYTEST_CURRENT_TEST"]
    found = psutil.process_iter(["environ"])
    return [p for p in found if p.pid != os.getpid() and (p.info["environ"] or {}).get("PYTEST_CURRENT_TEST") == mine]


FAILING = {
    "c-crashing": ("crashed", "it ended with"),
    "c-hanging": ("timed out", "it was still running after 3 s in case latency"),
    "c-rubbish": ("unreadable", "its output does not follow the protocol"),
}


@pytest.mark.parametrize(
    ("stack", "bindings", "timeout_s"),
    [("mpich", ["c-crashing", "c-hanging"], 3), ("openmpi", ["c-crashing", "c-rubbish"], None)],
    indirect=["stack"],
)
def test_failing_bindings_are_withdrawn_and_the_others_go_on(
    tmp_path: Path, stack: Stack, bindings: list[str], timeout_s: int | None
) -> None:
    asked = {"profile": FEW_BLOCKS, "launch_timeout_s": timeout_s}
    directory, ended = measured(short_request(tmp_path / "run", [stack], bindings, ["latency/standard/bytes"], **asked))
    assert ended.ended == "complete"
    for binding in bindings:
        outcome, words = FAILING[binding]
        failed = [launch for launch in directory.launches() if launch.binding == binding]
        assert [launch.outcome for launch in failed] == [outcome, outcome]
        assert all(words in launch.detail for launch in failed)
        assert words in ended.withdrawn[f"{stack.name}/{binding}"]
    assert _outcomes(directory, "c") == ["ok"] * 5
    assert _outcomes(directory, "c-again") == ["ok"] * 3
    assert not _left_processes()


@pytest.mark.parametrize(("state", "blamed"), [("COMPLETING", False), ("RUNNING", True)])
def test_a_launch_that_ends_with_its_job_is_not_blamed(
    tmp_path: Path, mpich: Stack, monkeypatch: pytest.MonkeyPatch, state: str, blamed: bool
) -> None:
    (tmp_path / "scontrol").write_text(f"#!/bin/sh\necho JobId=$4 JobState={state}\n")
    (tmp_path / "scontrol").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    request = short_request(tmp_path / "run", [mpich], ["c-crashing"], ["latency/standard/bytes"], profile=FEW_BLOCKS)
    directory, ended = measured(request)
    assert (ended.ended, len(ended.withdrawn)) == (("complete", 1) if blamed else ("interrupted", 0))
    assert set(_outcomes(directory, "c-crashing")) == {"crashed" if blamed else "interrupted"}


@pytest.mark.slow
def test_wrong_bytes_are_found_and_not_timed(tmp_path: Path, mpich: Stack) -> None:
    benches = ["latency/standard/bytes", "barrier"]
    directory, _ = measured(short_request(tmp_path / "run", [mpich], ["c-wrong"], benches, profile=FEW_BLOCKS))
    wrong = [launch for launch in directory.launches() if launch.binding == "c-wrong"]
    assert all(len(launch.invalid) == 2 for launch in wrong)
    summary = analyse(directory).summary
    rows = summary.filter(binding="c-wrong", benchmark="latency")
    assert set(rows["verdict"]) == {"invalid"}
    assert set(summary.filter(binding="c-wrong", benchmark="barrier")["launches"]) == {3}


def test_an_interrupted_run_keeps_its_blocks(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(tmp_path / "run", [mpich], ["c"], ["barrier"])

    def after_three_blocks() -> bool:
        path = tmp_path / "run" / "launches.jsonl"
        return _lines(path) >= 2 + 3 * 2

    directory, outcome = measured(request, after_three_blocks)
    assert outcome.ended == "interrupted"
    assert outcome.blocks == {"mpich": 3}
    assert {s.stopped_by for s in outcome.stops} == {"interrupted"}
    analysis = analyse(directory)
    assert analysis.partial
    assert set(analysis.summary.filter(benchmark="barrier")["launches"]) == {3}


@pytest.mark.slow
def test_the_time_limit_ends_a_run_even_within_a_hanging_launch(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(tmp_path / "run", [mpich], ["c-hanging"], ["latency/standard/bytes"], time_limit_s=4.0)
    began = time.monotonic()
    directory, outcome = measured(request)
    assert outcome.ended == "time limit"
    assert time.monotonic() - began < 100
    assert _outcomes(directory, "c-hanging") == ["interrupted"]


def test_precision_stops_rows_before_the_last_block(tmp_path: Path, mpich: Stack) -> None:
    loose: Profile = dataclasses.replace(SHORT, maximum_blocks=8)
    _, outcome = measured(short_request(tmp_path / "run", [mpich], ["c"], ["barrier", "startup"], profile=loose))
    assert outcome.ended == "complete"
    assert {s.stopped_by for s in outcome.stops} <= {"precision", "max-blocks"}
    assert 6 <= outcome.blocks["mpich"] <= 8


def test_startup_alone_needs_no_case(tmp_path: Path, mpich: Stack) -> None:
    request = short_request(tmp_path / "run", [mpich], ["mpi4py"], ["startup"], ranks=[1], profile=FEW_BLOCKS)
    directory, outcome = measured(request)
    assert outcome.blocks == {"mpich": 3}
    rows = analyse(directory).summary.filter(binding="mpi4py", mode="import")
    assert rows["median_ns"][0] > 0
    assert rows["verdict"][0] == "no counterpart"


def test_a_missing_launcher_is_a_sentence(tmp_path: Path, mpich: Stack) -> None:
    import msgspec

    request = short_request(tmp_path / "run", [mpich], ["c"], ["barrier"])
    plans = prepare(request)
    for plan in plans:
        plan.stack = msgspec.structs.replace(plan.stack, mpiexec="/nowhere/mpiexec")
    directory = RunDirectory.create(request.output, record(request, plans), Environment())
    with pytest.raises(StackError, match="/nowhere/mpiexec cannot be started: there is no such file or directory"):
        Experiment(request, plans, directory, processors=2, watcher=Watcher()).run()


def test_requests_that_cannot_be_met_are_refused_before_anything_is_made(tmp_path: Path, mpich: Stack) -> None:
    with pytest.raises(UsageError, match="There is no binding 'mpi5py'"):
        prepare(short_request(tmp_path / "run", [mpich], ["mpi5py"], []))
    with pytest.raises(UsageError, match="There is no host file"):
        prepare(short_request(tmp_path / "run", [mpich], ["c"], [], hostfile=tmp_path / "hosts"))
    with pytest.raises(UsageError, match="exists and results are never overwritten"):
        prepare(short_request(tmp_path, [mpich], ["c"], []))
    with pytest.raises(UsageError, match="not valid UTF-8"):
        prepare(short_request(tmp_path / "bad\udcff", [mpich], ["c"], []))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_manifest_that_starts_another_binding_is_reported(tmp_path: Path, mpich: Stack) -> None:
    manifest = (load_bindings()["c"].folder / "manifest.toml").read_text()
    folder = tmp_path / "bindings" / "mistaken"
    folder.mkdir(parents=True)
    text = manifest.split("[hello]")[0].replace("{folder}", "{bindings}/c")
    text = re.sub(r"timed = \[.*?\]\n", "", text, flags=re.DOTALL)
    text = text.replace('["*.c", "*.h"', '["{bindings}/c/*.c", "{bindings}/c/*.h"')
    text += '[[bindings]]\nname = "mistaken"\nsummary = "x"\ncovers = ["*/*/*"]\n'
    text += 'run = ["{output}/bench", "{plan}", "{samples}", "single", "--name", "c-multiple"]\n'
    (folder / "manifest.toml").write_text(text)
    known = load_bindings([tmp_path / "bindings"])
    request = short_request(tmp_path / "run", [mpich], ["mistaken"], ["barrier"], bindings=known, profile=FEW_BLOCKS)
    directory, outcome = measured(request)
    assert "the program says that it is 'c-multiple'" in outcome.withdrawn["mpich/mistaken"]
    assert _outcomes(directory, "c-again") == ["ok"] * 3


FURTHER = """
name = "{0}"
language = "Tongues"
summary = "x"
[build]
command = {1}
[[bindings]]
name = "{0}"
summary = "x"
run = ["{{python}}", "-c", "import sys; open(sys.argv[2], 'w').write('rubbish\\\\n')", "{{plan}}", "{{samples}}"]
covers = ["*/*/*"]
default = false
"""


@pytest.mark.slow
def test_of_all_bindings_one_that_fails_to_build_or_to_run_costs_its_row_and_nothing_else(
    tmp_path: Path, mpich: Stack
) -> None:
    for name, command in {"unbuilt": '["{mpicc}", "nowhere.c"]', "rubbish": "[]"}.items():
        (tmp_path / "bindings" / name).mkdir(parents=True)
        (tmp_path / "bindings" / name / "manifest.toml").write_text(FURTHER.format(name, command))
    known = load_bindings([tmp_path / "bindings"])
    few = {name: known[name] for name in ("c", "c-again", "unbuilt", "rubbish", "mpi4py")}
    said: list[str] = []
    request = short_request(tmp_path / "run", [mpich], ["all"], ["barrier"], bindings=few, profile=FEW_BLOCKS)
    (plan,) = prepare(request, said.append)
    assert "building unbuilt for mpich" in said
    assert [arm.name for arm in plan.arms] == ["c", "c-again", "rubbish", "mpi4py"]
    assert plan.left_out["unbuilt"].startswith("Binding 'unbuilt' cannot be built for stack 'mpich':")
    directory, outcome = measured(request)
    assert (outcome.ended, outcome.blocks) == ("complete", {"mpich": 3})
    why = "line 1 cannot be read (the first line must be 'polympi-samples 2'): 'rubbish'"
    assert list(outcome.withdrawn) == ["mpich/rubbish"]
    assert why in outcome.withdrawn["mpich/rubbish"]
    assert _outcomes(directory, "mpi4py") == ["ok"] * 4
    with pytest.raises(BuildError, match="Binding 'unbuilt' cannot take part on stack 'mpich'"):
        prepare(dataclasses.replace(request, wanted=["all", "unbuilt"], output=tmp_path / "other"))
