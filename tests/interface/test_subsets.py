"""`subset`: a communicator that only its members make, and how the members learn that one of them won't."""

import pytest
from rank_programs import PRELUDE, Case, cases, on_ranks

pytestmark = pytest.mark.sanitize

MADE = {
    4: {
        "only members call it": """
if rank in (0, 2, 3):
    with c.subset([3, 0, 2]) as some:
        assert type(some) is mpi.Communicator
        assert (some.size, [3, 0, 2][some.rank]) == (3, rank)
        assert some.allgather(rank) == [3, 0, 2]
        if rank != 0:
            with some.subset(iter([2, 0])) as fewer:  # of a subset, by its own ranks
                assert fewer.allgather(rank) == [2, 3]
else:
    with raises(mpi.RankError, "ranks doesn't have this rank: only the ranks in it", operation="subset", rank=1):
        c.subset([3, 0, 2])
in_turn()
""",
        "messages of a subset are its own": """
if rank < 2:
    with c.subset((0, 1)) as pair:
        twice = [pair.isend("pair", other), c.isend("all", other)]
        assert c.recv(other) == "all" and pair.recv() == "pair"
        mpi.wait_all(twice)
in_turn()
""",
        "many subsets that overlap are made one after another": """
chance = random.Random(5)
for turn in range(60):
    members = chance.sample(range(size), chance.randint(1, size))
    if rank in members:
        time.sleep(chance.random() * 1e-4)
        with c.subset(members) as some:
            assert some.allreduce(rank) == sum(members)
    else:
        chance.random()
in_turn()
""",
        "a subset of a mesh has no neighbours": """
with c.cart(ndim=2) as cart:
    if cart.rank in (0, 3):
        with cart.subset([0, 3]) as ends:
            assert type(ends) is mpi.Communicator and ends.allreduce(1) == 2
in_turn()
""",
        "members that cross learn of it, and may try again": """
for mine, theirs in ([0, 1, 2], [1, 0, 3]), ([0, 1], [1, 0]), ([0, 1], [0, 1, 3]):
    if rank < 2:
        here, there = (mine, theirs) if rank == 0 else (theirs, mine)
        said = f"rank {other} called subset({there}) where this rank called subset({here}): ranks in both must"
        with raises(mpi.MismatchError, said, operation="subset", peer=other, rank=rank):
            c.subset(here)
        for again in mine, theirs:
            if not {2, 3} & set(again):
                c.subset(again).free()
        c.subset([1, 0] if mine == [0, 1] else [0, 1]).free()
in_turn()
""",
        "three members that cross, of which two see it": """
from contextlib import suppress
order = {0: [[0, 1, 2], [0, 2]], 1: [[0, 1, 2]], 2: [[0, 2], [0, 1, 2]]}.get(rank, [])
failed = []
for members in order[:1]:
    try:
        c.subset(members)
    except mpi.Error as error:
        failed.append(type(error))
assert failed == {0: [mpi.MismatchError], 1: [mpi.Error], 2: [mpi.MismatchError]}.get(rank, []), failed
in_turn()
""",
    },
    2: {
        "ranks must be ranks": """
for wrong, said in (([0, 2], "ranks has 2, but the ranks of this communicator are 0 to 1"),
                    ([-1, rank], "ranks has -1, but the ranks"), ([rank, rank], f"ranks has {rank} twice"),
                    ([], "ranks doesn't have this rank"), ([mpi.PROC_NULL, rank], "ranks has -102")):
    with raises(mpi.RankError, said, operation="subset"):
        c.subset(wrong)
for wrong in 0, None, ["red"], [0.0, 1.0]:
    with raises(TypeError):
        c.subset(wrong)
assert c.subset(np.arange(2)).allreduce(1) == 2
""",
        "the members hear of a time out and the next call succeeds": """
twin = c.dup()
if rank == 0:
    mpi.native.core.set_timeout(0.2)
    with raises(mpi.Timeout, "waited 0.2 s for rank 1 in subset()", "it has not called it with these ranks"):
        twin.subset([0, 1])
    mpi.native.core.set_timeout(0)
c.barrier()
if rank == 1:
    with raises(mpi.Error, "rank 0 has left the call; its own exception says why", operation="subset", peer=0):
        twin.subset([0, 1])
with twin.subset([0, 1]) as both:
    assert both.allreduce(1) == 2
twin.free()
""",
        "one that is not the leader may time out, too": """
twin = c.dup()
if rank == 1:
    mpi.native.core.set_timeout(0.2)
    with raises(mpi.Timeout, "waited 0.2 s for rank 0 in subset()"):
        twin.subset([0, 1])
    mpi.native.core.set_timeout(0)
c.barrier()
if rank == 0:
    with raises(mpi.Error, "rank 1 has left the call"):
        twin.subset([0, 1])
with twin.subset([0, 1]) as both:
    assert both.allreduce(1) == 2
twin.free()
""",
        "a freed communicator has none": """
twin = c.dup()
some = twin.subset([rank])
twin.free()
assert some.allreduce(3) == 3
for call in lambda: twin.subset([rank]), lambda: twin.compare(c), lambda: twin.translate([0], c):
    with raises(mpi.StateError, FREED):
        call()
some.free()
""",
        "a signal handler makes none meanwhile": """
import signal
said = []
def handler(*_):
    try:
        c.subset([rank])
    except mpi.StateError as error:
        said.append(str(error))
if rank == 0:
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
else:
    time.sleep(0.5)
with c.subset([1, 0]) as both:
    assert both.allreduce(1) == 2
assert len(said) == (rank == 0) and all("this thread is in subset() already" in text for text in said), said
""",
    },
}


