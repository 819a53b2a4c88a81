"""Launches that are made once more: where the launcher did not start it, and where C times out while it calibrates."""

import os
from pathlib import Path

import msgspec
import pytest
from short_runs import FEW_BLOCKS, measured, short_request

from polympi.lab.errors import StackError
from polympi.lab.run import experiment
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.analysis import analyse

pytestmark = pytest.mark.exclusive

# In place of a launcher: it counts its calls, and in some of them says what Hydra says that does not reach a host.
_LAUNCHER = """#!/bin/sh
echo >>"$0-calls"
[ $(($(wc -l <"$0-calls") %% %d)) %s ] && exec %s "$@"
%s
echo "[mpiexec@here] ui_cmd_cb (pmiserv_pmci.c:51): Launch proxy failed." >&2
exit 255
"""


def _started_by(mpich: Stack, folder: Path, every: int, reaches: str, before: str = ":") -> Stack:
    """A stack of which the launcher reaches its hosts in some of its calls: where such a remainder is left of them."""
    launcher = folder / "mpiexec"
    launcher.write_text(_LAUNCHER % (every, reaches, mpich.mpiexec, before.format(mpiexec=mpich.mpiexec)))
    launcher.chmod(0o755)
    return msgspec.structs.replace(mpich, mpiexec=str(launcher))


def test_a_launch_is_tried_again_where_the_launcher_did_not_reach_a_host(
    tmp_path: Path, mpich: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "BEFORE_A_SECOND_TRY_S", 0.0)
    stack = _started_by(mpich, tmp_path, 3, "-ne 2")
    request = short_request(tmp_path / "run", [stack], ["c"], ["latency/standard/bytes"], profile=FEW_BLOCKS)
    directory, ended = measured(request)
    assert (ended.ended, ended.blocks, ended.withdrawn) == ("complete", {"mpich": 3}, {})
    outcomes = [launch.outcome for launch in directory.launches()]
    assert outcomes == ["ok", "not started", "ok"] * (len(outcomes) // 3)
    counted = analyse(directory).launches
    assert len({(one.block, one.binding) for one in counted if one.outcome == "ok" and one.block is not None}) == 6


@pytest.mark.parametrize(("before", "outcomes"), [(":", ["not started"] * 2), ('{mpiexec} "$@"', ["crashed"])])
def test_a_launch_that_fails_twice_or_after_its_program_began_counts_as_failed(
    tmp_path: Path, mpich: Stack, before: str, outcomes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "BEFORE_A_SECOND_TRY_S", 0.0)
    stack = _started_by(mpich, tmp_path, 1000, "-le 2", before)  # what calibrates, alone
    request = short_request(tmp_path / "run", [stack], ["c"], ["latency/standard/bytes"], profile=FEW_BLOCKS)
    directory, ended = measured(request)
    assert set(ended.withdrawn) >= {"mpich/c"}
    assert [one.outcome for one in directory.launches() if one.binding == "c" and one.block is not None] == 2 * outcomes


_SLEEPER = """#!/bin/sh
echo >>"$0-calls"
[ $(wc -l <"$0-calls") -gt %d ] && exec %s "$@"
exec sleep 60
"""


def _asleep(mpich: Stack, folder: Path, times: int) -> Stack:
    """A stack whose launcher starts nothing in its first calls, and does not end."""
    launcher = folder / "mpiexec"
    launcher.write_text(_SLEEPER % (times, mpich.mpiexec))
    launcher.chmod(0o755)
    return msgspec.structs.replace(mpich, mpiexec=str(launcher))


def test_c_that_timed_out_while_it_calibrates_is_launched_once_more(tmp_path: Path, mpich: Stack) -> None:
    stack = _asleep(mpich, tmp_path, 1)
    request = short_request(
        tmp_path / "run", [stack], ["c"], ["latency/standard/bytes"], profile=FEW_BLOCKS, launch_timeout_s=10
    )
    directory, ended = measured(request)
    assert (ended.ended, ended.blocks) == ("complete", {"mpich": 3})
    assert [launch.outcome for launch in directory.launches()][:3] == ["timed out", "ok", "ok"]


@pytest.mark.parametrize(("load", "words"), [(10.0, ("C is slow", "load 10 on")), (0.0, ("C does not end", "doctor"))])
def test_c_that_times_out_twice_is_called_slow_where_the_machine_is_busy(
    tmp_path: Path, mpich: Stack, monkeypatch: pytest.MonkeyPatch, load: float, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    stack = _asleep(mpich, tmp_path, 2)
    request = short_request(
        tmp_path / "run", [stack], ["c"], ["latency/standard/bytes"], profile=FEW_BLOCKS, launch_timeout_s=1
    )
    with pytest.raises(StackError) as raised:
        measured(request)
    assert all(word in str(raised.value) for word in words)
    assert "--launch-timeout 2m" in str(raised.value)
    assert "does not run" not in str(raised.value)
