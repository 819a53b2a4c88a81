"""Pools: tasks and their results; and what makes other pools hang, which must fail or go on here."""

import pytest
from rank_programs import PRELUDE, on_ranks

FUNCTIONS = """
import functools
import operator
import re
import signal
import pickle
import threading
from concurrent.futures import BrokenExecutor, CancelledError, as_completed
from concurrent.futures import TimeoutError as TooLate

def square(x):
    return x * x

def where(*_):
    return mpi.world.rank

def slow(seconds):
    time.sleep(seconds)
    return mpi.world.rank

def fails(error):
    raise error
"""

# On one rank the root works itself; each program must find the same there.
CASES = {
    "results are in order, and exceptions come with their traceback": """
with mpi.pool() as pool:
    if pool:
        assert pool.size == max(1, size - 1)
        assert list(pool.map(square, range(1000))) == [x * x for x in range(1000)]
        assert list(pool.map(operator.add, [1, 2, 3], (x for x in (10, 20)))) == [11, 22]
        assert list(pool.starmap(pow, [(2, 3), (3, 2)], chunksize=1)) == [8, 9]
        assert list(pool.map(square, range(10), chunksize=3)) == [x * x for x in range(10)]
        assert sorted(pool.imap_unordered(square, range(300))) == [x * x for x in range(300)]
        assert list(pool.map(square, [])) == [] and list(pool.map(square, [], chunksize=2)) == []
        assert pool.submit(pow, 3, exp=2).result() == 9
        future = pool.submit(fails, ValueError("no", 3))
        error = future.exception()
        assert type(error) is ValueError and error.args == ("no", 3)
        assert re.search(r"on rank \\d", str(error.__cause__)) and "in fails" in str(error.__cause__)
        many = pool.map(fails, [KeyError("a"), KeyError("b")])
        with raises(KeyError, "a"):
            next(many)
        assert {f.result() for f in as_completed([pool.submit(square, x) for x in range(9)])} == {
            x * x for x in range(9)
        }
    else:
        with raises(mpi.StateError, "this rank is a worker, and the pool has ended"):
            pool.submit(square, 1)
assert c.allreduce(1) == size
""",
    "results are taken lazily": """
taken = []
def numbers():
    for x in range(50):
        taken.append(x)
        yield x
with mpi.pool() as pool:
    if pool:
        results = pool.map(square, numbers(), buffersize=4)
        assert taken == [0, 1, 2, 3]
        assert next(results) == 0 and taken == [0, 1, 2, 3, 4]
        assert list(results) == [x * x for x in range(1, 50)]
        endless = pool.imap_unordered(square, itertools.count(), buffersize=3)
        assert len(list(itertools.islice(endless, 20))) == 20
        endless.close()
        with raises(TooLate):
            list(pool.map(slow, [0, 30], timeout=0.05))
        assert list(pool.map(square, range(5))) == [0, 1, 4, 9, 16]
        with raises(ValueError, "buffersize is 0"):
            pool.map(square, [1], buffersize=0)
""".replace("30", "1"),
    "what can't be pickled fails alone": """
class Broken:  # can be pickled, not unpickled
    def __reduce__(self):
        return fails, (ValueError("broken"),)

class Odd(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")

def make_broken():
    return Broken()

def make_lock():
    return threading.Lock()

def raises_odd():
    raise Odd(1, 2)

def of_worker():
    sys.modules["on_worker"] = module = type(sys)("on_worker")
    exec("class Thing: pass\\nclass Failure(Exception): pass", module.__dict__)
    return module

def thing():
    return of_worker().Thing()

def failure():
    raise of_worker().Failure("far away")

with mpi.pool() as pool:
    if pool:
        assert "lambda" in str(pool.submit(lambda: 1).exception())
        with raises(pickle.PicklingError, "the function <lambda> can't be pickled", "install cloudpickle"):
            pool.map(lambda x: x, [1])
        mixed = [pool.submit(square, x) for x in (1, threading.Lock(), 3)]
        assert [type(f.exception()) for f in mixed] == [type(None), pickle.PicklingError, type(None)]
        assert "an argument of square can't be pickled" in str(mixed[1].exception())
        assert type(pool.submit(make_lock).exception()) is pickle.PicklingError
        assert str(pool.submit(square, Broken()).exception()) == "broken"
        assert "can't be unpickled: ValueError: broken" in str(pool.submit(make_broken).exception())
        odd = pool.submit(raises_odd).exception()
        assert type(odd) is mpi.Error and "Odd: 1 and 2, which can't be unpickled: TypeError" in str(odd), odd
        assert "in raises_odd" in str(odd.__cause__)
        if size > 1:
            assert "No module named 'on_worker'" in str(pool.submit(thing).exception())
            assert "No module named 'on_worker'" in str(pool.submit(failure).exception())
        for error in SystemExit(3), KeyboardInterrupt("there"), MemoryError("full"), GeneratorExit():
            found = pool.submit(fails, error).exception()
            assert type(found) is type(error) and found.args == error.args
        with raises(TypeError, "a pool can't be sent or pickled"):
            pickle.dumps(pool)
        assert pool.submit(square, 5).result() == 25
""",
    "tasks and pools that are dropped": """
def stops_midway():
    yield from range(3)
    raise LookupError("midway")

def nested():
    with mpi.pool() as pool:
        return list(pool.map(square, [1]))

with mpi.pool() as pool:
    if pool:
        with raises(LookupError, "midway"):
            pool.map(square, stops_midway())
        with raises(mpi.StateError, "a task of a pool can't make a pool"):
            pool.submit(nested).result()
        running = [pool.submit(slow, 0.2) for _ in range(2 * pool.size)]
        waiting = [pool.submit(square, x) for x in range(100)]
        assert waiting[-1].cancel() and waiting[-1].cancelled()
        pool.shutdown(cancel_futures=True)
        assert running[0].result() in range(size)
        assert sum(f.cancelled() for f in waiting) >= 90
        with raises(mpi.StateError, "the pool has ended"):
            pool.submit(square, 1)
c.barrier()
if rank == 0:
    with raises(mpi.StateError, "the pool hasn't begun"):
        mpi.pool().submit(square, 1)
with raises(mpi.RankError, "the root is 99"), mpi.pool(99):
    pass
with raises(ValueError, "retries is -1"):
    mpi.pool(retries=-1)
c.barrier()
""",
    "pools after one another, at once, and of other ranks": """
for root in range(size):
    with mpi.pool(root) as pool:
        if pool:
            assert rank == root and list(pool.map(square, range(10))) == [x * x for x in range(10)]
with mpi.pool() as one, mpi.pool() as two:
    if one and two:
        a, b = one.map(square, range(50)), two.map(slow, [0.001] * 50)
        assert next(a) == 0 and next(b) in range(size)
        with mpi.pool() as three:
            assert three.submit(square, 7).result() == 49
        if size > 1:
            with raises(mpi.StateError, "another root"), mpi.pool(1):
                pass
with c.split(0, -rank) as backwards, mpi.pool(comm=backwards) as pool:
    if pool:
        assert rank == size - 1 and pool.submit(where).result() in range(size)
with c.split(rank % 2) as half, mpi.pool(comm=half) as pool:
    if pool:
        assert half.rank == 0 and set(pool.map(where, range(9))) <= set(range(rank % 2, size, 2))
with mpi.pool(comm=mpi.self_world) as mine:
    assert mine.submit(where).result() == rank
with mpi.pool():
    pass
""",
    "the root works, too": """
with mpi.pool(root_works=True) as pool:
    if pool:
        assert pool.size == size
        assert set(pool.map(slow, [0.02] * 30)) == set(range(size))
        held = [1]
        assert list(pool.map(list.append, [held] * 9, range(9))) == [None] * 9 and held == [1]
""",
    "data and functions are sent once": """
class Counted:
    made = 0
    def __init__(self, value):
        self.value = value
    def __reduce__(self):
        return Counted.make, (self.value,)
    @staticmethod
    def make(value):
        Counted.made += 1
        return Counted(value)
    def __call__(self, x):
        return x + self.value
def uses(data, x):
    assert type(data) is Counted
    return data.value + x, Counted.made, rank
def total(x, row):
    row[:] += x
    return float(row.sum())
def peek(data):
    return data.value
with mpi.pool() as pool:
    if pool:
        handle = pool.shared(Counted(5))
        found = list(pool.map(uses, [handle] * 300, range(300)))
        assert [value for value, _, _ in found] == list(range(5, 305)) and {made for _, made, _ in found} == {1}
        assert list(pool.map(functools.partial(uses, handle), [7]))[0][0] == 12
        assert handle.value.value == 5
        with raises(TypeError, "shared data can be pickled for tasks"):
            pickle.dumps(handle)
        second = pool.shared(Counted(6))
        del handle
        assert {value for value, _, _ in pool.map(uses, [second] * 9, [0] * 9)} == {6}
        row = np.zeros(100_000)  # sent from its own memory, and not changed by tasks
        assert list(pool.map(total, range(4), [row] * 4)) == [0, 1e5, 2e5, 3e5] and not row.any()
        assert pool.submit(np.full, 200_000, 2.5).result().tolist() == [2.5] * 200_000
        adder = Counted(1)
        assert list(pool.map(adder, range(5))) == [1, 2, 3, 4, 5]
        adder.value = 2  # another function from now on
        assert list(pool.map(adder, range(5))) == [2, 3, 4, 5, 6]
""",
    "initializers": """
ready = []
def fill(x):
    ready.append(x)
def look(_):
    return ready
with mpi.pool(initializer=fill, initargs=(4,)) as pool:
    if pool:
        assert list(pool.map(look, range(100))) == [[4]] * 100
with mpi.pool(initializer=fails, initargs=(ValueError("at first"),)) as pool:
    if pool:
        error = pool.submit(square, 1).exception()
        assert isinstance(error, BrokenExecutor) and "the initializer of the pool failed: ValueError: at first" in str(
            error
        )
        with raises(mpi.WorkerError, "at first"):
            pool.submit(square, 1)
""",
    "callbacks submit": """
done = threading.Event()
chain = []
def next_one(future):
    chain.append(future.result())
    if len(chain) < 50:
        pool.submit(square, len(chain)).add_done_callback(next_one)
    else:
        done.set()
with mpi.pool() as pool:
    if pool:
        pool.submit(square, 0).add_done_callback(next_one)
        assert done.wait(60) and chain == [x * x for x in range(50)]
        threads = [threading.Thread(target=lambda: chain.append(sum(pool.map(square, range(500))))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert chain[50:] == [sum(x * x for x in range(500))] * 4
""",
    "many tasks": """
with mpi.pool() as pool:
    if pool:
        assert sum(pool.map(square, range(100_000))) == sum(x * x for x in range(100_000))
        futures = [pool.submit(square, x) for x in range(5000)]
        assert [f.result() for f in futures] == [x * x for x in range(5000)]
""",
}

