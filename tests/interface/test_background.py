"""Progress on pending calls by `progress`, and by a thread while a rank computes."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

MEANWHILE = """
from pathlib import Path
import tempfile

folder = tempfile.TemporaryDirectory() if rank == 0 else None
place = Path(c.bcast(folder.name if folder else None))

def computes_until(name):
    end = time.monotonic() + 100
    while not (place / name).exists():
        assert time.monotonic() < end, name
        time.sleep(0.01)

def over():
    c.barrier()
    if folder:
        folder.cleanup()

def begun():
    joined = mpi.op(lambda lower, higher: lower + higher, commutative=False)
    return [c.iallgather(np.full(200_000, rank)), c.iallreduce(np.full(200_000, rank)), c.iallreduce([rank], joined)]
"""

CASES = {
    "without a thread the others wait": MEANWHILE
    + """
requests = begun()
if rank:
    with raises(mpi.Timeout):
        mpi.wait_all(requests, timeout=0.3)
    (place / "given up").touch()
else:
    computes_until("given up")
assert mpi.wait_all(requests)[2] == [0, 1]
over()
""",
    "with one they don't": MEANWHILE
    + """
with mpi.progress_thread():
    requests = begun()
    if rank:
        pieces, total, ranks = mpi.wait_all(requests, timeout=100)
        (place / "complete").touch()
    else:
        computes_until("complete")
        pieces, total, ranks = mpi.wait_all(requests)
assert int(pieces[1][-1]) == 1 and int(total[-1]) == 1 and ranks == [0, 1]
over()
""",
    "or where the rank calls progress": MEANWHILE
    + """
requests = begun()
if rank:
    mpi.wait_all(requests, timeout=100)
    (place / "complete").touch()
else:
    while not (place / "complete").exists():
        mpi.progress()
    assert mpi.test_all(requests)
over()
""",
    "a thread ends with its statement, however that ends": """
import threading
before = threading.active_count()
with raises(ZeroDivisionError), mpi.progress_thread(), mpi.progress_thread(1e-3):
    assert threading.active_count() == before + 2
    c.sendrecv(rank, other, source=other)
    1 / 0
assert threading.active_count() == before
for wrong in 0, -1, float("nan"), float("inf"):
    with raises(ValueError, "must be a positive number"), mpi.progress_thread(wrong):
        pass
""",
}


@on_ranks({2: CASES})
def test_progress(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)


def test_the_program_ends_in_the_statement(run, stack) -> None:
    script = """
import polympi as mpi
with mpi.progress_thread():
    mpi.world.barrier()
    mpi.finalize()
    mpi.progress()
with mpi.progress_thread():
    pass
"""
    ended = run(script, 2, stack)
    assert ended.exit_code != 0
    assert "StateError" in ended.stderr
    run(
        "import polympi as mpi, sys\nwith mpi.progress_thread():\n    mpi.world.barrier()\n    sys.exit()\n", 2, stack
    ).ends()


def test_one_thread_alone_cannot(run, stack) -> None:
    script = """
from prelude import raises
import polympi as mpi
mpi.init(threads="funneled")
if mpi.thread_level() == "funneled":
    with raises(mpi.StateError, "its thread level is funneled"), mpi.progress_thread():
        pass
"""
    run(script, 1, stack).ends()
