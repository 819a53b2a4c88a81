"""Groups of ranks: made, kept apart from each other, and given back."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]


def test_messages_stay_in_their_communicator(run, stack: Stack) -> None:
    script = """
twin = c.dup()
assert (twin.rank, twin.size, type(twin)) == (c.rank, c.size, type(c))
right, left = (rank + 1) % size, (rank - 1) % size
for n in 1, 100, 100_000:
    # The same peers and tags on both, received in the other order; wildcards see their own messages alone.
    sends = [group.isend((name, np.full(n, rank)), right, 5) for name, group in (("world", c), ("twin", twin))]
    assert same(twin.recv(), ("twin", np.full(n, left)))
    assert twin.iprobe() is None
    assert same(c.recv(left, 5), ("world", np.full(n, left)))
    mpi.wait_all(sends)
    in_turn()  # before anyone sends the next
with c.split(rank % 2, -rank) as half:
    ranks = [r for r in range(size) if r % 2 == rank % 2][::-1]
    assert half.size == len(ranks) and ranks[half.rank] == rank
    got, status = half.sendrecv(rank, (half.rank + 1) % half.size, source=(half.rank - 1) % half.size, status=True)
    assert got == ranks[half.rank - 1] and status.source == (half.rank - 1) % half.size
    with raises(mpi.RankError, f"the ranks of this communicator are 0 to {half.size - 1}", rank=half.rank):
        half.send(1, size)
    with half.split(0) as same_half, half.dup() as other_half:
        request = same_half.irecv()
        assert other_half.sendrecv(rank, half.rank, source=half.rank) == rank
        assert request.cancel()
assert c.split(None) is None
alone = c.split(0 if rank == 1 else None)
assert (alone is None) == (rank != 1)
if alone:
    assert (alone.rank, alone.size) == (0, 1) and alone.sendrecv("me", 0, source=0) == "me"
    alone.free()
twin.free()
"""
    run(PRELUDE + script, 4, stack).succeeded()


def test_a_freed_communicator_is_of_no_use(run, stack: Stack) -> None:
    script = """
twin = c.dup()
assert repr(twin) == f"<Communicator, rank {rank} of {size}>"
request = twin.irecv(other, 1)
in_turn()
twin.send("early", other, 1)
assert request.wait() == "early"
twin.free()
assert repr(twin) == "<Communicator, freed>" and twin.size == 0
for call in (twin.free, twin.dup, lambda: twin.split(0), lambda: twin.send(1, 0), lambda: twin.recv(0), twin.barrier,
             lambda: twin.isend(1, 0), twin.irecv, twin.probe, twin.iprobe, lambda: twin.sendrecv(1, 0),
             lambda: twin.bsend(1, 0)):
    with raises(mpi.StateError, "this communicator was freed: use another one"):
        call()
with raises(TypeError, "cannot be sent or pickled"):
    c.send(c, other)
with raises(mpi.MismatchError, "color is -1, but must be 0 or more, or None to take no part", operation="split"):
    c.split(-1)
with raises(TypeError, "split(): color must be an integer, not str"):
    c.split("red")
assert c.sendrecv(rank, other, source=other) == other
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_a_communicator_with_receives_under_way_is_not_freed(run, stack: Stack) -> None:
    # MPI would complete the receive of the announcement, but the data behind it could not be fetched any more.
    script = """
twin = c.dup()
request = twin.irecv(other, 1)
with raises(mpi.StateError, "irecv(source=%d, tag=1)" % other, operation="free"):
    twin.free()
in_turn()
sent = twin.isend(np.arange(10**6), other, 1)
assert same(request.wait(), np.arange(10**6))
sent.wait()
with twin:
    twin.irecv(other, 1)  # forgotten: it is given up with the communicator
assert twin.size == 0
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_hundreds_of_communicators_may_come_and_go(run, stack: Stack) -> None:
    script = """
for turn in range(300):
    with c.split(rank * (turn % 2)) as part:
        assert part.size == (1 if turn % 2 else 2)
        assert part.sendrecv(turn, 0 if turn % 2 else other, source=0 if turn % 2 else other) == turn
"""
    run(PRELUDE + script, 2, stack).succeeded()
