"""Several Python threads of each rank send, receive and wait at the same time, at both thread levels that allow it."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize


levels = pytest.mark.parametrize("level", ["serialized", "multiple"])

THREADS = "import threading\nfrom concurrent.futures import ThreadPoolExecutor\nfrom together import together\n"


@levels
def test_threads_make_and_free_communicators_in_any_order(run_in_job, stack, level: str, mailboxes) -> None:
    # Each thread has its own communicator, and each rank its own order among them, as MPI allows.
    script = """
groups = [c.dup(), c.split(0, -rank), c.split(0 if rank < 2 else 1), c.split(min(rank, 1))]
def work(number):
    group, chance = groups[number], random.Random(rank)
    for turn in range(6):
        time.sleep(chance.random() * 1e-3)
        with group.dup() as twin, twin.split(twin.rank % 2) as half:
            row = np.full(2000 * number, twin.rank)
            assert (half.bcast(row) == twin.rank % 2).all()
            assert twin.split(None) is None and twin.allreduce(1) == group.size

together(work, 4)
for group in groups:
    group.free()
"""
    env = {**mailboxes, "POLYMPI_THREADS": level}
    run_in_job(PRELUDE + THREADS + script, 3, stack, env=env)


AT_WORK = {
    2: {
        "what one thread is refused harms no other": """
records = np.zeros(2000, "i4,f8")
def work(tag):
    for turn in range(30):
        if rank == 0:
            c.send([np.arange(4000), records, {"an": "object"}, np.arange(5)][(tag + turn) % 4], 1, tag)
            c.send(turn, 1, tag)
            continue
        for_it = [np.zeros(4000, "f4"), np.zeros(2000, "i8,f8"), np.zeros(9), np.zeros(4, int)][(tag + turn) % 4]
        request = c.irecv(0, tag, into=for_it)
        if turn % 2:
            with raises(mpi.Timeout):
                c.recv(0, 1000 + tag, timeout=1e-4)
        with raises([mpi.MismatchError, mpi.MismatchError, mpi.MismatchError, mpi.TruncationError][(tag + turn) % 4]):
            request.wait()
        assert c.recv(0, tag) == turn

together(work, 8)
""",
        "two threads that wait for one request never hang": """
for turn in range(40):
    value = [5, np.arange(10**5), [np.arange(5000), "x" * 9000]][turn % 3]
    requests = [c.irecv(other, 1), c.issend(value, other, 1)]
    WAYS = [lambda request: request.wait(), lambda request: mpi.wait_all([request])[0],
            lambda request: mpi.wait_any([request])[1], lambda request: request.test() and request.wait()]
    served = []
    def work(number):
        request = requests[number % 2]
        try:
            got = WAYS[(turn + number // 2) % 4](request)
        except mpi.StateError as error:
            assert "another thread waits for this request: only one may at a time" in str(error)
        else:
            assert got is False or number % 2 or same(got, value)
            served.append(number)

    together(work, 6)
    assert same(mpi.wait_all(requests), [value, None])
""",
        # Which thread gets which of the copies is open; but all are made.
        "threads that dup the same communicator come one after another": """
made = []
together(lambda number: made.append(c.dup()), 4)
assert len({id(twin) for twin in made}) == 4 and all(twin.size == size for twin in made)
assert c.allreduce(1) == size
""",
    },
    3: {
        "each thread with its own communicator": """
groups = [c.dup() for _ in range(8)]
def work(number):
    group = groups[number]
    row = np.full(2000 * number, rank)
    for _ in range(30):
        row = group.sendrecv(row, (rank + 1) % size, 7, (rank - 1) % size, 7)
    assert (row == (rank - 30) % size).all()
    group.barrier()

together(work, 8)
for group in groups:
    group.free()
""",
    },
}


@levels
@on_ranks(AT_WORK)
def test_threads(run_in_job, stack, level: str, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + THREADS + script, ranks, stack, env={"POLYMPI_THREADS": level})


@levels
@pytest.mark.parametrize("program", ["all_sizes", "computing", "shared_requests", "handlers"])
def test_programs_of_threads(run_in_job, stack, level: str, program: str) -> None:
    run_in_job(f"threads/{program}.py", 2, stack, env={"POLYMPI_THREADS": level})