ON_SEVERAL = {
    "tasks send messages and make collective calls": """
workers = c.subset(range(1, size)) if rank else None
def talk(_):
    mine = workers.allreduce(1)
    partner = (workers.rank + 1) % workers.size
    return mine, workers.sendrecv(workers.rank, partner, source=mpi.ANY_SOURCE) != workers.rank
with mpi.pool() as pool:
    if pool:
        assert list(pool.map(talk, [0] * pool.size)) == [(size - 1, size > 2)] * pool.size
        c.send("from the root", 1, 5)
        assert pool.submit(slow, 0).result() > 0
    # the message is for the program, not for the pool
if rank == 1:
    assert c.recv(0, 5) == "from the root"
""",
    "workers without tasks": """
with mpi.pool() as pool:
    pass
with mpi.pool() as pool:
    if pool:
        assert pool.submit(where).result() > 0
""",
    "slow tasks are balanced": """
with mpi.pool() as pool:
    if pool:
        counts = [0] * size
        first = [pool.submit(slow, 0) for _ in range(200)]  # tiny: sent many at a time
        for worker in pool.map(slow, [0.3] + [0.01] * 60):
            counts[worker] += 1
        assert min(counts[1:]) >= 15 and max(counts[1:]) <= 46, counts
""",
    "an exception in the body": """
with raises(LookupError, "of the body") if rank == 0 else contextlib.nullcontext():
    with mpi.pool() as pool:
        if pool:
            futures = [pool.submit(slow, 0.01) for _ in range(50)]
            raise LookupError("of the body")
if rank == 0:
    assert futures[-1].cancelled()
    for future in futures:
        try:
            assert future.result(60) > 0
        except CancelledError:
            pass
c.barrier()
""",
}


