"""Reductions that return a request: of anything, mixed with blocking ones of other ranks, dropped, left, failed."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

VALUES = """
join = mpi.op(lambda lower, higher: lower + higher, commutative=False)
matrix = np.arange(12.0).reshape(3, 4) + rank
KINDS = [  # of each, whether the core, the library, or Python combines it
    (3 * rank, mpi.SUM), (2.5 * rank, mpi.MAX), (rank == 1, mpi.LOR), (2**62 + rank, mpi.SUM), (1j * rank, mpi.PROD),
    (np.float32(rank), mpi.SUM), (matrix, mpi.SUM), (matrix[:, ::2], mpi.MIN), (np.arange(9_000) - rank, mpi.SUM),
    (np.full((300, 90), 1.5 + rank).T, mpi.MAX), ("x" * rank + "|", join), ([rank, {}], join),
    ([rank] if rank else (0,) * 20_000, mpi.op(lambda lower, higher: [*lower, *higher], commutative=False)),
    (rank if rank else 0.5, mpi.SUM),
]
"""

CASES = {
    "each returns what the blocking one returns": VALUES
    + """
for value, op in KINDS:
    for name in ("allreduce", "scan", "exscan", "reduce"):
        expected = getattr(c, name)(value, op)
        assert same(getattr(c, "i" + name)(value, op).wait(timeout=60), expected), (name, value)
    expected = c.reduce(value, op, root=1)
    assert same(c.ireduce(value, op, 1).wait(timeout=60), expected), value
arrays = np.arange(2 * size + 1), np.ones((size + 1, 3000))
for value in (*arrays, [rank * n for n in range(size)], [[n] for n in range(size)]):
    expected = c.reduce_scatter(value)
    assert same(c.ireduce_scatter(value).wait(timeout=60), expected), value
""",
    "one rank begins what the others call": VALUES
    + """
for value, op in KINDS:
    for turn, name in enumerate(("allreduce", "scan", "exscan", "reduce")):
        expected = getattr(c, name)(value, op)
        if rank == turn % size:
            come = getattr(c, "i" + name)(value, op).wait(timeout=60)
        else:
            come = getattr(c, name)(value, op, timeout=60)
        assert same(come, expected), (name, value)
""",
    "several at a time, and others between them": """
for turn in range(10):
    requests = [
        c.iallreduce(np.full(20_000, rank)),
        c.iallreduce([rank]),
        c.ibarrier(),
        c.iscan(rank),
        c.iallgather(rank),
        c.ireduce({rank} if rank else {0}, mpi.op(lambda a, b: a | b), root=1),
        c.iallreduce(np.full(20_000, 1.0), into=np.empty(20_000)),
        c.irecv((rank + 1) % size, turn),
    ]
    c.send("x", (rank - 1) % size, turn)
    if turn % 2:
        pending = [*requests]
        while pending:
            del pending[mpi.wait_any(pending)[0]]
    total, ranks, _, prefix, gathered, united, counted, text = mpi.wait_all(requests, timeout=60)
    assert total[-1] == sum(range(size)) and ranks == gathered == [*range(size)]
    assert prefix == sum(range(rank + 1)) and counted[0] == size and text == "x"
    assert united == (set(range(size)) if rank == 1 else None)
""",
    "into memory, also that of the contribution": """
for count in (5, 50_000):
    into = np.empty(count)
    assert c.iallreduce(np.full(count, 2.0), into=into).wait(timeout=60) is into
    assert (into == 2 * size).all()
    assert c.iallreduce(into, into=into).wait(timeout=60) is into
    assert (into == 2 * size * size).all()
    strided = np.zeros((count, 2))
    c.iscan(np.full(count, 1 + rank), into=np.empty(count, int)).wait(timeout=60)
    assert c.iallreduce(np.ones(count), into=strided[:, 1]).wait(timeout=60)[0] == size
    assert (strided == [0, size]).all()
    with raises(mpi.TruncationError):
        c.iallreduce(np.ones(count), into=np.empty(count - 1)).wait(timeout=60)
assert c.allreduce(1) == size
""",
    "dropped requests do not keep the others waiting": """
