"""Ranks on several machines: collectives go among the ranks of a machine first, and between machines by one of each.

Here all run on one machine, and pretend to be on others (`core._pretend_machine`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

PROGRAMS = Path(__file__).parent / "programs"
# The machine of each of five ranks: blocks, in turn, one rank alone, in no order.
PLACEMENTS = ["0 0 1 1 1", "0 1 0 1 0", "0 1 1 1 1", "2 0 1 0 2"]


def test_as_few_messages_as_possible_go_between_machines(run, stack: Stack) -> None:
    ended = run(PROGRAMS / "crossings.py", 9, stack, timeout=120, env={"POLYMPI_MAILBOXES": "0"})
    assert ended.succeeded().count("done") == 9, str(ended)


@pytest.mark.parametrize("machines", PLACEMENTS)
@pytest.mark.parametrize("program", ["pieces", "reductions"])
@pytest.mark.parametrize("mailboxes", ["0", "1"])
def test_collectives_give_the_same_wherever_ranks_are(
    run, stack: Stack, program: str, machines: str, mailboxes: str
) -> None:
    arguments = [program, *machines.split()]
    ended = run(PROGRAMS / "pretending.py", 5, stack, env={"POLYMPI_MAILBOXES": mailboxes}, arguments=arguments)
    assert ended.succeeded().count("done") == 5, str(ended)
