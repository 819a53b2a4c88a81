"""Intercommunicators between groups of one world: their messages, their collectives, and what goes wrong."""

import pytest
from rank_programs import PRELUDE, Case, cases, on_ranks

pytestmark = pytest.mark.sanitize

HALVES = """
side = rank % 2
half = c.split(side)
inter = half.create_intercomm(0, c, 1 - side, 7)
def end():
    inter.free()
    half.free()
    in_turn()
me = mpi.ROOT if inter.rank == 0 else mpi.PROC_NULL  # if this group has the root
"""

BETWEEN = {
    3: {
        "messages are to ranks of the other group": """
assert (inter.rank, inter.size, inter.remote_size) == (half.rank, half.size, size - half.size)
assert repr(inter) == f"<polympi.Intercommunicator, rank {half.rank} of {half.size}, with {3 - half.size} remote ranks>"
array = np.arange(40_000.0).reshape(200, 200)
for value in {"a": rank}, (array + rank)[:, ::2], array[0] + rank, None, b"x" * 100_000:
    sends = [inter.isend(value, there, 3) for there in range(inter.remote_size)]
    for there in range(inter.remote_size):
        found = inter.probe(there, 3)
        got, status = inter.recv(there, 3, status=True)
        in_world = 2 * there + 1 - side
        expected = {"a": in_world} if isinstance(value, dict) else value
        if isinstance(value, np.ndarray):
            expected = np.ascontiguousarray(value - rank + in_world)
        assert (found.source, status.source) == (there, there) and same(got, expected), (got, expected)
    mpi.wait_all(sends)
end()
""",
        "a rank sends to its own number": """
for call in "send", "ssend", "bsend":
    with mpi.buffer_attach(10**6):
        if inter.rank == 0 and side == 0:
            getattr(inter, call)(np.full(30_000, 7), 0)
        elif inter.rank == 0:
            assert (inter.recv(0, into=np.empty(30_000, int)) == 7).all()
if side == 0 and inter.rank == 0:
    said = "rank 0 waited 0.1 s for rank 0 of the remote group in ssend(dest=0, tag=4)"
    with raises(mpi.Timeout, said, peer=0, rank=0):
        inter.ssend("late", 0, 4, timeout=0.1)
c.barrier()
if side == 1:
    assert inter.recv(0, 4) == "late"
assert inter.iprobe() is None
end()
""",
        "any source and requests": """
if side == 1:
    posted = [inter.irecv(tag=2) for _ in range(inter.remote_size)]
    got = [request.wait(status=True) for request in posted]
    assert sorted(got) == [(there, status) for there, (_, status) in enumerate(sorted(got))], got
    assert [status.source for _, status in sorted(got)] == [0, 1]
else:
    inter.send(inter.rank, 0, 2)
end()
""",
        "collectives give each group what the other one has": """
theirs = [2 * there + 1 - side for there in range(inter.remote_size)]
assert inter.allgather(rank) == theirs
assert inter.allreduce(rank, mpi.MAX) == max(theirs)
received = inter.alltoall([(rank, there) for there in range(inter.remote_size)])
assert received == [(there, inter.rank) for there in theirs]
inter.barrier(timeout=30)
for giver in 0, 1:
    if side == giver:
        assert inter.bcast(np.arange(9), me) is None or inter.rank == 0
        gathered, total = inter.gather(None, me), inter.reduce(None, mpi.SUM, me)
        assert (gathered, total) == ((theirs, sum(theirs)) if inter.rank == 0 else (None, None))
        assert inter.scatter([there * 5 for there in theirs] if inter.rank == 0 else None, me) is None
        assert inter.bcast(into=np.arange(4.0), root=me) is None or inter.rank == 0
    else:
        assert (inter.bcast() == np.arange(9)).all()
        assert inter.gather(rank) is None and inter.reduce(rank) is None and inter.scatter() == rank * 5
        assert (inter.bcast(into=np.empty(4)) == np.arange(4.0)).all()
end()
""",
        "merge orders the groups": """
for high in itertools.product((False, True), repeat=2):
    order = [1, 0, 2] if high == (True, False) else [0, 2, 1]
    with inter.merge(high[side]) as both:
        assert type(both) is mpi.Communicator and both.translate(range(3), c) == order
        assert both.allgather(rank) == order
end()
""",
        "all else says how to get it": """
for name in "scan", "plan", "ibarrier", "split", "dup", "subset", "cart", "raw", "to_mpi4py", "name":
    with raises(AttributeError, f"an intercommunicator has no {name}: call merge(), which makes a"):
        getattr(inter, name)
    assert name not in dir(inter) and name not in dir(mpi.Intercommunicator)
with raises(AttributeError, "use comm.merge(high)"):
    inter.Merge
with raises(TypeError, "cannot be sent or pickled"):
    c.isend(inter, rank)
for root, bad in (5, 5), (-1, -1):
    with raises(mpi.RankError, f"root is {bad}, but the remote group has the ranks 0 to {inter.remote_size - 1}"):
        inter.bcast(1, root)
with raises(mpi.RankError, f"send(dest=2, tag=0): dest is 2, but the ranks of the remote group are 0 to"):
    inter.send(1, 2)
with raises(mpi.MismatchError, f"there are 5 pieces for the {inter.remote_size} ranks of the remote group"):
    inter.alltoall(range(5))
end()
for call in lambda: inter.send(1, 0), lambda: inter.barrier(), lambda: inter.merge(), lambda: inter.free():
    with raises(mpi.StateError):
        call()
assert repr(inter) == "<polympi.Intercommunicator, freed>" and (inter.size, inter.remote_size) == (0, 0)
""",
        "messages that nobody received are reported when it is freed": """
request = inter.irecv(0, 9)
with raises(mpi.StateError, "irecv(source=0, tag=9) is pending"):
    inter.free()
assert request.cancel()
end()
""",
    },
}