@on_ranks(MADE)
def test_subsets(run_in_job, stack, ranks: int, script: str) -> None:
    script = script.replace("mpi.native.core", "core")
    run_in_job(PRELUDE + "from polympi.native import core\n" + script, ranks, stack)


@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_threads_make_overlapping_subsets_in_any_order(run_in_job, stack, level: str) -> None:
    script = """
from together import together
wanted = [[0, 1, 2], [1, 2], [0, 2], [2, 1, 0]]
def work(number):
    members, chance = wanted[number], random.Random(rank)
    for turn in range(6 * (rank in members)):
        time.sleep(chance.random() * 1e-3)
        with c.subset(members) as some:
            assert some.allgather(rank) == members
together(work, 4)
with c.dup() as twin:  # of all ranks, while two of them make a subset
    def both(number):
        if number == 0:
            twin.dup().free()
        elif rank < 2:
            twin.subset([0, 1]).free()
    together(both, 2)
"""
    run_in_job(PRELUDE + script, 3, stack, env={"POLYMPI_THREADS": level})


ENDS = {
    "a member ends early": Case(
        """
if rank == 2:
    sys.exit(0)
if rank < 2:
    with raises(mpi.EndedError if rank == 0 else mpi.Error, "rank 2 has reached" if rank == 0 else "rank 0 has left"):
        c.subset([0, 1, 2])
    print(rank)
""",
        ranks=3,
        words="0 1",
        said=[],
    ),
    "the leader ends early": Case(
        """
if rank == 0:
    sys.exit(0)
try:
    c.subset([2, 1, 0])
except mpi.EndedError as error:
    assert "rank 0 has reached its end" in str(error), error
except mpi.Error as error:  # of the one that notices it later
    assert f"rank {3 - rank} has left the call" in str(error), error
else:
    raise AssertionError("no error")
print(rank)
""",
        ranks=3,
        words="1 2",
        said=[],
    ),
    "others may end while members go on": Case(
        """
if rank == 1:
    sys.exit(0)
time.sleep(0.3)
with c.subset([0, 2]) as pair:
    print(pair.allreduce(rank))
""",
        ranks=3,
        words="2 2",
        said=[],
    ),
    "a subset that nobody frees": Case("if rank: c.subset([2, 1])\nprint(rank)", ranks=3, words="0 1 2", said=[]),
    "a member dies": Case("if rank == 2: os._exit(3)\nc.subset([0, 1, 2])", ranks=3, code=3),
    "a message that nobody receives": Case(
        "if rank < 2:\n    some = c.subset([1, 0])\n    some.send(1, 1 - some.rank)\n", ranks=3, code=1
    ),
}


@cases(ENDS)
def test_how_programs_with_subsets_end(run, stack, case: Case) -> None:
    if case.code == 3:
        ended = run(PRELUDE + case.script, case.ranks, stack)
        assert ended.exit_code != 0, str(ended)
        return
    case.check(run, stack)


def test_members_that_wait_for_each_other_end_the_job(run, stack) -> None:
    script = "c.subset([0, 1] if rank == 0 else [1, 0])\n"
    ended = run(PRELUDE + script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert "MismatchError: rank" in ended.stderr, str(ended)
