"""MYMPI: what its calls do on several ranks, how wrong ones are reported, and that its documented programs run."""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

MYMPI = (
    PRELUDE
    + """
from polympi.compat import mympi as old
from polympi.compat.mympi import *
from prelude import by_turns
assert mpi_init(len(sys.argv), sys.argv) == tuple(sys.argv)
W = MPI_COMM_WORLD
right, left = (rank + 1) % size, (rank - 1) % size
def shifted(x, count, datatype, tag=5, ask=None, to=None, comm=W):
    "What the left rank sends, when all send to the right."
    like = count if ask is None else ask, datatype if to is None else to
    return by_turns(lambda: mpi_send(x, count, datatype, right, tag, comm), lambda: mpi_recv(*like, left, tag, comm))
"""
)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_messages_are_rows_of_a_datatype(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
assert (mpi_comm_rank(W), mpi_comm_size(W)) == (rank, size)
assert same(mpi_start(1, "script"), np.array([rank, size]))
types = {
    MPI_INT: "i", MPI_FLOAT: "f", MPI_DOUBLE: "d", MPI_BYTE: "B", MPI_SHORT: "h", MPI_LONG: "l",
    MPI_LONG_LONG_INT: "q", MPI_LONG_DOUBLE: "g", MPI_UNSIGNED: "I", MPI_UNSIGNED_CHAR: "B", MPI_UNSIGNED_SHORT: "H",
    MPI_UNSIGNED_LONG: "L",
}
grid = np.arange(24.0).reshape(4, 6) + rank
from_left = np.arange(24.0).reshape(4, 6) + left
for datatype, code in types.items():
    for x, like in (
        (grid, from_left), (grid[0], from_left[0]), (grid[:, 2], from_left[:, 2]), (grid.T, from_left.T),
        (grid[::2, ::3], from_left[::2, ::3]), (grid.reshape(1, 2, 3, 2, 2), from_left), (grid.tolist(), from_left),
        (rank, left), (np.float32(rank), left), (np.array(rank), left), ((rank, 3), (left, 3)), ([], []),
        (np.full(50_000, rank, code), np.full(50_000, left)),
    ):
        expected = np.array(like, code).ravel()
        got = shifted(x, expected.size, datatype)
        assert (got.dtype, got.tolist()) == (code, expected.tolist()), (code, x)
        got[...] = 1  # it is writable
assert same(shifted([1.75, -1.75], 2, MPI_INT), np.array([1, -1], "i"))
# the first elements only, and more room than elements
assert same(shifted(grid, 3, MPI_DOUBLE), from_left.ravel()[:3])
assert same(shifted(grid[:, 0], 0, MPI_DOUBLE), np.zeros(0))
assert same(shifted(grid, 24, MPI_DOUBLE, ask=30), np.append(from_left, np.zeros(6)))
assert list(mpi_status()) == [left, 5, 0] and mpi_status().dtype == "i"
assert mpi_get_count(MPI_DOUBLE) == mpi_get_count(mpi_status(), MPI_DOUBLE) == 24
assert (mpi_get_count(MPI_INT), mpi_get_count(MPI_BYTE)) == (48, 192)
shifted(3, 1, MPI_INT)
assert mpi_get_count(MPI_DOUBLE) == MPI_UNDEFINED
# texts
for text in "", "a message", "ä" * 3:
    got = shifted(text, len(text), MPI_CHAR)
    assert got.shape == (len(text),) and "".join(got) == text
for text in b"", b"a message\\0", bytearray(b"bytes"):
    got = shifted(text, len(text), MPI_CHAR)
    assert got.dtype == "S1" and got.tobytes() == bytes(text)
assert "".join(shifted(["ab", "cd"], 4, MPI_CHAR)) == "abcd"
assert same(shifted(np.array([b"x", b"y"]), 2, MPI_CHAR), np.array([b"x", b"y"]))
assert b"".join(shifted(np.array([72, 105]), 2, MPI_CHAR)) == b"Hi"
assert "".join(shifted("abc", 3, MPI_CHAR, ask=5)) == "abc" and mpi_get_count(MPI_CHAR) == mpi_get_count(MPI_BYTE) == 3
# pairs
for x, like in ((2.5, rank), [(2.5, left)]), ([(1.5, rank), (2, 3)], [(1.5, left), (2, 3)]):
    got = shifted(x, len(like), MPI_DOUBLE_INT)
    assert got.tolist() == like and got.dtype.names == ("value", "place")
    assert same(shifted(got, len(like), MPI_DOUBLE_INT)["value"].copy(), got["value"].copy())
assert shifted([(1, 2)], 1, MPI_2INT).tolist() == shifted([(1, 2)], 1, MPI_SHORT_INT).tolist() == [(1, 2)]
# nobody
assert mpi_send(1, 1, MPI_INT, MPI_PROC_NULL, 1, W) == 0
assert same(mpi_recv(3, MPI_DOUBLE, MPI_PROC_NULL, 1, W), np.zeros(3))
assert list(mpi_status()) == [MPI_PROC_NULL, MPI_ANY_TAG, 0] and mpi_get_count(MPI_DOUBLE) == 0
assert mpi_probe(MPI_PROC_NULL, 1, W) == 0 and mpi_get_count(MPI_DOUBLE) == 0
"""
    run_in_job(MYMPI + script, ranks, stack)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_collectives_give_what_numpy_computes(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
root = size - 1
mine = lambda x: x if rank == root else None
assert mpi_barrier(W) == 0
# broadcast: a new array on all ranks
grid = np.arange(12.0).reshape(3, 4)
for x, count, datatype, expected in (
    (grid, 12, MPI_DOUBLE, grid.ravel()), (grid[:, 1], 3, MPI_DOUBLE, grid[:, 1].copy()), (grid, 2, MPI_INT, [0, 1]),
    (7, 1, MPI_INT, [7]), ([1, 2], 2, MPI_LONG, [1, 2]), (np.ones(50_000), 50_000, MPI_DOUBLE, np.ones(50_000)),
):
    got = mpi_bcast(mine(x), count, datatype, root, W)
    assert got.tolist() == list(expected) and got.flags.writeable
    got[...] = -1
assert grid.sum() == 66
assert "".join(mpi_bcast(mine("text"), 4, MPI_CHAR, root, W)) == "text"
assert mpi_bcast(mine(b"text"), 4, MPI_CHAR, root, W).tobytes() == b"text"
assert mpi_bcast(mine([1, 2]), 2 if rank == root else 4, MPI_INT, root, W).tolist()[:2] == [1, 2]
# reduce
rows = np.arange(3.0 * size).reshape(size, 3) % 5
assert same(mpi_reduce(rows[rank], 3, MPI_DOUBLE, MPI_SUM, root, W), rows.sum(0) if rank == root else np.zeros(0))
given = rows[rank].copy()
got = mpi_reduce(given, 3, MPI_DOUBLE, MPI_SUM, root, W)
got[...] = -1
assert same(given, rows[rank]) and mpi_reduce(1, 1, MPI_INT, MPI_SUM, root, W).tolist() == [size] * (rank == root)
for op, best in (MPI_MINLOC, min), (MPI_MAXLOC, max):
    values = [float((3 * k + 1) % 4) for k in range(size)]
    got = mpi_reduce((values[rank], rank), 1, MPI_DOUBLE_INT, op, root, W)
    assert got.tolist() == [(best(values), values.index(best(values)))] * (rank == root)
# scatter and gather
whole = np.arange(6 * size).reshape(size, 2, 3)
got = mpi_scatter(mine(whole), 6, MPI_INT, 6, MPI_INT, root, W)
assert same(got, whole[rank].ravel().astype("i")) and got.flags.writeable
got[...] = 0
assert whole[root, 0, 1] == 6 * root + 1
for give in got, got.tolist(), got.reshape(2, 3):
    assert mpi_gather(give, 6, MPI_INT, 6, MPI_INT, root, W).tolist() == [0] * 6 * size * (rank == root)
assert mpi_gather(rank, 1, MPI_DOUBLE, 1, MPI_DOUBLE, root, W).tolist() == list(range(size)) * (rank == root)
text = "".join(chr(97 + k) * 2 for k in range(size))
part = "".join(mpi_scatter(mine(text), 2, MPI_CHAR, 2, MPI_CHAR, root, W))
assert part == text[2 * rank:2 * rank + 2]
assert "".join(mpi_gather(part, 2, MPI_CHAR, 2, MPI_CHAR, root, W)) == text * (rank == root)
# pieces of several sizes, backwards, with a gap of two elements after each
counts = [k + 1 for k in range(size)]
places = [sum(counts[k + 1:]) + 2 * (size - 1 - k) for k in range(size)]
row = np.arange(places[0] + counts[0])
for each, at in (counts, places), (np.array(counts), np.array(places)), ([*counts, 9], [*places, 9]):
    got = mpi_scatterv(mine(row), each, at, MPI_INT, counts[rank], MPI_INT, root, W)
    assert got.tolist() == row[places[rank]:places[rank] + counts[rank]].tolist()
    back = mpi_gatherv(got + 1, counts[rank], MPI_INT, each, at, MPI_INT, root, W)
    expected = np.zeros(len(row), int)
    for k in range(size):
        expected[places[k]:places[k] + counts[k]] = row[places[k]:places[k] + counts[k]] + 1
    assert back.tolist() == (expected.tolist() if rank == root else [])
assert len(mpi_gatherv(1, 1, MPI_INT, [1] * size, [0] * size, MPI_INT, root, W)) == size * (rank == root)
# all to all
table = np.arange(size * size * 2).reshape(size, size, 2)
assert mpi_alltoall(table[rank], 2, MPI_INT, 2, MPI_INT, W).tolist() == table[:, rank].ravel().tolist()
starts = [sum(range(k)) for k in range(size)]
given = [100 * rank + k for k in range(size) for _ in range(k)]
places = [rank * k for k in range(size)]
got = mpi_alltoallv(given, list(range(size)), starts, MPI_INT, [rank] * size, places, MPI_INT, W)
assert got.tolist() == [100 * k + rank for k in range(size) for _ in range(rank)]
"""
    run_in_job(MYMPI + script, ranks, stack)


@pytest.mark.parametrize("ranks", [1, 3])
def test_communicators_and_groups_are_numbers(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
before = set(old.communicators.by_number)
twin = mpi_comm_dup(W)
assert (mpi_comm_rank(twin), mpi_comm_size(twin)) == (rank, size) and twin != W and isinstance(twin, int)
mpi_send(1, 1, MPI_INT, rank, 0, W)
mpi_send(2, 1, MPI_INT, rank, 0, twin)
assert mpi_recv(1, MPI_INT, rank, 0, twin) == 2 and mpi_recv(1, MPI_INT, rank, 0, W) == 1
assert mpi_comm_free(twin) == 0
with raises(old.error, f"rank {rank}, mpi_comm_rank(): there is no communicator {twin}, or it was freed", number=5):
    mpi_comm_rank(twin)
# by a color, in another order
part = mpi_comm_split(W, rank % 2, -rank)
members = [k for k in reversed(range(size)) if k % 2 == rank % 2]
assert (mpi_comm_rank(part), mpi_comm_size(part)) == (members.index(rank), len(members))
inner = mpi_comm_group(part)
assert mpi_group_rank(inner) == members.index(rank)
assert mpi_group_rank(mpi_group_incl(inner, 1, [0])) == (0 if members[0] == rank else MPI_UNDEFINED)
mpi_comm_free(part)
alone = mpi_comm_split(W, MPI_UNDEFINED if rank else 7, 0)
assert (alone == MPI_COMM_NULL) == (rank > 0)
if rank:
    with raises(old.error, "the communicator is MPI_COMM_NULL", number=5):
        mpi_comm_size(alone)
else:
    assert mpi_comm_size(alone) == 1
    mpi_comm_free(alone)
# by a group, whose order is that of the ranks
everyone = mpi_comm_group(W)
chosen = list(reversed(range(size)))[:max(1, size - 1)]
group = mpi_group_incl(everyone, len(chosen), np.array(chosen))
some = mpi_comm_create(W, group)
if rank in chosen:
    assert mpi_comm_rank(some) == mpi_group_rank(group) == chosen.index(rank) and mpi_comm_size(some) == len(chosen)
    again = mpi_comm_create(some, mpi_group_incl(mpi_comm_group(some), 1, [len(chosen) - 1]))
    assert (again != MPI_COMM_NULL) == (rank == chosen[-1])
    if again:
        mpi_comm_free(again)
    mpi_comm_free(some)
else:
    assert some == MPI_COMM_NULL and mpi_group_rank(group) == MPI_UNDEFINED
own = mpi_comm_create(W, mpi_group_incl(everyone, 1, [rank]))  # groups that have no rank in common
assert mpi_comm_size(own) == 1
mpi_comm_free(own)
if size > 1:
    with raises(old.error, f"rank {rank}, mpi_comm_create(): rank ", "give the same group", number=8):
        mpi_comm_create(W, mpi_group_incl(everyone, 2, [0, 1] if rank else [1, 0]))
assert set(old.communicators.by_number) == before
assert mpi_comm_get_parent() == MPI_COMM_NULL
# attributes, time, names
assert mpi_attr_get(W, MPI_TAG_UB) >= 32767 and mpi_attr_get(W, MPI_UNIVERSE_SIZE) == size
mpi_send(1, 1, MPI_INT, rank, mpi_attr_get(W, MPI_TAG_UB), W)
assert mpi_recv(1, MPI_INT, rank, MPI_ANY_TAG, W) == 1
assert (mpi_attr_get(W, MPI_HOST), mpi_attr_get(W, MPI_IO)) == (MPI_PROC_NULL, MPI_ANY_SOURCE)
with raises(old.error, "there is no attribute 99", number=12):
    mpi_attr_get(W, 99)
first = mpi_wtime()
time.sleep(0.002)
assert 0.002 <= mpi_wtime() - first < 60 and 0 < mpi_wtick() < 0.01
assert mpi_get_processor_name() == os.uname().nodename and pydusa_version() == VERSION == "1.15.0"
for name in old.__all__:
    assert hasattr(old, name)
"""
    run_in_job(MYMPI + script, ranks, stack)


ON_TWO_RANKS = {
    "a probe reports source tag and count": """
anything = MPI_ANY_SOURCE, MPI_ANY_TAG
assert mpi_iprobe(*anything, W) == 0
c.barrier()
mpi_send(np.arange(rank + 1), rank + 1, MPI_INT, other, 10 + rank, W)
assert mpi_probe(*anything, W) == 0
assert mpi_status().tolist() == [other, 10 + other, 0]
count = mpi_get_count(MPI_INT)
assert count == mpi_get_count(mpi_status(), MPI_INT) == other + 1
# it is still there, for probes and for the first receive that matches; others come meanwhile
assert mpi_send([8, 9], 2, MPI_INT, other, 1, W) == 0
assert mpi_recv(2, MPI_INT, other, 1, W).tolist() == [8, 9] and mpi_get_count(MPI_INT) == 2
for found in (other, MPI_ANY_TAG), (MPI_ANY_SOURCE, 10 + other), (other, 10 + other), anything:
    for probe, gives in (mpi_probe, 0), (mpi_iprobe, 1):
        assert probe(*found, W) == gives
        assert mpi_status().tolist() == [other, 10 + other, 0] and mpi_get_count(MPI_INT) == count
assert mpi_iprobe(other, 1, W) == mpi_iprobe(rank, MPI_ANY_TAG, W) == 0
assert mpi_recv(count, MPI_INT, *anything, W).tolist() == list(range(other + 1))
assert mpi_iprobe(*anything, W) == 0
c.barrier()
# without asking for the count, messages come in the order in which they were sent; large ones, too
for k in range(3):
    if rank == 0:
        mpi_send(np.full(40_000, k), 40_000, MPI_INT, 1, k, W)
    else:
        mpi_probe(0, k, W)
        if k == 1:
            assert mpi_get_count(MPI_INT) == 40_000
        assert mpi_recv(40_000, MPI_INT, 0, MPI_ANY_TAG, W)[7] == k
        assert mpi_status()[1] == k
# a tag of which none was kept comes from outside
if rank == 0:
    mpi_send([1], 1, MPI_INT, 1, 1, W)
    mpi_send([2], 1, MPI_INT, 1, 2, W)
else:
    mpi_probe(0, 1, W)
    assert mpi_get_count(MPI_INT) == 1
    assert mpi_recv(1, MPI_INT, 0, 2, W) == 2 and mpi_recv(1, MPI_INT, 0, 1, W) == 1
""",
    "mistakes are reported in one sentence": """
def fails(number, *words):
    return raises(old.error, *words, number=number)
with fails(6, f"rank {rank}, send(", "dest is 9"):
    mpi_send(1, 1, MPI_INT, 9, 0, W)
assert mpi_error() == 6 and mpi_status()[2] == 6
with fails(6, "source is -1"):
    mpi_recv(1, MPI_INT, -1, 0, W)
with fails(4, "tag is -5"):
    mpi_send(1, 1, MPI_INT, rank, -5, W)
for call in mpi_probe, mpi_iprobe:
    with fails(6, "source is 9"):
        call(9, 0, W)
with fails(2, f"rank {rank}, mpi_send(): the count is 4, but the buffer has 3 elements"):
    mpi_send([1, 2, 3], 4, MPI_INT, rank, 0, W)
with fails(2, "the count is -1"):
    mpi_send([1, 2, 3], -1, MPI_INT, rank, 0, W)
with fails(3, f"rank {rank}, mpi_send(): there is no datatype 12: give one like MPI_INT"):
    mpi_send(1, 1, 12, rank, 0, W)
with fails(3, "the datatype MPI_PACKED has no elements"):
    mpi_send(1, 1, MPI_PACKED, rank, 0, W)
with fails(3, f"rank {rank}, mpi_recv(): elements of MPI_INT came where MPI_DOUBLE was asked for"):
    shifted([1, 2], 2, MPI_INT, to=MPI_DOUBLE)
with fails(14, f"rank {rank}, mpi_recv(): 3 elements came where 2 were asked for: give a larger count"):
    shifted([1, 2, 3], 3, MPI_INT, ask=2)
with fails(5, f"rank {rank}, mpi_send(): there is no communicator 7"):
    mpi_send(1, 1, MPI_INT, rank, 0, 7)
with fails(5, "MPI_COMM_WORLD cannot be freed"):
    mpi_comm_free(W)
with fails(8, "mpi_group_rank(): there is no group 7"):
    mpi_group_rank(7)
with fails(6, "the ranks are [0, 5] and n is 2: give n different ranks of 0 to 1"):
    mpi_group_incl(mpi_comm_group(W), 2, [0, 5])
with fails(12, "there is no error handler 3"):
    mpi_comm_set_errhandler(W, 3)
with fails(12, "mpi_get_count(): give a datatype"):
    mpi_get_count()
for what, op in (1, 99), (1, MPI_COMM_WORLD), (1, MPI_MAXLOC):
    with fails(9, f"rank {rank}, mpi_reduce(): "):
        mpi_reduce(what, 1, MPI_DOUBLE, op, 0, W)
with fails(9, "MPI_MINLOC and MPI_MAXLOC combine pairs"):
    mpi_reduce((1, 2), 1, MPI_2INT, MPI_SUM, 0, W)
with fails(9, "characters cannot be combined"):
    mpi_reduce("a", 1, MPI_CHAR, MPI_MAX, 0, W)
with fails(12, "there are 1 counts and 2 displacements for 2 ranks"):
    mpi_alltoallv([1, 2], [1], [0, 1], MPI_INT, [1, 1], [0, 1], MPI_INT, W)
with fails(2, "counts and displacements must be 0 or more"):
    mpi_alltoallv([1, 2], [1, 1], [0, -1], MPI_INT, [1, 1], [0, 1], MPI_INT, W)
with fails(2, f"rank {rank}, mpi_alltoall(): the pieces of all ranks reach to element 4, but the buffer has 3"):
    mpi_alltoall([1, 2, 3], 2, MPI_INT, 2, MPI_INT, W)
twin = mpi_comm_dup(W)  # collectives that only one rank can make
with fails(6, "root is 5"):
    mpi_bcast(1, 1, MPI_INT, 5, twin)
mpi_comm_free(twin)
with raises(ValueError, "could not convert"):
    mpi_send("text", 4, MPI_DOUBLE, rank, 0, W)
with raises(TypeError, "positional"):
    mpi_send(buf=1, count=1, datatype=MPI_INT, dest=0, tag=0, comm=W)
# what is not there
for call in (
    mpi_isend, mpi_irecv, mpi_test, mpi_wait, mpi_comm_spawn, mpi_array_of_errcodes, mpi_intercomm_merge, mpi_open_port,
    mpi_close_port, mpi_comm_accept, mpi_comm_connect, mpi_comm_disconnect, mpi_win_allocate_shared,
    mpi_win_shared_query, mpi_win_free, mpi_comm_split_type,
):
    with raises(NotImplementedError, f"{call.__name__} of MYMPI is not in polympi.compat.mympi: "):
        call(1, 2, 3)
""",
    "errors are numbers for a program that asks for these": """
import io
quiet = mpi_comm_dup(W)
for handler, printed in (1, ""), (2, "mpi generated the error {}\\n"):
    assert mpi_comm_set_errhandler(quiet, handler) == 0
    def reported(number, call):
        "What a call gives that makes an error."
        with contextlib.redirect_stdout(io.StringIO()) as out:
            got = call()
        assert out.getvalue() == printed.format(number), out.getvalue()
        assert mpi_error() == number == mpi_status()[2], mpi_error()
        assert mpi_wtime() and mpi_send(1, 1, MPI_INT, MPI_PROC_NULL, 0, quiet) == mpi_error() == 0
        return got
    assert reported(6, lambda: mpi_send(1, 1, MPI_INT, 9, 0, quiet)) == 6
    assert reported(4, lambda: mpi_send(1, 1, MPI_INT, 0, -1, quiet)) == 4
    assert reported(2, lambda: mpi_send(1, 2, MPI_INT, 0, 0, quiet)) == 2
    assert reported(6, lambda: mpi_probe(9, 0, quiet)) == 6 and reported(6, lambda: mpi_iprobe(9, 0, quiet)) == 0
    assert same(reported(6, lambda: mpi_recv(2, MPI_DOUBLE, 9, 0, quiet)), np.zeros(2))
    mpi_send([1, 2, 3], 3, MPI_INT, rank, 0, quiet)
    assert same(reported(14, lambda: mpi_recv(2, MPI_INT, rank, 0, quiet)), np.zeros(2, "i"))
    mpi_send([1, 2, 3], 3, MPI_INT, rank, 0, quiet)
    assert same(reported(3, lambda: mpi_recv(3, MPI_DOUBLE, rank, 0, quiet)), np.zeros(3))
    assert same(reported(2, lambda: mpi_alltoall([1], 1, MPI_INT, 1, MPI_INT, quiet)), np.zeros(0, "i"))
    assert reported(8, lambda: mpi_comm_create(quiet, 7)) == MPI_COMM_NULL
    assert reported(3, lambda: mpi_comm_split(quiet, -5, 0)) == MPI_COMM_NULL
    heir = mpi_comm_dup(quiet)  # takes the handler over
    assert reported(6, lambda: mpi_send(1, 1, MPI_INT, 9, 0, heir)) == 6
    assert same(reported(6, lambda: mpi_bcast(1, 2, MPI_INT, 5, heir)), np.zeros(2, "i"))
    mpi_comm_free(heir)
mpi_comm_free(quiet)
with raises(old.error):  # others are as they were
    mpi_send(1, 1, MPI_INT, 9, 0, W)
""",
}


@pytest.mark.parametrize("script", ON_TWO_RANKS.values(), ids=ON_TWO_RANKS)
def test_calls_of_two_ranks(run_in_job, stack: Stack, script: str) -> None:
    run_in_job(MYMPI + script, 2, stack)
