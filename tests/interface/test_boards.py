"""Large data of collectives through memory that ranks share, as they travel where ranks outnumber processors."""

import os
import subprocess
from pathlib import Path

import pytest
from rank_programs import PRELUDE

pytestmark = [pytest.mark.sanitize]

# Enough to be oversubscribed, and the most that have mailboxes and boards; more are for large machines.
CROWD = len(os.sched_getaffinity(0)) + 3
pytestmark.append(pytest.mark.skipif(CROWD > 32, reason="this many ranks have no boards"))

PROGRAMS = Path(__file__).parent / "programs"
# What lies around the size of a page, and goes around the board several times.
SIZES = "[4096, 32767, 32768, 32769, 65536, 300_000, 1 << 20, (1 << 20) + 1, 3_000_000]"

VALUES = """
def value(nbytes, seed):
    return np.random.default_rng(seed).integers(0, 256, nbytes, "u1")
"""


def test_all_sizes_arrive(run_in_job, stack, mailboxes) -> None:
    script = f"""
for number, nbytes in enumerate({SIZES}):
    root = number % size
    mine, all_of_them = value(nbytes, rank), [value(nbytes, other) for other in range(size)]
    rows = np.array(all_of_them)
    here, one, several = rank == root, np.zeros(nbytes, "u1"), np.zeros((size, nbytes), "u1")
    wide = np.zeros((size, 2 * nbytes), "u1")[:, ::2]
    assert same(c.bcast(mine if here else None, root), all_of_them[root])
    assert c.bcast(mine.tobytes() if here else None, root) == all_of_them[root].tobytes()
    assert c.ibcast(mine.tobytes() if here else None, root).wait() == all_of_them[root].tobytes()
    assert c.bcast(mine.tobytes() if here else None, root, into=one) is one and same(one, rows[root])
    one[:] = 0
    assert same(c.gather(mine, root), all_of_them if here else None)
    assert same(c.scatter(all_of_them if here else None, root), mine)
    assert same(c.allgather(mine), all_of_them)
    assert same(c.alltoall([value(nbytes, size * rank + other) for other in range(size)]),
                [value(nbytes, size * other + rank) for other in range(size)])
    assert c.bcast(mine if here else None, root, into=one) is one and same(one, rows[root])
    one[:] = 0
    assert c.scatter(rows if here else None, root, into=one.reshape(1, -1)) is not None and same(one, rows[rank])
    c.gather(mine, root, into=several)
    assert same(several, rows if here else np.zeros_like(rows))
    for target in several, wide:
        target[:] = 0
        assert c.allgather(mine, into=target) is target and np.array_equal(target, rows)
        target[:] = 0
        c.alltoall(np.array([value(nbytes, size * rank + other) for other in range(size)]), into=target)
        assert all(np.array_equal(target[other], value(nbytes, size * other + rank)) for other in range(size))
"""
    run_in_job(PRELUDE + VALUES + script, CROWD, stack, env=mailboxes)


LARGE_DATA = {
    "large arrays are combined": """
for number, count in enumerate([1500, 4096, 4097, 20_000, 131_072, 131_073]):
    for dtype in "f8", "i4", "i2", "c16":
        given = [(np.random.default_rng(other).random(count) * 1000).astype(dtype) for other in range(size)]
        total = sum(given[1:], given[0])
        result, into = c.allreduce(given[rank]), np.empty(count, dtype)
        assert result.dtype == dtype and np.allclose(result, total, rtol=1e-12)
        assert len({bytes(other) for other in c.allgather(result.tobytes())}) == 1
        assert same(c.allreduce(given[rank], into=into), result)
        into[:] = given[rank]
        assert same(c.allreduce(into, into=into), result)
        wide = np.zeros(2 * count, dtype)[::2]
        c.allreduce(np.repeat(given[rank], 2)[::2], into=wide)
        assert same(wide.copy(), result)
        if dtype != "c16":
            assert same(c.allreduce(given[rank], mpi.MAX), np.max(given, axis=0))
""",
    "values of several parts arrive": """
def values(seed):
    square = value(90_000, seed).reshape(300, 300)
    return [{"a": value(50_000, seed), "b": [value(5000, seed + 1), value(100_000, seed + 2).tobytes()]},
            square.T, square[::2, ::-1], value(5000, seed) if seed % 2 else None, b"", "x" * 10_000,
            [value(5000, seed + i) for i in range(40)]]  # says more than a slot has room for

for repeat in range(3):
    for mine, *given in zip(values(rank), *(values(other) for other in range(size))):
        for root in 0, size - 1:
            here = rank == root
            assert same(c.bcast(mine if here else None, root), given[root])
            assert same(c.gather(mine, root), given if here else None)
            assert same(c.scatter(given if here else None, root), mine)
        assert same(c.allgather(mine), given)
        assert same(c.alltoall([mine] * size), given)
""",
    "what does not fit leaves nobody behind": """
rows = np.array([value(200_000, other) for other in range(size)])
for repeat in range(5):
    small = np.zeros(1000, "u1") if rank == 1 else None
    calls = [lambda: c.bcast(rows[0] if rank == 0 else None, into=small), lambda: c.scatter(list(rows), into=small),
             lambda: c.gather(rows[rank], 1, into=small), lambda: c.allgather(rows[rank], into=small),
             lambda: c.alltoall(list(rows), into=small)]
    for call in calls:
        if rank == 1:
            with raises(mpi.TruncationError):
                call()
        else:
            call()
    assert same(c.allgather(rows[rank]), list(rows))
""",
}