for turn in range(30):
    c.iallreduce(np.full(3000, rank))
    c.iallreduce([rank])
    if rank == turn % size:
        c.iscan("x" * 20_000, mpi.op(lambda a, b: b))
    else:
        assert len(c.scan("x" * 20_000, mpi.op(lambda a, b: b), timeout=60)) == 20_000
assert c.iallreduce(1).wait(timeout=60) == size
""",
    "an operation that raises": """
def refuse(lower, higher):
    if rank == where:
        raise ZeroDivisionError("not here")
    return lower + higher

where = 0  # which combines for all, at the top of the tree
with raises(mpi.Error if rank else ZeroDivisionError):
    c.iallreduce([rank], mpi.op(refuse)).wait(timeout=60)
where = 1
request = c.iscan([rank], mpi.op(refuse))
if rank == 1:  # whose combination no other rank needs
    with raises(ZeroDivisionError):
        request.wait(timeout=60)
else:
    assert request.wait(timeout=60) == [*range(rank + 1)]
assert request.done
assert c.allreduce(1) == size
""",
    "what cannot be sent, or not be combined": """
with raises(TypeError if rank == 1 else mpi.Error):
    c.iallreduce([c] if rank == 1 else [rank]).wait(timeout=60)
with raises(mpi.MismatchError):
    c.iallreduce({"no": "sum"}).wait(timeout=60)
with raises(mpi.MismatchError, "operations"):
    c.iallreduce(1, mpi.SUM if rank else mpi.MAX).wait(timeout=60)
with raises(mpi.MismatchError, "roots"):
    c.ireduce(1, root=0 if rank else 1).wait(timeout=60)
with raises(mpi.MismatchError):
    (c.iallreduce(1) if rank else c.ibarrier()).wait(timeout=60)
with raises(mpi.RankError, "ireduce(): root is 9"):
    c.ireduce(1, root=9)
with raises(mpi.MismatchError, "iallreduce(): op must be"):
    c.iallreduce(1, "sum")
with raises(TypeError):
    c.iallreduce(1, timeout=3)
assert c.allreduce(1) == size
""",
    "a wait that times out can be repeated": """
for value in (rank, [rank], np.full(30_000, rank)):
    if rank == 0:
        request = c.iallreduce(value)
        with raises(mpi.Timeout, "allreduce()"):
            request.wait(timeout=0.05)
        for dest in range(1, size):
            c.send("go", dest)
    else:
        c.recv(0)
        request = c.iallreduce(value)
    come = request.wait(timeout=60)
    assert same(come, c.allreduce(value))
""",
    "an operation that communicates": """
aside = c.dup()

def through_another(lower, higher):
    aside.send(lower, rank)
    return aside.recv(rank) + higher

assert c.iallreduce([rank], mpi.op(through_another, commutative=False)).wait(timeout=60) == [*range(size)]
aside.free()
""",
    "an operation that calls a collective": """
def with_all(lower, higher):
    c.barrier()
    return lower + higher

with raises(mpi.Error if rank else mpi.StateError):
    c.iallreduce([rank], mpi.op(with_all)).wait(timeout=60)
assert c.allreduce(1) == size
""",
    "begun, and its communicator freed": """
twin = c.dup()
requests = [twin.iallreduce(np.full(20_000, rank)), twin.iallreduce([rank])]
twin.free()
total, ranks = mpi.wait_all(requests, timeout=60)
assert total[0] == sum(range(size)) and ranks == [*range(size)]
""",
    "one thread waits for it": """
import threading

come = []
request = c.iallreduce([rank])
thread = threading.Thread(target=lambda: come.append(request.wait(timeout=60)))
thread.start()
thread.join()
assert come == [[*range(size)]]
""",
    "pending at the end of the program": """
c.iallreduce(np.full(30_000, rank))
if rank == 0:
    time.sleep(0.2)
kept = c.iallreduce([rank])
""",
}


@on_ranks({3: CASES, 5: {name: CASES[name] for name in [*CASES][:3]}})
def test_nonblocking_reductions(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)
