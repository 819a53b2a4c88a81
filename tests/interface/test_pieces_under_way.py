"""Collectives of pieces that were begun: in flight, next to ranks that block, and at the end of the program."""

import re
from pathlib import Path

import pytest
from hosts import HOSTS
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.sanitize

PROGRAMS = Path(__file__).parent / "programs"
WAYS = pytest.mark.parametrize("mailboxes", ["1", "0"], ids=["memory", "messages"])

CALLS = """
from polympi.native import core

def begin_all(value):
    pieces = [value] * size
    given = {"gather": value, "scatter": pieces if rank == 1 else None, "allgather": value, "alltoall": pieces}
    return [core._start_call(c, operation, given[operation], 1, None) for operation in given]
"""


@WAYS
@pytest.mark.parametrize("machines", ["", "0 1 0 1"], ids=["one machine", "two machines"])
def test_pieces_come_while_their_rank_does_something_else(
    run_in_job, stack: Stack, mailboxes: str, machines: str
) -> None:
    env = {"POLYMPI_MAILBOXES": mailboxes, "MACHINES": machines}
    assert run_in_job(PROGRAMS / "pieces_under_way.py", 4, stack, env=env).count("done") == 4


@WAYS
@pytest.mark.parametrize("seconds", ["0.2", "2.5"])
def test_a_rank_at_its_end_still_gives_and_takes_pieces(run, stack: Stack, mailboxes: str, seconds: str) -> None:
    # After a second the interpreter of rank 0 is gone.
    script = """
value = np.full(30_000, rank)
if rank == 0:
    begin_all(value)
else:
    time.sleep(float(sys.argv[1]))
    gathered = c.gather(value, 1)
    assert rank != 1 or [int(piece[-1]) for piece in gathered] == list(range(size))
    assert same(c.scatter([value] * size if rank == 1 else None, 1), np.full(30_000, 1))
    assert [int(piece[-1]) for piece in c.allgather(value)] == list(range(size))
    assert [int(piece[-1]) for piece in c.alltoall([value] * size)] == list(range(size))
    print("through")
"""
    env = {"POLYMPI_MAILBOXES": mailboxes}
    ended = run(PRELUDE + CALLS + script, 3, stack, env=env, arguments=[seconds])
    assert ended.succeeded().split() == ["through"] * 2
    if float(seconds) > 1:
        # A network may have taken the piece of gather() at once.
        calls = r"gather\(\) and 3|scatter\(\) and 2" if HOSTS > 1 else r"gather\(\) and 3"
        assert re.fullmatch(rf"\[rank 0\] waits for all ranks to call ({calls}) more\n", ended.stderr), ended.stderr


@WAYS
def test_pieces_that_not_all_ranks_give_are_reported_at_the_end(run, stack: Stack, mailboxes: str) -> None:
    script = """
if rank == 0:
    begin_all(np.full(30_000, rank))
"""
    ended = run(PRELUDE + CALLS + script, 2, stack, env={"POLYMPI_MAILBOXES": mailboxes})
    assert ended.exit_code == 1, str(ended)
    assert "[rank 0] allgather() was never called by all ranks" in ended.stderr.splitlines()