@on_ranks(BETWEEN)
def test_intercommunicators(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + HALVES + script, ranks, stack)


WRONG = {
    4: {
        "groups overlap": """
pair = c.split(rank // 2)  # 0 1, 2 3
mine = c.subset([0, 1, 2]) if rank < 3 else None
twin = c.dup()
if rank in (0, 1, 2):
    with raises(mpi.MismatchError, "rank 2 of the world is in both groups" if rank == 0 else "rank 0 has failed"):
        mine.create_intercomm(0, twin, 3)
if rank == 3:  # the other leader speaks for a group with rank 2
    theirs, _ = twin.sendrecv(((2, 3), 0), 0, source=0)
    assert theirs == (0, 1, 2)
in_turn()
""",
        "leaders": """
half = c.split(rank // 2)
twin = c.dup()
for local, remote, kind, said in (
    (5, 0, mpi.RankError, "local_leader is 5, but the ranks of that communicator are 0 to 1"),
    (half.rank, 0, mpi.MismatchError, "create_intercomm(): rank 1 gives 1, but this rank 0"),
    (0, 9, mpi.RankError, "remote_leader is 9, but the ranks of that communicator are 0 to 3"),
    (0, rank // 2 * 2, mpi.MismatchError, f"remote_leader is {rank // 2 * 2}, a rank of this group"),
):
    if half.rank == 0 or local == 5:
        with raises(kind, said):
            half.create_intercomm(local, twin, remote)
    else:
        with raises(mpi.MismatchError, "create_intercomm(): rank 0 "):
            half.create_intercomm(local, twin, remote)
with half.create_intercomm(1, twin if half.rank == 1 else None, 3 if rank < 2 else 1) as inter:
    assert inter.allgather(rank) == ([2, 3] if rank < 2 else [0, 1])
half.free()
twin.free()
in_turn()
""",
        "several at a time": """
from together import together
halves = [c.split(rank % 2) for _ in range(2)]
peers = [c.dup() for _ in range(2)]
def work(number):
    for turn in range(3):
        with halves[number].create_intercomm(0, peers[number], 1 - rank % 2) as inter:
            assert inter.sendrecv((number, rank), inter.rank, source=inter.rank) == (number, rank ^ 1)
together(work, 2)
for made in halves + peers:
    made.free()
in_turn()
""",
    },
}


@on_ranks(WRONG)
def test_making_them(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)


ENDS = {
    "the other group does not call": Case(
        """
half = c.split(rank)
if rank == 0:
    with raises(mpi.EndedError, "rank 0 waited", "rank 1 has reached its end", operation="sendrecv"):
        half.create_intercomm(0, c, 1)
    print("left")
""",
        words="left",
        code=1,  # the message of its leader was never received
    ),
    "a remote rank ends": Case(
        """
inter = c.split(rank).create_intercomm(0, c, other)
if rank == 0:
    with raises(mpi.EndedError, "rank 0 of the remote group has reached its end (exit code 0)", peer=0):
        inter.recv(0)
    with raises(mpi.EndedError, "all other ranks have reached their end"):
        inter.recv()
    print("left")
""",
        words="left",
        said=[],
    ),
    "a message that nobody receives": Case(
        "inter = c.split(rank).create_intercomm(0, c, other)\nif rank: inter.send(1, 0, 6)\n", code=1
    ),
}


@cases(ENDS)
def test_how_programs_with_them_end(run, stack, case: Case) -> None:
    case.check(run, stack)