@on_ranks({1: CASES, 3: CASES | ON_SEVERAL})
def test_pools(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + FUNCTIONS + script, ranks, stack)


# ---- how programs end ----


def ends(run, stack, script: str, ranks: int = 3, **options):
    return run(PRELUDE + FUNCTIONS + script, ranks, stack, timeout=90, **options)


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("sys.exit(0)", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("futures = [pool.submit(slow, 0.1) for _ in range(9)]; sys.exit(0)", 0, ""),
        ("os._exit(0)", 0, ""),
        ("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)", 130, "KeyboardInterrupt"),
        ("pool.submit(slow, 1000); pool.submit(os.kill, os.getpid(), 2).result(60); time.sleep(60)", 130, "Interrupt"),
        ("pool.submit(slow, 1000); 1 / 0", 1, "ZeroDivisionError"),
        ("pool.submit(fails, SystemExit(5)).result()", 5, ""),
    ],
)
def test_the_root_ends_within_the_statement(run, stack, body: str, code: int, said: str) -> None:
    ended = ends(run, stack, f"with mpi.pool() as pool:\n    if pool:\n        {body}\n")
    assert ended.exit_code == code, str(ended)
    assert said in ended.stderr, str(ended)


def test_the_root_never_leaves_the_statement(run, stack) -> None:
    ended = ends(
        run, stack, "pool = mpi.pool().__enter__()\nif pool:\n    assert pool.submit(square, 3).result() == 9\n"
    )
    ended.ends()


