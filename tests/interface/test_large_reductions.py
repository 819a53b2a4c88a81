"""Reductions of large arrays: what they give, and ranks that leave them while data are on their way."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize

# Up to 32 KiB, just above, not divisible by the number of ranks, and more than goes over boards.
COUNTS = "[4096, 4097, 50_001, 131_073, 200_003]"


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_every_rank_gets_the_combination_of_all(run_in_job, stack, ranks: int) -> None:
    script = f"""
import zlib

operations = {{mpi.SUM: np.add, mpi.MAX: np.maximum, mpi.BXOR: np.bitwise_xor, mpi.PROD: np.multiply}}
for number, count in enumerate({COUNTS}):
    root = number % size
    for dtype in "i8", "i2", "f8", "c16":
        given = [np.random.default_rng(other).integers(0, 100, count).astype(dtype) for other in range(size)]
        mine = given[rank]
        for op, combine in operations.items():
            if (op == mpi.BXOR and dtype in ("f8", "c16")) or (op == mpi.MAX and dtype == "c16"):
                continue
            with np.errstate(over="ignore"):
                total = combine.reduce(given, dtype=dtype)
            into = np.zeros(count, dtype)
            agree = np.allclose if dtype in ("f8", "c16") else np.array_equal
            assert c.allreduce(mine, op, into=into) is into and agree(into, total), (count, dtype, op)
            assert len(set(c.allgather(zlib.crc32(into)))) == 1  # the same bits
            result = c.reduce(mine, op, root)
            assert agree(result, total) if rank == root else result is None
            assert np.array_equal(mine, given[rank])
            into[:] = mine
            assert c.allreduce(into, op, into=into) is into and agree(into, total)
            into[:] = mine
            c.reduce(into, op, root, into=into if rank == root else None)
            assert agree(into, total if rank == root else mine)
"""
    run_in_job(PRELUDE + script, ranks, stack)


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_rank_that_leaves_in_the_middle_holds_nobody_up(run_in_job, stack, mailboxes, ranks: int) -> None:
    # The last rank stands still in a signal handler, before or while data are on their way.
    script = """
import signal

signal.signal(signal.SIGALRM, lambda *_: time.sleep(0.6))
mine = np.full(4_000_000, rank + 1.0)
total = size * (size + 1) / 2
for turn in range(8):
    call = c.allreduce if turn % 2 else c.reduce
    in_turn()
    if rank == size - 1:
        signal.setitimer(signal.ITIMER_REAL, 0.003 * (turn + 1))
        result = call(mine, timeout=30)
        assert result is None or (result == total).all()
        signal.setitimer(signal.ITIMER_REAL, 0)
    else:
        try:
            result = call(mine, timeout=0.4)
            assert (result is None and call == c.reduce and rank) or (result == total).all()
        except mpi.Timeout:
            pass
    assert (mine == rank + 1).all()
    assert c.allreduce(mine[:100_000], timeout=30)[-1] == total
"""
    run_in_job(PRELUDE + script, ranks, stack, env=mailboxes)
