"""Common starts of hosts whose clocks drift: the drift is learned from the comparisons, and only then believed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from c_program import HARNESS
from host_programs import PROGRAMS, told_on_hosts
from hosts import Hosts

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.exclusive]

READING_NS = 1000  # of clocks, and of rounding their figures
LATER_NS = 300_000_000


def drifting(stack: Stack, folder: Path, parts: int) -> Path:
    """The library of the common start with a clock that drifts, and another threshold for believing in the drift."""
    text = (HARNESS / "common_start.c").read_text()
    assert "DRIFT_PARTS = 100000 " in text
    source = folder / "common_start.c"
    source.write_text(text.replace("DRIFT_PARTS = 100000 ", f"DRIFT_PARTS = {parts} "))
    library = folder / "libstart.so"
    command = [stack.mpicc, "-O2", "-std=c11", "-shared", "-fPIC", "-Wl,--wrap=clock_gettime", f"-I{HARNESS}"]
    command += [str(source), str(PROGRAMS / "drifting_clock.c"), "-o", str(library)]
    subprocess.run(command, env=stack.variables(), check=True)
    return library


@pytest.mark.parametrize(
    ("parts", "believed"),
    [
        (100, True),  # as far from this drift, a part in 10, as 100,000 are from a part in 10,000
        (2_000_000_000, False),
    ],
)
@pytest.mark.parametrize("stack", ["mpich"], indirect=True)  # only the clocks decide
def test_starts_stay_together_while_clocks_drift_once_the_drift_is_known(
    hosts: Hosts, stack: Stack, tmp_path: Path, *, parts: int, believed: bool
) -> None:
    library = drifting(stack, tmp_path, parts)
    here, there = told_on_hosts(hosts, stack, tmp_path, "starts_after_comparisons.py", library, "2")
    before, after = here["compared"]
    for start, shown in zip(here["starts"], there["starts"], strict=True):
        apart = shown * 10 // 11 - start
        if believed:  # and known to a part in 100 of the time since the last comparison
            assert abs(apart) <= here["error"] + (start - before) // 100 + READING_NS
        else:
            least, most = (start - after) // 11, (start - before) // 11
            assert least - here["error"] - READING_NS <= abs(apart) <= most + here["error"] + READING_NS
    assert here["starts"][-1] - after > LATER_NS
    assert not hosts.processes_left()
