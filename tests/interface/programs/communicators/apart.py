"""Messages stay in their communicator."""

import numpy as np
from prelude import c, in_turn, raises, rank, same, size

import polympi as mpi

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
    assert half.size == len(ranks)
    assert ranks[half.rank] == rank
    got, status = half.sendrecv(rank, (half.rank + 1) % half.size, source=(half.rank - 1) % half.size, status=True)
    assert got == ranks[half.rank - 1]
    assert status.source == (half.rank - 1) % half.size
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
    assert (alone.rank, alone.size) == (0, 1)
    assert alone.sendrecv("me", 0, source=0) == "me"
    alone.free()
twin.free()
