"""How the recorder compares the clocks of hosts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hosts import Hosts
from recorded import TIMEOUT_S, Recorded, compiled, recorded

from polympi.lab.audit.recorder import recorder_variables
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack


@pytest.mark.system
def test_the_clocks_of_two_hosts_are_compared_at_both_ends(
    hosts_of_two_times: Hosts, stack: Stack, tmp_path: Path
) -> None:
    hosts, folder = hosts_of_two_times, tmp_path / "audit"
    folder.mkdir()
    given = [f"{name}={value}" for name, value in recorder_variables(folder).items()]
    program = ["env", *given, str(compiled(stack, "clocks.c", tmp_path))]
    file = hosts.hostfile(stack.family, 2)
    command = mpiexec_command(stack, 3, program, processors=2, hostfile=file, cluster=hosts.cluster)
    done = subprocess.run(
        command,
        env={**stack.variables(), **hosts.cluster.variables(stack.family)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ranks: list[Recorded] = recorded(folder)
    assert [one.header["host"] for one in ranks] == [b"hosta", b"hosta", b"hostb"]
    assert [list(one.header["offset_ns"]) for one in ranks[:2]] == [[0, 0], [0, 0]]
    ahead = hosts.ahead_s * 1_000_000_000
    for offset, error in zip(ranks[2].header["offset_ns"], ranks[2].header["error_ns"], strict=True):
        assert 0 < error < 1_000_000_000
        assert abs(offset + ahead) <= error
