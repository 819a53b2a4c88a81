"""Raw messages and collectives of two ranks of polympi: what they move, what they refuse, and how they end."""

import array
import signal
import sys
import threading
import time

import numpy as np
from alarm import Alarm, ring
from hostless import refused
from machines import pretend

import polympi as mpi

pretend()
c = mpi.world.dup()
p = c.raw
rank, other = p.rank, 1 - p.rank
assert (p.rank, p.size) == (c.rank, c.size) == (mpi.world.rank, 2)


# Every native type, small and large, contiguous and strided, both ways at once.
for dtype in "?bBhHiIlLqQfdgFDG":
    for count in (0, 1, 5, 100_000):
        mine = (np.arange(count) % 2 + rank).astype(dtype)
        theirs = np.empty_like(mine)
        request = p.isend(mine, other, 3)
        into, status = p.recv(theirs, other, 3, status=True)
        assert into is theirs
        assert (status.source, status.tag) == (other, 3)
        assert (status.elements, status.nbytes) == (count, mine.nbytes)
        request.wait()
        assert (theirs == (np.arange(count) % 2 + other).astype(dtype)).all()
grid = np.arange(600 * 600.0).reshape(600, 600) + rank
expected = np.arange(600 * 600.0).reshape(600, 600) + other
for view in (np.s_[:, 3], np.s_[2], np.s_[::-1, ::2], np.s_[1:5, 1:5], np.s_[5:5], np.s_[:, -100:]):
    into = np.full((600, 600), -1.0)
    request = p.isend(grid[view], other)
    p.recv(into[view], other)
    request.wait()
    assert (into[view] == expected[view]).all()
    into[view] = -1
    assert (into == -1).all()
assert (p.sendrecv(np.broadcast_to(np.array(7.0), 4), other, into=np.zeros(4), source=other) == 7).all()

# Bytes and the like are bytes; structures are as well.
p.isend(b"halo", other)
got = bytearray(4)
assert p.recv(got) is got
assert got == b"halo"
p.isend(array.array("d", [1.5, 2.5]), other)
assert (p.recv(np.zeros(2), other) == [1.5, 2.5]).all()
pairs = np.array([(1, 2.5)], dtype=[("i", "i4"), ("x", "f8")])
p.isend(pairs, other)
assert p.probe(dtype=pairs.dtype)[2:] == (1, 12)
assert (p.recv(np.zeros_like(pairs)) == pairs).all()
p.isend(np.array(["2026-11-25"], "M8[D]"), other)
assert p.recv(np.zeros(1, "M8[D]"))[0] == np.datetime64("2026-11-25")

# sendrecv exchanges in place; PROC_NULL gives nothing.
both = np.full(100_000, float(rank))
assert p.sendrecv(both, other, 1, both, other, 1) is both
assert (both == other).all()
strided = np.zeros((300, 4))
strided[:, 1] = rank
p.sendrecv(strided[:, 1], other, into=strided[:, 1], source=other)
assert (strided[:, 1] == other).all()
untouched = np.ones(3)
assert p.recv(untouched, mpi.PROC_NULL, status=True)[1] == (mpi.PROC_NULL, mpi.ANY_TAG, 0, 0)
p.send(untouched, mpi.PROC_NULL)
assert p.irecv(untouched, mpi.PROC_NULL).wait() is untouched
assert p.sendrecv(untouched, mpi.PROC_NULL, into=untouched, source=mpi.PROC_NULL) is untouched

# Probes know sizes; wildcards; order.
if rank == 0:
    p.send(np.arange(3, dtype="f4"), 1, 8)
    p.send(np.arange(4, dtype="i2"), 1, 9)
