"""Collectives of objects, by mpi4py's methods on polympi's core."""

import numpy as np
from mpi4py_ring import MPI, comm, error_class, rank, refuses, size

ranks = list(range(size))

for root in ranks:
    for value in (None, 7, "text", [1, [2]], {"a": np.arange(3)}, np.arange(6.0).reshape(2, 3).T, np.zeros(10**5)):
        given = value if rank == root else None
        got = comm.bcast(given, root=root)
        assert type(got) is type(value)
        if isinstance(value, np.ndarray):
            assert np.array_equal(got, value) and got.flags.f_contiguous == value.flags.f_contiguous
        if isinstance(value, (list, dict, np.ndarray)):
            assert got is not given  # the root has a copy, too
    assert comm.gather((rank, root), root) == ([(r, root) for r in ranks] if rank == root else None)
    for pieces in ([r * 2 for r in ranks], (r * 2 for r in ranks), np.arange(size) * 2, {r * 2: None for r in ranks}):
        assert comm.scatter(pieces if rank == root else None, root=root) == 2 * rank
    assert comm.scatter(None, root) is None
    assert comm.reduce(rank + 1, root=root) == (sum(ranks) + size if rank == root else None)
    assert comm.reduce([rank], MPI.SUM, root) == (ranks if rank == root else None)
table = np.arange(3.0 * size).reshape(size, 3)
row = comm.scatter(table if rank == 0 else None)
assert row.shape == (3,) and (row == table[rank]).all()
assert comm.allgather({"r": rank}) == [{"r": r} for r in ranks]
assert comm.alltoall([(rank, r) for r in ranks]) == [(r, rank) for r in ranks]
assert comm.alltoall(np.arange(size) + 10 * rank) == [10 * r + rank for r in ranks]
assert comm.alltoall(None) == [None] * size

expected = [
    (MPI.SUM, sum(ranks) + size),
    (MPI.PROD, int(np.prod([r + 1 for r in ranks]))),
    (MPI.MAX, size),
    (MPI.MIN, 1),
    (MPI.LAND, True),
    (MPI.LOR, True),
    (MPI.LXOR, bool(size % 2)),
    (MPI.BAND, int(np.bitwise_and.reduce([r + 1 for r in ranks]))),
    (MPI.BOR, int(np.bitwise_or.reduce([r + 1 for r in ranks]))),
    (MPI.BXOR, int(np.bitwise_xor.reduce([r + 1 for r in ranks]))),
]
for op, wanted in expected:
    assert comm.allreduce(rank + 1, op=op) == wanted, (op, comm.allreduce(rank + 1, op=op))
    assert (comm.allreduce(np.full(3, rank + 1), op) == wanted).all()
assert comm.allreduce((-rank, rank), op=MPI.MINLOC) == (1 - size, size - 1)
assert comm.allreduce(True) == size and comm.allreduce(2**62) == 2**62 * size
assert comm.scan(rank) == sum(ranks[: rank + 1]) and comm.exscan(rank) == (sum(ranks[:rank]) if rank else None)
assert comm.scan([rank], op=MPI.SUM) == ranks[: rank + 1]
assert comm.allreduce("abcd"[rank % 4], op=lambda a, b: a + b) == "".join("abcd"[r % 4] for r in ranks)
assert comm.allreduce(rank, op=max) == size - 1
own = MPI.Op.Create(lambda a, b, _type: a + b if isinstance(a, list) else None, commute=False)
assert comm.reduce([rank], op=own) == (ranks if rank == 0 else None)
own.Free()
assert comm.reduce(rank, op=MPI.REPLACE) == (size - 1 if rank == 0 else None)

# Mistakes: the exceptions are those of mpi4py, and no rank is left waiting.
for call in (lambda: comm.bcast(1, size), lambda: comm.reduce(1, root=-3), lambda: comm.gather(1, root=size)):
    assert error_class(call) == MPI.ERR_ROOT
refuses(lambda: comm.bcast(1, 0, 0), TypeError)
refuses(lambda: comm.allreduce(1, op=3), TypeError)
if size > 1:
    from polympi.errors import Error

    refuses(lambda: comm.scatter([1] * (size + 1)), ValueError if rank == 0 else Error)
    assert comm.allgather(rank) == ranks
comm.barrier()
print("good")