def test_a_task_that_leaves_its_process(run, stack) -> None:
    script = """
def leave(x):
    if x == 3:
        os._exit(4)
    return x
with mpi.pool() as pool:
    if pool:
        futures = [pool.submit(leave, x) for x in (3, 1, 2)]
        error = futures[0].exception(60)
        assert type(error) is mpi.WorkerError and isinstance(error, BrokenExecutor), error
        assert re.search(r"rank [12] has ended by os._exit\\(4\\) while it ran leave\\(3\\)", str(error)), error
        assert [f.result(60) for f in futures[1:]] == [1, 2] and error.peer in (1, 2)
        assert list(pool.map(square, range(5))) == [0, 1, 4, 9, 16]
        error = pool.submit(leave, 3).exception(60)
        with raises(mpi.WorkerError, "all workers of the pool have ended"):
            pool.submit(square, 1)
        print("ended")
"""
    ends(run, stack, script).ends(words="ended")


DEATHS = ["os.kill(os.getpid(), signal.SIGKILL)", "signal.raise_signal(signal.SIGSEGV)"]
DIES = """
def die(x):
    if x == 3:
        DEATH
    return x
def die_once(path):
    if not os.path.exists(path):
        open(path, "w").close()
        DEATH
    return "alive"
with mpi.pool() as pool:
    if pool:
        futures = [pool.submit(die, x) for x in (3, 1, 2)]
        assert "was killed, or has crashed, while it ran die(3)" in str(futures[0].exception(60))
        assert [f.result(60) for f in futures[1:]] == [1, 2]
        with mpi.pool(retries=1) as again:
            assert again.submit(die_once, sys.argv[1] + "/once").result(60) == "alive"
            assert "attempt 2 of 2" in str(again.submit(die, 3).exception(60))
        assert list(pool.map(square, range(300))) == [x * x for x in range(300)]
with open(f"{sys.argv[1]}/{rank}", "w") as file:
    file.write("went on")
"""


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.one_host
def test_a_worker_that_is_killed_when_the_launcher_lets_others_live(run, openmpi, tmp_path, death: str) -> None:
    program = tmp_path / "dies.py"
    program.write_text(PRELUDE + FUNCTIONS + DIES.replace("DEATH", death))
    script = """
import subprocess, sys
from pathlib import Path
mpiexec = str(Path(sys.executable).with_name("mpiexec"))
ended = subprocess.run([mpiexec, "--enable-recovery", "--oversubscribe", "-n", "6", sys.executable, *sys.argv[1:]])
print(ended.returncode)
"""
    ended = run(script, None, openmpi, timeout=90, arguments=[str(program), str(tmp_path)])
    assert ended.exit_code == 0, str(ended)
    alive = [rank for rank in "012345" if (tmp_path / rank).exists()]
    assert len(alive) == 2, str(ended)  # four died
    assert alive[0] == "0", str(ended)


