"""What tests on two hosts share: Python programs of two ranks, one on each host, which say what they saw."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hosts import Hosts

from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

PROGRAMS = Path(__file__).parent / "programs"
PROCESSORS = len(os.sched_getaffinity(0))


def told_on_hosts(hosts: Hosts, stack: Stack, folder: Path, program: str, *arguments: Path | str) -> Any:
    """Run a program of :data:`PROGRAMS` on the hosts; its last line, which is JSON: a list with an item a rank."""
    command = [stack.python, str(PROGRAMS / program), *map(str, arguments)]
    hostfile = hosts.hostfile(stack.family, 1)
    ended = run_tree(
        mpiexec_command(stack, 2, command, processors=PROCESSORS, hostfile=hostfile, cluster=hosts.cluster),
        environment=stack.variables(),
        timeout_s=300,
        output=folder / "output",
    )
    assert ended.exit_code == 0, ended.tail
    return json.loads((folder / "output").read_text().splitlines()[-1])
