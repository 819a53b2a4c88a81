"""Third-party tools in the blocks of a run, on real stacks."""

import ctypes
import dataclasses
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from short_runs import FEW_BLOCKS, Counting, measured, short_request

from polympi.lab.errors import BuildError, UsageError
from polympi.lab.launch.launcher import Place, Setting
from polympi.lab.records import Environment, Outcome
from polympi.lab.run import experiment
from polympi.lab.run.experiment import Experiment
from polympi.lab.run.request import Request, check, prepare
from polympi.lab.run.resume import prepare_again, request_again
from polympi.lab.run.stopped import Interrupted
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.analysis import analyse
from polympi.lab.tools.launch import _small_pages, launch_tool

SOURCE = Path(__file__).parents[1] / "tools" / "osu_latency.c"
pytestmark = pytest.mark.exclusive


@pytest.fixture
def request_on(tmp_path: Path, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Request]:
    monkeypatch.setenv("POLYMPI_TOOLS", str(tmp_path / "tools"))
    (tmp_path / "tools").mkdir()
    program = tmp_path / "tools" / "osu_latency"
    subprocess.run([stack.mpicc, "-o", program, SOURCE], check=True, env=stack.variables())

    def request(**changes: object) -> Request:
        asked: dict[str, Any] = {
            "wanted": ["c"],
            "benches": ["latency/standard/bytes", "barrier"],
            "sizes": [0, 5, 8, 1024],
        }
        asked |= {"profile": FEW_BLOCKS, "tools": ["osu_latency"], **changes}
        return short_request(tmp_path / "run", [stack], **asked)

    return request


def _run(request: Request, stop_after: int = 10**6) -> tuple[RunDirectory, Outcome]:
    watcher = Counting()
    return measured(request, lambda: watcher.begun > stop_after, watcher)


