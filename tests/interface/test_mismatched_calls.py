"""Ranks that call different collectives, or name different roots: the ranks that would wait forever learn it."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize

TELLING = "from telling import ROOTED, SPELLED, everyone, last, reported\n"

BY_MESSAGES = {"POLYMPI_MAILBOXES": "0"}
WAYS = [(3, {}), (4, {}), (5, {}), (3, BY_MESSAGES), (5, BY_MESSAGES)]
WAYS += [(5, {**BY_MESSAGES, "MACHINES": machines}) for machines in ("0 0 1 1 1", "0 1 0 1 1")]


MISMATCHES = {
    "ranks that wait for different roots learn it": """
# nobody is root: all wait
assert reported(lambda r: ("bcast", (r + 1) % size)) == everyone
assert reported(lambda r: ("scatter", (r + 1) % size)) == everyone
assert reported(lambda r: ("bcast", 0 if r else 1)) == everyone
# two are: those wait that another one sends to
assert {0, last} <= reported(lambda r: ("gather", last if r == last else 0))
assert reported(lambda r: ("reduce", last if r == last else 0)) == everyone
assert reported(lambda r: ("reduce", 1)) == set()
assert reported(lambda r: ("bcast", last)) == set()
""",
    "ranks that wait in different collectives learn it": """
for odd in {0, 1, last}:
    assert reported(lambda r: ("barrier" if r == odd else "alltoall", 0)) == everyone
    assert reported(lambda r: ("allgather" if r == odd else "barrier", 0)) == everyone
    assert reported(lambda r: ("scan" if r == odd else "allreduce", 0)) == everyone
    assert odd == last or odd in reported(lambda r: ("barrier" if r == odd else "bcast", 0))
assert reported(lambda r: ("gather" if r == 1 else "allreduce", 0)) >= everyone - {1}
""",
}


@pytest.mark.parametrize(("ranks", "env"), WAYS)
@pytest.mark.parametrize("script", MISMATCHES.values(), ids=MISMATCHES)
def test_ranks_that_call_something_else_are_reported(
    run_in_job, stack, ranks: int, env: dict[str, str], script: str
) -> None:
    run_in_job(PRELUDE + TELLING + script, ranks, stack, env=env)


def test_many_ranks_tell_each_other(run, stack, mailboxes) -> None:
    script = """
assert reported(lambda r: ("bcast", (r + 1) % size)) == everyone
assert reported(lambda r: ("barrier" if r == 5 else "allreduce", 0)) == everyone
assert reported(lambda r: ("gather", 3)) == set()
"""
    run(PRELUDE + TELLING + script, 33, stack, timeout=120, env=mailboxes).succeeded()


def test_late_ranks_are_not_accused(run_in_job, stack, mailboxes) -> None:
    script = """
for number, verb in enumerate(SPELLED):
    late = number % size  # each rank in turn, since each verb costs a quarter of a second
    root = late if verb in ROOTED else 0
    if rank == late:
        time.sleep(0.25)  # longer than others wait until they look around
    SPELLED[verb](c, root)
"""
    run_in_job(PRELUDE + TELLING + script, 3, stack, env=mailboxes)


@pytest.mark.one_host  # where they share no memory, neither waits for the other, and nobody sees it
def test_two_roots_that_do_not_wait_are_reported_in_the_next_call(run_in_job, stack) -> None:
    script = """
comm = c.dup()
sentences = []
for call in (lambda: comm.bcast(rank, root=rank), lambda: comm.barrier(timeout=30)):
    try:
        call()
    except mpi.Error as error:
        sentences.append(str(error))
said = " ".join(sentence for of_one in c.allgather(sentences) for sentence in of_one)
assert "called bcast(root=1) where this rank called bcast(root=0)" in said or (
    "called bcast(root=0) where this rank called bcast(root=1)" in said), said
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_a_rank_that_skips_a_call_is_found_at_the_next_one(run_in_job, stack) -> None:
    script = """
comm = c.dup()
calls = [comm.barrier] if rank == 1 else [lambda: comm.bcast("to all"), comm.barrier]
said = []
for call in calls:
    try:
        call()
    except mpi.MismatchError as error:
        said.append(str(error))
        break
assert "bcast(root=0)" in said[0] and "barrier()" in said[0], said
"""
    run_in_job(PRELUDE + script, 2, stack)
