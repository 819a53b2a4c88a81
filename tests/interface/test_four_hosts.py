"""Many ranks on four hosts: collectives in two levels, and a ring of 80 ranks, the size of published measurements."""

import pytest
from hosts import NAMES
from rank_programs import PRELUDE

pytestmark = [pytest.mark.system, pytest.mark.exclusive]

EACH, LAPS = 20, 5
# Open MPI does not know that hosts with slots for all their ranks share two processors, and would spin at its start.
YIELD = {"OMPI_MCA_mpi_yield_when_idle": "1"}


def test_a_ring_of_80_ranks_goes_over_four_hosts(run_on_four_hosts, stack) -> None:
    # With the search for networks that other tests leave out (conftest.py), as a user's ranks start.
    env = {**YIELD, "OMPI_MCA_mtl": "^none"}
    ended = run_on_four_hosts("ring.py", EACH, stack, timeout=240, env=env, arguments=[str(LAPS)])
    assert ended.succeeded().split("\n")[:-1] == [f"{name} {EACH}" for name in NAMES]


def test_mailboxes_are_within_a_host_and_messages_between_hosts_are_few(run_on_four_hosts, stack) -> None:
    script = """
from polympi.native import core
names = c.allgather(os.uname().nodename)
assert core._neighbours(c) == [r for r in range(size) if names[r] == names[rank]]
assert size == 8 and len(set(names)) == 4
def sent(call):
    before = core._crossings(c)
    call()
    return sum(c.allgather(core._crossings(c) - before))
assert sent(lambda: c.bcast(rank, 3)) == 3
assert sent(lambda: c.gather(rank, 6)) == 3
assert sent(c.barrier) == 4 * 2
assert sent(lambda: c.allreduce(1.5)) == 4 * 2
assert c.allreduce(rank) == 28
with c.split(None if rank == 5 else 0) or contextlib.nullcontext() as seven:  # one host has one rank of it
    if seven:
        assert seven.allreduce([rank]) == [r for r in range(8) if r != 5]
        assert seven.scan(rank) == sum(r for r in range(rank + 1) if r != 5)
"""
    run_on_four_hosts(PRELUDE + script, 2, stack).succeeded()


def test_every_call_of_many_ranks_on_four_hosts(run_on_four_hosts, stack) -> None:
    ended = run_on_four_hosts("many.py", 4, stack, timeout=240, env=YIELD)
    assert ended.succeeded().count("done") == 16