else:
    assert p.probe(0, 8) == (0, 8, 12, 12)
    assert p.probe(0, 8, dtype="f4") == (0, 8, 3, 12)
    assert p.probe(0, 8, dtype=float).elements is None
    while (found := p.iprobe(tag=9, dtype=np.int16)) is None:
        pass
    assert found == (0, 9, 4, 8)
    assert p.iprobe(tag=77) is None
    room = np.zeros(10, "f4")
    _, status = p.recv(room, mpi.ANY_SOURCE, mpi.ANY_TAG, status=True)  # shorter than its room
    assert (status.tag, status.elements) == (8, 3)
    assert room.tolist() == [0, 1, 2, *[0] * 7]
    assert p.recv(np.zeros(4, "i2"), tag=9).tolist() == [0, 1, 2, 3]

# Requests, mixed with those of polympi.
pieces = [np.zeros(2, int) for _ in range(20)]
requests = [p.irecv(piece, other, tag) for tag, piece in enumerate(pieces)] + [c.irecv(other, 100)]
requests += [p.isend(np.array([tag, rank]), other, tag) for tag in reversed(range(20))] + [
    c.isend("object", other, 100)
]
values = mpi.wait_all(requests)
assert [value.tolist() for value in values[:20]] == [[tag, other] for tag in range(20)]
assert values[20] == "object"
assert requests[0].wait(status=True)[1] == (other, 0, 2, 16)
assert all(request.done and request.test() for request in requests)
posted = p.irecv(np.zeros(1), other, 55)
assert not posted.test()
place = f"rank {rank} waited 0.05 s for rank {other} in raw.irecv(source={other}, tag=55) at "
refused(mpi.Timeout, place, lambda: posted.wait(timeout=0.05))
assert posted.cancel()
assert not posted.cancel()
posted = None

# What does not fit.
refused(mpi.RankError, "dest is 2, but the ranks of this communicator are 0 to 1", lambda: p.send(np.ones(1), 2))
refused(mpi.TagError, "tag is -1", lambda: p.send(np.ones(1), other, -1))
refused(mpi.TagError, "ANY_TAG is for receives", lambda: p.send(np.ones(1), other, mpi.ANY_TAG))
refused(mpi.MismatchError, "a float cannot be sent as plain elements", lambda: p.send(1.5, other))
refused(mpi.MismatchError, "a list cannot be received into", lambda: p.recv([], other))
refused(mpi.MismatchError, "its elements are objects", lambda: p.send(np.array([None]), other))
refused(mpi.MismatchError, "another order", lambda: p.send(np.ones(1, ">f8"), other))
refused(mpi.MismatchError, "", lambda: p.recv(b"constant", other))
readonly = np.ones(3)
readonly.flags.writeable = False
refused(mpi.MismatchError, "it is read-only", lambda: p.recv(readonly, other))
p.isend(readonly, other)
p.recv(np.ones(3), other)
refused(TypeError, "missing required argument 'into'", lambda: p.sendrecv(np.ones(1), other))
for receive in (p.recv, lambda *args: p.irecv(*args).wait()):
    p.isend(np.arange(5.0), other, 4)
    p.isend(np.arange(3, dtype="i4"), other, 4)
    p.isend(np.array([9.0]), other, 4)
    small = np.zeros(2)
    refused(mpi.TruncationError, "longer than the 2 elements of 8 bytes", lambda: receive(small, other, 4))
    refused(mpi.MismatchError, "12 bytes came", lambda: receive(small, other, 4))
    assert receive(small, other, 4)[0] == 9

# Time-outs: a receive is taken back, a send is kept.
began = time.monotonic()
place = f"rank {rank} waited 0.1 s for rank {other} in raw.recv(source={other}, tag=6) at "
refused(mpi.Timeout, place, lambda: p.recv(np.zeros(1), other, 6, timeout=0.1))
refused(mpi.Timeout, "raw.probe(", lambda: p.probe(other, 6, timeout=0.05))
refused(mpi.Timeout, "", lambda: p.sendrecv(np.ones(1), mpi.PROC_NULL, into=np.zeros(1), source=other, timeout=0.05))
assert time.monotonic() - began < 60
c.barrier()
p.send(np.array([1.0]), other, 6)
assert p.recv(np.zeros(1), other, 6)[0] == 1
large = np.full(4_000_000, float(rank))
if rank == 0:
    place = "waited 0.1 s for rank 1 in raw.send(dest=1, tag=7) at"
    refused(mpi.Timeout, place, lambda: p.send(large, 1, 7, timeout=0.1))
    c.send("now", 1, 99)