@pytest.mark.one_host
def test_a_worker_that_is_killed_in_its_sleep_is_no_longer_counted(run, openmpi, tmp_path) -> None:
    program = tmp_path / "sleeps.py"
    program.write_text(
        PRELUDE
        + FUNCTIONS
        + """
def process():
    return os.getpid()
with mpi.pool() as pool:
    if pool:
        pid = pool.submit(process).result(60)
        core = mpi.native.core
        def wait_until(holds):
            end = time.monotonic() + 60
            while not holds():
                assert time.monotonic() < end
                time.sleep(0.01)
        wait_until(lambda: core._asleep(c, 1))
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: pool._dispatcher.worker(1) is None)
        assert not core._asleep(c, 1)
        print("forgotten", flush=True)
"""
    )
    script = """
import subprocess, sys
from pathlib import Path
mpiexec = str(Path(sys.executable).with_name("mpiexec"))
subprocess.run([mpiexec, "--enable-recovery", "--oversubscribe", "-n", "2", sys.executable, *sys.argv[1:]], timeout=80)
"""
    assert "forgotten" in run(script, None, openmpi, timeout=90, arguments=[str(program)]).succeeded()


@pytest.mark.parametrize("death", DEATHS)
def test_a_worker_that_is_killed_ends_the_job_otherwise(run, stack, tmp_path, death: str) -> None:
    ended = ends(run, stack, DIES.replace("DEATH", death), arguments=[str(tmp_path)])
    assert ended.exit_code not in (0, None), str(ended)


def test_a_manager_that_fails_fails_the_tasks(run, stack) -> None:
    script = """
from polympi.workers.manager import Manager
def no_memory(*_):
    raise MemoryError("planted")
Manager._receive = no_memory
with mpi.pool() as pool:
    if pool:
        with raises(mpi.WorkerError, "can't be served any longer (MemoryError: planted) while it ran slow(0)"):
            list(pool.map(slow, [0]))
        print("refused", flush=True)
"""
    ended = run(PRELUDE + FUNCTIONS + script, 2, stack, timeout=60)  # MPI isn't finalised, which Open MPI reports
    assert ended.stdout == "refused\n", str(ended)
    assert "MemoryError: planted" in ended.stderr, str(ended)


# Where the manager fails as it takes an answer, and what it has in its hands then.
FAILS = {
    "a result is measured": "task.Function.measured",
    "the next tasks are taken": "dispatcher.Dispatcher._batch",
    "arguments are pickled": "dispatcher.pack",
    "objects are chosen": "handles.RemoteWorker.objects",
    "a batch is sent": "handles.RemoteWorker.send",
    "workers are stopped": "handles.RemoteWorker.stop",
}


@pytest.mark.parametrize("place", FAILS)
def test_no_task_is_lost_wherever_the_manager_fails(run, stack, place: str) -> None:
    owner, _, name = FAILS[place].rpartition(".")
    script = f"""
from polympi.workers import dispatcher, handles, task
armed, planted, ends = threading.Event(), [], []
def plant(owner, name):
    own = getattr(owner, name)
    def failing(*args, **kwargs):
        if threading.current_thread().name == "polympi pool" and armed.is_set():
            planted.append(1)
            raise GeneratorExit("planted")
        return own(*args, **kwargs)
    setattr(owner, name, failing)
plant({owner}, {name!r})
if {place!r} == "workers are stopped":
    plant(task.Function, "measured")
def together():
    try:
        ends.append(sum(pool.map(abs, range(500))))
    except BaseException as error:
        ends.append(error)
with mpi.pool() as pool:
    if pool:
        list(pool.map(abs, range(10)))
        armed.set()
        threads = [threading.Thread(target=together) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert len(ends) == 4 and planted
        print("ended", flush=True)
        os._exit(0)
"""
    ended = run(PRELUDE + FUNCTIONS + script, 3, stack, timeout=90)
    assert "ended\n" in ended.stdout, str(ended)


def test_an_answer_may_come_before_the_call_that_sent_the_batch_returns(run, stack) -> None:
    script = """
from polympi.workers import handles
send = handles.RemoteWorker.send
def slowly(worker, batch):
    send(worker, batch)
    time.sleep(0.05)
handles.RemoteWorker.send = slowly
with mpi.pool() as pool:
    if pool:
        for _ in range(3):
            first = pool.submit(slow, 0.2)
            time.sleep(0.1)
            assert pool.submit(square, 3).result() == 9 and first.result() > 0
"""
    run(PRELUDE + FUNCTIONS + script, 3, stack).ends()


def test_a_collective_call_that_the_root_does_not_make(run, stack) -> None:
    script = """
def meet(_):
    mpi.world.barrier(timeout=1)
with mpi.pool() as pool:
    if pool:
        assert type(pool.submit(meet, 0).exception(60)) is mpi.Timeout
        assert pool.submit(square, 3).result(60) == 9
        print("ended", flush=True)
os._exit(0)
"""
    ends(run, stack, script, ranks=2).ends(words="ended")