def test_a_tool_is_launched_once_a_block_beside_c(request_on: Callable[..., Request], stack: Stack) -> None:
    directory, outcome = _run(request_on())
    assert (outcome.ended, outcome.withdrawn) == ("complete", {})
    launches = directory.tool_launches()
    assert [(one.block, one.outcome, one.detail) for one in launches] == [(n, "ok", "") for n in range(3)]
    assert directory.run().stacks[0].tools == ["osu_latency"]
    for one in launches:
        positions = [launch.position for launch in directory.launches() if launch.block == one.block]
        assert sorted([*positions, one.position]) == [0, 1, 2]
        assert {figure.size_bytes: figure.time_ns for figure in one.figures} == {8: 508.0, 1024: 1524.0}
        assert one.commands[0][-2:] == ["-m", "8:1024"]
    analysis = analyse(directory)
    assert [(row.stack, row.tool, row.size_bytes, row.blocks) for row in analysis.tools] == [
        (stack.name, "osu_latency", 8, 3),
        (stack.name, "osu_latency", 1024, 3),
    ]
    assert analysis.tools[0].ratio == pytest.approx(508.0 / analysis.tools[0].c_ns, rel=0.5)
    assert set(analysis.summary["binding"]) == {"c", "c-again"}  # it is no arm


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_a_tool_that_keeps_failing_is_withdrawn_and_the_run_goes_on(
    request_on: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOL", "fails")
    directory, outcome = _run(request_on())
    assert outcome.ended == "complete"
    assert "it ended with " in outcome.withdrawn["mpich/osu_latency"]
    assert ["it ended with " in one.detail for one in directory.tool_launches()] == [True, True]
    assert {one.outcome for one in directory.launches()} == {"ok"}


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_a_launch_says_how_a_tool_has_failed(
    request_on: Callable[..., Request], stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [plan] = prepare(request_on())
    setting = Setting(ranks=2, hostfile=None, processors=2, folder=tmp_path)
    for way, timeout_s, outcome, words in (
        ("is silent", 60, "unreadable", "it ended well, but gave no figures"),
        ("hangs", 3, "timed out", "it was still running after 3 s and was ended"),
    ):
        monkeypatch.setenv("TOOL", way)
        launched = launch_tool(Place(0, 0), plan.tools[0], stack, [8], setting, timeout_s=timeout_s)
        assert (launched.outcome, launched.detail, launched.figures) == (outcome, words, [])


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_a_tool_that_ends_because_all_stops_is_not_blamed(
    request_on: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOL", "fails")
    monkeypatch.setattr(experiment, "stopped_from_outside", lambda *_: Interrupted("the job of Slurm has ended"))
    directory, outcome = _run(request_on())
    assert (outcome.ended, outcome.withdrawn) == ("interrupted", {})
    assert directory.tool_launches() == []


@pytest.mark.parametrize("forbidden", [0, 1])
def test_whether_huge_pages_are_forbidden_is_as_before(forbidden: int) -> None:
    prctl = ctypes.CDLL(None).prctl
    try:
        prctl(41, forbidden, 0, 0, 0)
        with _small_pages():
            assert prctl(42, 0, 0, 0, 0) == 1
        assert prctl(42, 0, 0, 0, 0) == forbidden
    finally:
        prctl(41, 0, 0, 0, 0)


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_a_run_that_was_broken_off_goes_on_with_its_tools(request_on: Callable[..., Request]) -> None:
    directory, outcome = _run(request_on(), stop_after=7)  # two of calibration, a block of three, and some
    assert outcome.ended == "interrupted"
    with (directory.path / "tools.jsonl").open("ab") as stream:
        stream.write(b'{"cut off')
    request = request_again(directory, time_limit_s=None)
    plans = prepare_again(request, directory, Environment())
    assert [found.name for found in plans[0].tools] == ["osu_latency"]
    directory.begin_again("now")
    assert Experiment(request, plans, directory, processors=2, watcher=Watcher()).run().ended == "complete"
    assert sorted(one.block for one in directory.tool_launches()) == [0, 1, 2]
    assert directory.damaged_files() == ["tools.jsonl"]
    assert analyse(directory).tools[0].blocks == 3


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_what_cannot_take_part_is_reported_before_anything_is_measured(
    request_on: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        UsageError, match=r"There is no tool 'osu_latenci': choose NetPIPE, .* Did you mean 'osu_latency'"
    ):
        check(request_on(tools=["osu_latenci"]))
    with pytest.raises(
        BuildError, match=r"The tool 'osu_latency' cannot take part .* it takes 2 ranks, and --ranks is 3"
    ):
        prepare(request_on(ranks=[3]))
    with pytest.raises(
        UsageError, match=r"with several numbers of ranks, tools run with 2 of them, and --ranks 1,4 has"
    ):
        check(request_on(ranks=[1, 4], benches=["wave"]))
    with pytest.raises(BuildError, match="it measures latency/standard/bytes, of which this run has no size"):
        prepare(request_on(sizes=[0, 5]))
    monkeypatch.setenv("POLYMPI_TOOLS", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BuildError, match=r"it is not on PATH or in .POLYMPI_TOOLS: build OSU"):
        prepare(request_on())
    [plan] = prepare(request_on(tools=["all"]))
    assert plan.tools == []
    assert set(plan.left_out) == {"NetPIPE", "osu_latency", "osu_bw", "osu_bibw", "osu_allreduce", "IMB-PingPong"}


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_tools_take_part_with_all_bindings_unless_none_is_wanted(request_on: Callable[..., Request]) -> None:
    def tools(**changes: object) -> list[str]:
        with_all = request_on(wanted=["all"], **changes)
        bindings = {name: with_all.bindings[name] for name in ("c", "c-again")}
        [plan] = prepare(dataclasses.replace(with_all, bindings=bindings))
        assert plan.left_out == {}
        return [found.name for found in plan.tools]

    assert tools(tools=None) == ["osu_latency"]
    assert tools(tools=["none"]) == []
    [plan] = prepare(request_on(tools=None))
    assert plan.tools == []


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_with_several_numbers_of_ranks_a_tool_runs_with_two_of_them(request_on: Callable[..., Request]) -> None:
    two, three = prepare(request_on(ranks=[2, 3]))
    assert [found.name for found in two.tools] == ["osu_latency"]
    assert three.tools == []
    assert three.left_out == {"osu_latency": "with several numbers of ranks, tools run with 2 of them"}
