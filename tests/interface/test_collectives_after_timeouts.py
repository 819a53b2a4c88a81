"""What is left of a collective that has timed out: later calls work, and memory stays as long as MPI may write it."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


@pytest.mark.parametrize(("ranks", "mailboxes"), [(3, "1"), (4, "1"), (4, "0")])
def test_calls_after_staggered_time_outs_work(run_in_job, stack, ranks: int, mailboxes: str) -> None:
    run_in_job("collectives_after_timeouts/staggered.py", ranks, stack, env={"POLYMPI_MAILBOXES": mailboxes})


@pytest.mark.one_host  # on several, others than rank 0 need what rank 2 would have made
def test_a_rank_that_waits_for_one_that_has_given_up_learns_it(run_in_job, stack) -> None:
    script = """
comm = c.dup()
if rank == 2:
    with raises(mpi.Timeout, "rank 2 waited 0.1 s in allreduce()"):
        comm.allreduce(rank, timeout=0.1)
in_turn()
if rank == 0:  # needs what rank 2 would have made of the numbers of ranks 2 and 3
    left = "rank 0, allreduce(): rank 2 has left this call before it was complete"
    with raises(mpi.Timeout, left, operation="allreduce"):
        comm.allreduce(rank)
elif rank != 2:  # have had what they needed of it
    assert comm.allreduce(rank) == 6
assert comm.allgather(rank, timeout=30) == [0, 1, 2, 3]
"""
    run_in_job(PRELUDE + script, 4, stack)


# Large messages then arrive only when their sender makes progress, which gives time to look at what is half done.
IN_SEVERAL_STEPS = {
    "OMPI_MCA_smsc": "^cma,xpmem,knem",
    "MPIR_CVAR_CH4_CMA_ENABLE": "0",
    "UCX_TLS": "posix,self",
    "UCX_RNDV_SCHEME": "am",
}


@pytest.mark.one_host  # the library uses nothing but shared memory
def test_memory_stays_while_a_late_piece_comes_into_it(run, stack) -> None:
    run("collectives_after_timeouts/late_piece.py", 2, stack, env=IN_SEVERAL_STEPS).succeeded()


@pytest.mark.one_host  # the library uses nothing but shared memory
def test_pieces_of_a_root_that_has_given_up_still_reach_who_is_late(run_in_job, stack, mailboxes) -> None:
    script = """
rows = np.arange(300_000.0 * size).reshape(size, -1)
mine = rows[rank].copy()
if rank == 0:
    into = np.zeros(300_000)
    with raises(mpi.Timeout, operation="scatter"):
        c.scatter(rows, into=into, timeout=0.2)
    del rows, into
    c.send("given up", 1, 7)
    meanwhile = [np.full((size, 300_000), -1.0) for _ in range(3)]  # not where the pieces still lie
elif rank == 1:
    assert c.recv(0, 7) == "given up"
    assert same(c.scatter(into=np.zeros(300_000), timeout=30), mine)
else:
    assert same(c.scatter(timeout=30)[0], mine)
assert c.allgather(rank, timeout=30) == list(range(size))
"""
    run_in_job(PRELUDE + script, 3, stack, env={**mailboxes, **IN_SEVERAL_STEPS})
