"""A rank that looks for a message again and again waits, whatever it does between two looks but compute."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import Recorded, compiled, record

from polympi.lab.audit.analyse import analyse
from polympi.lab.audit.model import Cause
from polympi.lab.stacks.stack import Stack

LATE_S = 0.5
# Waiting is at least this much of it: the clock's rate must become known first, and where other programs keep the
# processor, a rank that sleeps now and then looks like one that computes.
MOST_S = 0.75 * LATE_S


def clock_rate(one: Recorded) -> float:
    """Ticks per second of a rank's clock."""
    first, last = one.header["first"], one.header["last"]
    return float(last["ticks"] - first["ticks"]) / float(last["ns"] - first["ns"]) * 1e9


@pytest.mark.parametrize("between", ["nothing", "sleeps", "computes"])
def test_time_between_polls_is_waiting_unless_the_rank_computes(stack: Stack, tmp_path: Path, between: str) -> None:
    program = compiled(stack, "polls.c", tmp_path)
    job = record(stack, 2, [str(program), between], tmp_path / "audit")
    assert job.code == 0, job.stderr
    audit = analyse(tmp_path / "audit")
    tested = sum(float(calls.seconds[0]) for calls in audit.calls if calls.procedure == "MPI_Test")
    late = [finding for finding in audit.findings if finding.cause == Cause.LATE_SENDER]
    if between == "computes":  # a test itself may take long on a busy machine, as Open MPI yields in it
        [event] = job.ranks[0].events("MPI_Test")
        assert float(event.values["end"] - event.values["begin"]) / clock_rate(job.ranks[0]) < LATE_S / 4
        assert not any(finding.calls.procedure == "MPI_Test" for finding in late)
    else:
        assert tested > MOST_S
        assert late[0].calls.procedure == "MPI_Test"
        assert late[0].seconds > MOST_S
