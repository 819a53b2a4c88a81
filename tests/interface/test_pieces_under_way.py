"""Collectives of pieces that were begun: in flight, next to ranks that block, and at the end of the program."""

import re

import pytest
from hosts import HOSTS
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize

CALLS = """
def begin_all(value):
    pieces = [value] * size
    return c.igather(value, 1), c.iscatter(pieces if rank == 1 else None, 1), c.iallgather(value), c.ialltoall(pieces)
"""


@pytest.mark.parametrize("machines", ["", "0 1 0 1"], ids=["one machine", "two machines"])
def test_pieces_come_while_their_rank_does_something_else(run_in_job, stack, mailboxes, machines: str) -> None:
    env = {**mailboxes, "MACHINES": machines}
    assert run_in_job("pieces_under_way.py", 4, stack, env=env).count("done") == 4


@pytest.mark.parametrize("seconds", ["0.2", "2.5"])
def test_a_rank_at_its_end_goes_on_with_what_it_has_begun(run, stack, mailboxes, seconds: str) -> None:
    # After a second the interpreter of rank 0 is gone.
    script = """
twin, value = c.dup(), np.full(30_000, rank)
if rank == 0:
    pending = twin.ibarrier(), begin_all(value)
else:
    time.sleep(float(sys.argv[1]))
    twin.barrier()
    gathered = c.gather(value, 1)
    assert rank != 1 or [int(piece[-1]) for piece in gathered] == list(range(size))
    assert same(c.scatter([value] * size if rank == 1 else None, 1), np.full(30_000, 1))
    assert [int(piece[-1]) for piece in c.allgather(value)] == list(range(size))
    assert [int(piece[-1]) for piece in c.alltoall([value] * size)] == list(range(size))
    print("through")
"""
    ended = run(PRELUDE + CALLS + script, 3, stack, env=mailboxes, arguments=[seconds])
    assert ended.succeeded().split() == ["through"] * 2
    if float(seconds) > 1:
        # A network may have taken the piece of gather() at once.
        calls = r"\w+\(\) and [34]" if HOSTS > 1 else r"\w+\(\) and 4"
        assert re.fullmatch(rf"\[rank 0\] waits for all ranks to call ({calls}) more\n", ended.stderr), ended.stderr