else:
    assert c.recv(0, 99) == "now"
    assert (p.recv(large, 0, 7) == 0).all()


# A signal handler's exception ends a wait; other threads go on.
before = signal.signal(signal.SIGALRM, ring)
room = np.zeros(1)
for wait in (lambda: p.recv(room, other, 60), lambda: p.irecv(room, other, 60).wait(), lambda: p.probe(other, 60)):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    refused(Alarm, "", wait)
signal.signal(signal.SIGALRM, before)
c.barrier()
results = []
thread = threading.Thread(target=lambda: results.append(p.recv(np.zeros(1), other, 61)[0]))
thread.start()
time.sleep(0.05)
p.send(np.array([5.0]), other, 60)
assert p.recv(np.zeros(1), other, 60)[0] == 5
p.send(np.array([6.0]), other, 61)
thread.join()
assert results == [6]

# Collectives.
p.barrier()
assert (p.bcast(np.array([1, 2]) if rank == 1 else np.zeros(2, int), 1) == [1, 2]).all()
table = np.arange(6.0)
half = np.zeros((3, 2))
p.scatter(table if rank == 0 else None, half[:, 0])
assert half[:, 0].tolist() == table[3 * rank : 3 * rank + 3].tolist()
assert half[:, 1].tolist() == [0] * 3
whole = p.gather(half[:, 0], np.zeros(6) if rank == 0 else None)
assert whole is None if rank else (whole == table).all()
assert (p.allgather(half[:, 0], np.zeros((2, 3))) == table.reshape(2, 3)).all()
assert p.alltoall(np.array([10 * rank, 10 * rank + 1]), np.zeros(2, int)).tolist() == [rank, 10 + rank]
counts = [1, 3]
mine = np.full(counts[rank], rank, "i4")
assert p.allgatherv(mine, np.zeros(4, "i4"), counts).tolist() == [0, 1, 1, 1]
whole = p.gatherv(mine, np.zeros(4, "i4"), counts, 1) if rank else p.gatherv(mine, root=1)
assert whole is None if rank == 0 else whole.tolist() == [0, 1, 1, 1]
assert (p.scatterv(whole, np.zeros(counts[rank], "i4"), counts, 1) == rank).all()
to, of = ([1, 2], [1, 1]) if rank == 0 else ([1, 2], [2, 2])
came = p.alltoallv(np.arange(3) + 10 * rank, np.zeros(sum(of), int), to, of)
assert came.tolist() == ([0, 10] if rank == 0 else [1, 2, 11, 12])
x = np.array([1.0 + rank, 5.0 - rank])
assert p.allreduce(x, np.zeros(2)).tolist() == [3, 9]
assert p.allreduce(x.copy(), np.zeros(2), mpi.MAX).tolist() == [2, 5]
again = x.copy()
assert p.allreduce(again, again) is again
assert again.tolist() == [3, 9]
total = p.reduce(x, np.zeros(2) if rank == 0 else None, mpi.PROD)
assert total is None if rank else total.tolist() == [2, 20]
assert p.scan(x, np.zeros(2)).tolist() == ([1, 5] if rank == 0 else [3, 9])
after = p.exscan(x, np.full(2, -1.0))
assert rank == 0 or after.tolist() == [1, 5]
assert p.allreduce(np.array([6, 3], "u1"), np.zeros(2, "u1"), mpi.BXOR).tolist() == [0, 0]
refused(mpi.MismatchError, "cut into 2 equal pieces", lambda: p.alltoall(np.zeros(3), np.zeros(3)))
text = "into has 1 elements, but the piece of a rank has 2"
refused(mpi.MismatchError, text, lambda: p.allreduce(np.zeros(2), np.zeros(1)))
refused(mpi.MismatchError, "different types", lambda: p.allreduce(np.zeros(2), np.zeros(2, "i8")))
refused(mpi.MismatchError, "is not one of MPI's operations", lambda: p.allreduce(x, x, mpi.op(max)))
refused(mpi.MismatchError, "MPI does not combine bytes by SUM", lambda: p.allreduce(pairs, pairs))
unknown = {"f4": mpi.BOR, "f8": mpi.LAND, "g": mpi.BXOR, "f2": mpi.BAND, "c16": mpi.MIN, "?": mpi.SUM}
for elements, op in unknown.items():
    for reduces in (p.allreduce, p.scan, p.exscan, p.reduce):
        zeros = np.zeros(2, elements)
        what = f"MPI does not combine {zeros.dtype.name if elements != 'g' else 'longdouble'} by {op.name}"
        refused(mpi.MismatchError, what, lambda zeros=zeros, op=op, reduces=reduces: reduces(zeros, zeros.copy(), op))
