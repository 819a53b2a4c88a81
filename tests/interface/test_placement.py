"""Ranks on several machines: collectives go among the ranks of a machine first, and between machines by one of each.

Here all run on one machine, and pretend to be on others (programs/machines.py).
"""

import pytest
from rank_programs import PRELUDE

# The machine of each of five ranks: blocks, in turn, one rank alone, in no order; and whether they share memory.
PLACEMENTS = [("0 0 1 1 1", "0"), ("0 1 0 1 0", "0"), ("0 1 1 1 1", "0"), ("2 0 1 0 2", "0"), ("0 0 1 0 1", "1")]
# Each placement with each program. Who sends to whom is not up to the MPI library, so it is on one of them.
PLACED = [
    (program, *placement, ("mpich", "openmpi")[(number + turn) % 2])
    for turn, placement in enumerate(PLACEMENTS)
    for number, program in enumerate(["pieces", "reductions"])
]


@pytest.mark.sanitize
def test_as_few_messages_as_possible_go_between_machines(run, stack) -> None:
    ended = run("crossings.py", 9, stack, timeout=120, env={"POLYMPI_MAILBOXES": "0"})
    assert ended.succeeded().count("done") == 9, str(ended)


@pytest.mark.parametrize(("program", "machines", "mailboxes", "stack"), PLACED, indirect=["stack"])
@pytest.mark.slow
def test_collectives_give_the_same_wherever_ranks_are(
    run_in_job, stack, program: str, machines: str, mailboxes: str
) -> None:
    env = {"MACHINES": machines, "POLYMPI_MAILBOXES": mailboxes}
    assert run_in_job(f"{program}.py", 5, stack, env=env).count("done") == 5


@pytest.mark.parametrize("machines", ["0 0 1 1", "0 1 1 0"])
@pytest.mark.slow
def test_calls_after_staggered_time_outs_work(run_in_job, stack, machines: str) -> None:
    env = {"MACHINES": machines, "POLYMPI_MAILBOXES": "0"}
    run_in_job("collectives_after_timeouts/staggered.py", 4, stack, env=env)


def test_a_barrier_between_machines_goes_on_meanwhile(run_in_job, stack) -> None:
    script = """
from polympi.native import core
before = core._crossings(c)
for late in range(size):
    barrier = c.ibarrier()
    if rank == late:
        time.sleep(0.05)
    barrier.wait(timeout=30)
assert core._crossings(c) - before == {0: 1, 2: 1}.get(rank, 0) * size
"""
    env = {"MACHINES": "0 0 1 1 1", "POLYMPI_MAILBOXES": "0"}
    run_in_job(PRELUDE + script, 5, stack, env=env)
