"""The common start where it is not at home: hosts with different clocks, and ranks that die or stop."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from c_program import compile_with_reference
from host_programs import PROGRAMS, told_on_hosts
from hosts import Hosts

from polympi.lab.bindings.build import build
from polympi.lab.bindings.harness import start_library
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.launch.host_clock import HostClocks
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack
from polympi.lab.survey.reach import way_to

pytestmark = [pytest.mark.system, pytest.mark.exclusive]

PROCESSORS = len(os.sched_getaffinity(0))
COUNTS = {"warmup": 1, "batches": 2, "iterations": 3, "events": 9}
CASES = {
    number: PlannedCase(benchmark=benchmark, mode="standard", payload=payload, size_bytes=size, **COUNTS)
    for number, (benchmark, payload, size) in enumerate(
        [
            ("barrier", "none", 0),
            ("bcast", "bytes", 8),
            ("latency", "bytes", 8),
            ("allreduce", "float64", 1024),
            ("reduce", "float64", 8),
            ("alltoall", "bytes", 65536),
        ]
    )
}
FATE = PROGRAMS / "fate.c"
ONE_LIBRARY = pytest.mark.parametrize("stack", ["mpich"], indirect=True)  # of what only the clocks decide


def launched_on(
    hosts: Hosts | None,
    stack: Stack,
    arm: Arm,
    folder: Path,
    *,
    timeout_s: float = 300,
    clocks: HostClocks | None = None,
    backwards: bool = False,
) -> Launched:
    """A launch of all cases on two ranks, here or one on each host, rank 0 on the first or, backwards, the second."""
    setting = Setting(2, None, PROCESSORS, folder, clocks=clocks)
    if hosts is not None:
        hostfile = hosts.hostfile(stack.family, 1, backwards=backwards)
        setting = replace(setting, hostfile=hostfile, cluster=hosts.cluster)
    launched = launch(Place(0, 0), arm, stack, CASES, setting, timeout_s=timeout_s)
    if "A daemon failed to report back" in launched.record.stderr_tail:
        # Beside other work, one in a hundred launches of Open MPI 5.0.11 on two hosts, whatever it launches.
        launched = launch(Place(0, 0), arm, stack, CASES, setting, timeout_s=timeout_s)
    return launched


def right_error(error_ns: int, hosts: Hosts) -> bool:
    """Clocks are compared where hosts have their own, which is never exact; hosts of one machine share its clock."""
    return 0 < error_ns < 10_000_000 if hosts.ahead_s else error_ns == 0


@pytest.mark.parametrize("clocks", ["hosts", "hosts_of_two_times"])
def test_ranks_of_several_hosts_start_together_whatever_their_clocks_show(
    request: pytest.FixtureRequest, stack: Stack, tmp_path: Path, clocks: str
) -> None:
    hosts: Hosts = request.getfixturevalue(clocks)
    here, there = told_on_hosts(hosts, stack, tmp_path, "starts.py", start_library(stack))
    for (error, starts), (told_there, starts_there) in zip(here, there, strict=True):
        assert error == told_there
        assert right_error(error, hosts)
        for one, other in zip(starts, starts_there, strict=True):
            assert abs(other - one - hosts.ahead_s * 10**9) <= error + 1000
        assert all(later > earlier + 1_900_000 for earlier, later in pairwise(starts))


@pytest.mark.parametrize(
    ("clocks", "cpu", "oversubscribed"),
    [
        ("hosts", str(min(os.sched_getaffinity(0))), True),
        ("hosts", "any", False),
        ("hosts_of_two_times", str(min(os.sched_getaffinity(0))), False),  # as if they were two machines
    ],
)
@pytest.mark.skipif(PROCESSORS < 2, reason="needs two CPUs")
@ONE_LIBRARY
def test_hosts_of_one_machine_share_its_cpus(
    request: pytest.FixtureRequest, stack: Stack, tmp_path: Path, *, clocks: str, cpu: str, oversubscribed: bool
) -> None:
    hosts: Hosts = request.getfixturevalue(clocks)
    told = told_on_hosts(hosts, stack, tmp_path, "oversubscribed.py", start_library(stack), cpu)
    for is_oversubscribed, repeated, after in told:
        assert bool(is_oversubscribed) == oversubscribed
        assert (repeated == 0) == oversubscribed  # a late rank makes all begin again, unless nobody can be in time
        assert (after == 10) == oversubscribed  # then the start is agreed on after the calls before it


@pytest.mark.parametrize("name", ["c", "mpi4py"])  # the harness in C, and the one in Python
def test_collectives_take_as_long_whatever_the_clocks_of_the_hosts_show(
    hosts: Hosts, hosts_of_two_times: Hosts, stack: Stack, name: str, tmp_path: Path
) -> None:
    binding = load_bindings()[name]
    arm = Arm(binding, build(binding, stack))
    shortest: list[list[int]] = []
    for pair in (hosts, hosts_of_two_times):
        launched = launched_on(pair, stack, arm, tmp_path)
        record, samples = launched.record, launched.samples
        assert record.outcome == "ok", f"{record.detail}\n{record.stderr_tail}"
        assert samples.valid == set(CASES)
        assert (record.host, record.ranks) == ("hosta", 2)
        assert 0 < record.ready_ns < record.wall_ns  # the first host has this machine's clock
        assert right_error(record.clock_error_ns, pair)
        assert 0 < record.start_cost_ns < 1_000_000
        assert launched.frame["time_ns"].min() > 0
        shortest.append([min(samples.events[number]) for number in CASES])
        assert not pair.processes_left()
    # What other work on the machine adds does not matter here: clocks taken for one another would add hours.
    for case, one, other in zip(CASES.values(), *shortest, strict=True):
        assert abs(one - other) < 50_000_000, (case, one, other)


@pytest.mark.parametrize("name", ["c", "mpi4py"])
@ONE_LIBRARY
def test_the_start_is_known_where_rank_0_has_another_clock(
    hosts_of_two_times: Hosts, stack: Stack, name: str, tmp_path: Path
) -> None:
    hosts = hosts_of_two_times
    binding = load_bindings()[name]
    arm = Arm(binding, build(binding, stack))
    with HostClocks([], lambda: way_to(hosts.cluster, None)) as clocks:
        for launch_number in range(2):  # its clock is compared after the first launch, and before and after the second
            before = time.monotonic_ns()
            launched = launched_on(hosts, stack, arm, tmp_path, clocks=clocks, backwards=True)
            after = time.monotonic_ns()
            record = launched.record
            assert (record.outcome, record.host) == ("ok", "hostb"), f"{record.detail}\n{record.stderr_tail}"
            assert record.ready_ns is not None
            assert 0 < record.ready_error_ns < record.wall_ns
            assert 0 < record.ready_ns < record.wall_ns + record.ready_error_ns
            started = launched.samples.ready_ns - hosts.ahead_s * 10**9 - record.ready_ns
            assert before - record.ready_error_ns <= started <= after - record.wall_ns + record.ready_error_ns, (
                launch_number
            )


@pytest.mark.parametrize("backwards", [False, True])
@ONE_LIBRARY
def test_a_rank_that_starts_late_on_a_host_with_another_clock_makes_the_start_late(
    hosts_of_two_times: Hosts, stack: Stack, tmp_path: Path, *, backwards: bool
) -> None:
    hosts = hosts_of_two_times
    late = compile_with_reference(stack, tmp_path, PROGRAMS / "late.c", '-DLATE="hostb"')
    late.rename(tmp_path / "bench")
    with HostClocks([], lambda: way_to(hosts.cluster, None)) as clocks:
        arm = Arm(load_bindings()["c"], tmp_path)
        record = launched_on(hosts, stack, arm, tmp_path, clocks=clocks, backwards=backwards).record
    assert record.outcome == "ok", f"{record.detail}\n{record.stderr_tail}"
    assert record.ready_ns is not None
    assert 500_000_000 - record.ready_error_ns < record.ready_ns < record.wall_ns + record.ready_error_ns


@ONE_LIBRARY
def test_the_latest_moment_of_all_ranks_is_told_on_the_clock_of_rank_0(
    hosts_of_two_times: Hosts, stack: Stack, tmp_path: Path
) -> None:
    hosts = hosts_of_two_times
    here, there = told_on_hosts(hosts, stack, tmp_path, "latest.py", start_library(stack))
    assert here["latest"] == there["latest"]
    assert abs(there["given"] - hosts.ahead_s * 10**9 - here["latest"]) <= here["error"] + 1000


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGSTOP"])
@pytest.mark.parametrize(("before", "on_hosts"), [(0, False), (1, False), (0, True)])
def test_a_rank_that_dies_or_stops_about_a_common_start_ends_the_launch(
    request: pytest.FixtureRequest, stack: Stack, tmp_path: Path, *, signal: str, before: int, on_hosts: bool
) -> None:
    wraps = "-Wl,--wrap=common_start_wait,--wrap=common_start_next_case"
    program = compile_with_reference(stack, tmp_path, FATE, wraps, f"-DSIGNAL={signal}", f"-DBEFORE={before}")
    program.rename(tmp_path / "bench")
    hosts: Hosts | None = request.getfixturevalue("hosts") if on_hosts else None
    arm = Arm(load_bindings()["c"], tmp_path)
    timeout_s = 2 if signal == "SIGSTOP" else 300
    began = time.monotonic()
    record = launched_on(hosts, stack, arm, tmp_path, timeout_s=timeout_s).record
    if signal == "SIGSTOP":
        assert record.outcome == "timed out", f"{record.detail}\n{record.stderr_tail}"
        # A launcher that is ended may wake the rank up first, which then gets on to other cases.
        assert re.fullmatch(r"it was still running after 2 s( in case \S+)? and was ended", record.detail)
    else:
        assert record.outcome == "crashed", f"{record.detail}\n{record.stderr_tail}"
        assert record.detail.startswith("it ended with ")
        assert record.detail.endswith(" in case bcast/standard/bytes/8")
    assert time.monotonic() - began < 100
    assert not left_running(tmp_path)
    assert hosts is None or not hosts.processes_left()


def left_running(folder: Path) -> list[str]:
    """Command lines of processes that run a program of this folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in str((process / "exe").readlink()):
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found