def test_time_outs_are_not_for_workers_without_tasks(run, stack) -> None:
    script = """
with mpi.pool() as pool:
    if pool:
        time.sleep(2.5)
        assert pool.submit(slow, 1.5).result(60) > 0
        print("ended")
"""
    ends(run, stack, script, env={"POLYMPI_TIMEOUT": "1"}).ends(words="ended")


def test_one_thread_alone_cannot(run, stack) -> None:
    script = """
from prelude import raises
import polympi as mpi
mpi.init(threads="funneled")
if mpi.thread_level() == "funneled":
    with raises(mpi.StateError, "its thread level is funneled"), mpi.pool():
        pass
"""
    run(script, 2, stack).ends()


@pytest.mark.slow
@pytest.mark.exclusive
def test_results_of_more_than_2_gib(run, mpich) -> None:
    script = """
def large(n):
    return np.ones(n, np.uint8)
with mpi.pool() as pool:
    if pool:
        found = pool.submit(large, 2**31 + 7).result()
        assert found.nbytes == 2**31 + 7 and found[::2**20].all() and found[-1] == 1
        assert pool.submit(np.count_nonzero, found).result() == 2**31 + 7
        print("ended")
"""
    run(PRELUDE + script, 2, mpich, timeout=300).ends(words="ended")


# ---- python -m polympi.pool ----

SCRIPT = """
import sys
from mpi4py import MPI
from mpi4py.futures import MPICommExecutor, MPIPoolExecutor, as_completed, get_comm_workers
import polympi as mpi

class Point:
    def __init__(self, x):
        self.x = x

def moved(point):
    return Point(point.x + 1)

def together(number):
    comm = get_comm_workers()
    return comm.allreduce(comm.rank + number), comm.size

if __name__ == "__main__":
    with MPIPoolExecutor(max_workers=2) as executor:
        workers = executor.num_workers
        met = [executor.submit(together, 5) for _ in range(workers)]
        assert {future.result() for future in met} == {(sum(range(workers)) + 5 * workers, workers)}
        assert [point.x for point in executor.map(moved, map(Point, range(50)))] == list(range(1, 51))
        done = as_completed([executor.submit(moved, Point(x)) for x in range(4)])
        assert sorted(future.result().x for future in done) == [1, 2, 3, 4]
        assert executor.num_workers == max(1, mpi.world.size - 1)
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        if executor is not None:
            assert executor.submit(pow, 2, 5).result() == 32
            assert sorted(executor.starmap(pow, [(1, 2), (2, 2)], unordered=True)) == [1, 4]
    with mpi.pool() as pool:
        assert pool and list(pool.map(abs, [-1])) == [1]
    MPIPoolExecutor().submit(moved, Point(1))
    print(MPI.COMM_WORLD.Get_size(), *sys.argv[1:])
    sys.exit(int(sys.argv[1]))
"""
START = """
import runpy, sys
if sys.argv.pop(1) == "without":
    sys.modules["mpi4py"] = None  # as if it weren't installed
runpy.run_module("polympi.pool", run_name="__main__")
"""


@pytest.mark.parametrize(("ranks", "how"), [(1, "without 0"), (3, "without 0"), (3, "with 7")])
def test_scripts_for_mpi4py_run_on_rank_0(run, stack, tmp_path, ranks: int, how: str) -> None:
    installed, code = how.split()
    (tmp_path / "script.py").write_text(SCRIPT)
    arguments = [installed, str(tmp_path / "script.py"), code]
    ended = run(START, ranks, stack, timeout=90, arguments=arguments)
    assert ended.exit_code == int(code), str(ended)
    assert ended.stdout.split() == [str(ranks), code], str(ended)


def test_wrong_commands(run, mpich) -> None:
    for arguments, words in (
        ([], "a script, or -m with a module, or -c with code"),
        (["no.py"], "no.py cannot be read"),
        (["-m", "no.no"], "no module"),
    ):
        ended = run(START, 2, mpich, timeout=60, arguments=["with", *arguments])
        assert ended.exit_code == 2, str(ended)
        assert words in ended.stderr, str(ended)


def test_the_module_does_not_hide_the_function(run, mpich) -> None:
    script = """
import polympi.pool
import polympi as mpi
with mpi.pool() as pool:
    assert pool.submit(abs, -1).result() == 1
"""
    run(script, 1, mpich).ends()