@pytest.mark.parametrize("script", LARGE_DATA.values(), ids=LARGE_DATA)
def test_large_data(run_in_job, stack, script: str) -> None:
    run_in_job(PRELUDE + VALUES + script, CROWD, stack)


@pytest.mark.one_host  # on several, a rank that gives up may be the one that others get their data from
def test_ranks_that_give_up_hold_nobody_up(run_in_job, stack) -> None:
    # More calls than the board has room for, each of which a rank leaves before it has read.
    script = """
for repeat in range(12):
    comm = c.dup() if repeat % 6 == 0 else comm
    root, late = repeat % size, (repeat + 1) % size
    in_turn()
    if rank == root:
        time.sleep(0.3)
        comm.bcast(value(200_000, repeat), root)
    elif rank == late:
        with raises(mpi.Timeout):
            comm.bcast(root=root, timeout=0.1)
    else:
        assert same(comm.bcast(root=root), value(200_000, repeat))
    in_turn()
for root in range(size):
    assert same(comm.bcast(value(3_000_000, root) if rank == root else None, root), value(3_000_000, root))
    assert same(comm.allgather(value(100_000, rank)), [value(100_000, other) for other in range(size)])
"""
    run_in_job(PRELUDE + VALUES + script, CROWD, stack)


@pytest.mark.one_host  # on several, a rank that gives up may be the one that others get their data from
def test_a_rank_that_waits_for_data_of_one_that_has_given_up_learns_it(run_in_job, stack) -> None:
    # The last rank comes too late to read, so that rank 0 has no room for all it has to write, and gives up.
    script = """
last = size - 1
for repeat in range(3):
    in_turn()
    if rank == last:
        time.sleep(0.8)
        with raises(mpi.Timeout, "rank 0 has left this call"):
            c.bcast()
    elif rank == 0:
        with raises(mpi.Timeout, "rank 0 waited 0.3 s in bcast()"):
            c.bcast(value(5_000_000, 0), timeout=0.3)
    else:
        with raises(mpi.Timeout, "rank 0 has left this call"):
            c.bcast()
    in_turn()
    assert same(c.bcast(value(5_000_000, repeat) if rank == 0 else None), value(5_000_000, repeat))
    assert same(c.gather(value(100_000, rank)), [value(100_000, r) for r in range(size)] if rank == 0 else None)
"""
    run_in_job(PRELUDE + VALUES + script, CROWD, stack)


def test_a_rank_that_loses_its_processor_takes_nobody_for_gone(run, stack, tmp_path: Path) -> None:
    """While it did not look, one rank came to its end and another one became the one to wait for."""
    parts, library = tmp_path / "slow_probes.o", tmp_path / "slow_probes.so"
    source = PROGRAMS / "slow_probes.c"
    subprocess.run([stack.mpicc, "-fPIC", "-c", str(source), "-o", str(parts)], check=True, env=stack.variables())
    subprocess.run(["cc", "-shared", str(parts), "-o", str(library)], check=True)
    script = """
for number in range(40):
    root = number % size
    mine = np.arange(100_000.0) + rank
    gathered = c.gather(mine, root)
    assert rank != root or all(same(one, np.arange(100_000.0) + other) for other, one in enumerate(gathered))
"""
    run(PRELUDE + script, CROWD, stack, env={"LD_PRELOAD": str(library)}).succeeded()


def test_a_rank_that_loses_its_processor_reads_what_was_written(run, stack) -> None:
    """More parts than a board has pages: none may be written over before it was read."""
    script = """
from stopped_at_times import stopped_at_times

def values(seed):
    return [value(5000, seed + part) for part in range(40)]

all_of_them = [values(other) for other in range(size)]
with stopped_at_times():
    for number in range(1200):
        root = number % size
        gathered = c.gather(all_of_them[rank], root)
        assert rank != root or same(gathered, all_of_them), f"gather {number} on {rank}"
"""
    run(PRELUDE + VALUES + script, CROWD + 1, stack).succeeded()