refused(mpi.MismatchError, "there are 2 ranks", lambda: p.allgatherv(x, np.zeros(4), [4]))
refused(mpi.MismatchError, "or negative", lambda: p.allgatherv(x, np.zeros(3), [2, 2]))
refused(TypeError, "raw.gather() needs 'into'", lambda: p.gather(x, root=rank))
refused(mpi.RankError, "root is 2", lambda: p.bcast(x, 2))

# Nothing is kept longer than it is needed.
kept, slow, room = np.arange(2.0 + rank), np.zeros((2000, 3))[:, 0], bytearray(16)


def count_references() -> list[int]:
    return [sys.getrefcount(thing) for thing in (kept, slow, slow.base, room, p, c)]


before_all = count_references()
for _ in range(20):
    requests = [p.irecv(slow, other, 30), p.irecv(room, other, 31), p.irecv(kept, other, 32), p.irecv(kept, other, 33)]
    requests += [p.isend(slow, other, 30), p.isend(room, other, 31), p.isend(room, other, 34)]
    for mistake in (
        lambda: p.send(kept, 2),
        lambda: p.recv(kept, other, 35, timeout=0.001),
        lambda: p.allreduce(kept, room),
    ):
        try:
            mistake()
        except mpi.Error as error:
            del error
    p.recv(room, other, 34)
    mpi.wait_all([*requests[:2], *requests[4:]])
    requests[2].cancel()
    requests.clear()  # one of them is pending, and is cancelled
    p.sendrecv(slow, other, into=slow, source=other)
    p.allgather(room, bytearray(32))
    c.barrier()
mistake = None
assert count_references() == before_all, (count_references(), before_all)
room.extend(b"may be resized")

# Parts and copies.
part = p.split(0, -rank)
assert (part.rank, part.size) == (other, 2)
assert p.split(None if rank else 1) is None or rank == 0
copy = part.dup()
request = part.isend(np.array([1.0]), part.rank)
copy.sendrecv(np.array([2.0]), copy.rank, into=again[:1], source=copy.rank)
assert again[0] == 2
assert part.recv(np.zeros(1))[0] == 1
copy.free()
refused(mpi.StateError, "this raw communicator was freed", copy.barrier)
refused(mpi.StateError, "belongs to the code that made it", p.free)
refused(TypeError, "cannot be sent or pickled", lambda: c.sendrecv(part, other))
part.free()
assert mpi.raw(c) is p
c.barrier()
c.free()
refused(mpi.StateError, "", lambda: p.send(x, other))
refused(mpi.StateError, "", lambda: c.raw)
print("done")
