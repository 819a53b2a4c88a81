"""Requests that are awaited, by several tasks, loops and threads."""

import pytest
from rank_programs import PRELUDE, Case, cases, on_ranks

pytestmark = pytest.mark.sanitize

# Tests wait for each other by messages; `soon` is a limit that is reached only if something is wrong.
ASYNC = """
import asyncio
import threading

def soon(awaitable):
    return asyncio.wait_for(awaitable, 100)

async def meet():
    await soon(c.ibarrier())

async def turns(count):
    for _ in range(count):
        await asyncio.sleep(0)

async def given_up(request):
    \"\"\"Await it in a task that is cancelled while it waits.\"\"\"
    task = asyncio.ensure_future(request)
    await turns(3)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return
    raise AssertionError("it wasn't cancelled")
"""

AWAITED = {
    "an await gives what wait gives, and again": """
async def main():
    for value in 5, [bytearray(10**5)], np.arange(10**5), None:
        sent, request = c.isend(value, other, 1), c.irecv(other, 1)
        first = await soon(request)
        assert same(first, value) and await request is first and request.wait() is first and request.done
        assert request.wait(status=True)[1].source == other
        assert await soon(sent) is None and await sent is None
    into = np.zeros(10**5)
    c.isend(np.ones(10**5), other)
    assert await soon(c.irecv(other, into=into)) is into and into[-1] == 1
    assert await c.irecv(mpi.PROC_NULL) is None
asyncio.run(main())
""",
    "all kinds of requests": """
async def main():
    assert await soon(c.iallreduce(rank + 1)) == 3
    assert await soon(c.ibcast("x" if rank == 0 else None)) == "x"
    assert await soon(c.iallgather(np.full(50_000, rank)))
    assert await soon(c.ibarrier()) is None
    into = np.zeros(3)
    c.raw.isend(np.full(3, 7.0), other, 4)
    assert await soon(c.raw.irecv(into, other, 4)) is into and into[0] == 7
    inter = c.split(rank).create_intercomm(0, c, other)
    request = inter.irecv(0)
    inter.send(("inter", rank), 0)
    assert await soon(request) == ("inter", other)
    inter.isend(1, 0), inter.isend(2, 0)
    assert await soon(inter.messages().__anext__()) == 1
    two, status = await soon(inter.messages(status=True).__anext__())
    assert two == 2 and status.source == 0
    inter.free()
asyncio.run(main())
""",
    "many tasks at once": """
async def ask(number):
    c.isend(number, other, number)
    return await c.irecv(other, number)
async def main():
    answers = await soon(asyncio.gather(*(ask(number) for number in random.sample(range(500), 500))))
    assert sorted(answers) == list(range(500))
asyncio.run(main())
""",
    "messages one after another": """
async def main():
    got = []
    for number in range(100):
        c.isend(number, other, 5)
    async for message in c.messages(tag=5):
        got.append(message)
        if message == 49:
            break
    async for message, status in c.messages(other, 5, status=True):
        got.append(message)
        assert (status.source, status.tag) == (other, 5)
        if message == 98:
            break
    assert got == list(range(99)) and c.recv(other, 5) == 99
    async for message in c.messages(mpi.PROC_NULL):
        raise AssertionError(message)
    with raises(mpi.RankError):
        async for message in c.messages(99):
            pass
    await meet()
asyncio.run(main())
""",
    "a flood of messages doesn't keep other tasks from running": """
async def main():
    over = False
    async def flood():
        while not over:
            c.isend(1, rank, 3)
            await c.irecv(rank, 3)
    task = asyncio.ensure_future(flood())
    await soon(asyncio.sleep(0))
    await turns(3)
    over = True
    await soon(task)
asyncio.run(main())
""",
    "a cancelled receive leaves its message to the next one": """
async def main():
    for value in 7, np.arange(10**5), ["x" * 10**5]:
        await given_up(c.irecv(other, 2))  # before there is one
        request = c.irecv(other, 2)
        await meet()
        c.isend(value, other, 2), c.isend("second", other, 3)
        assert await soon(c.irecv(other, 3)) == "second"  # so the first has arrived
        task = asyncio.ensure_future(request)
        task.cancel()  # before it has run
        await turns(3)
        assert task.cancelled()
        del request, task
        assert same(await soon(c.irecv(other, 2)), value)
        await meet()
    request = c.irecv(other, 2)
    await given_up(request)
    assert request.done and request.cancel() is False and await request is None
asyncio.run(main())
""",
    "time-outs of asyncio": """
async def main():
    try:
        await asyncio.wait_for(c.irecv(other, 2), 0.05)
        raise AssertionError
    except asyncio.TimeoutError as error:
        kept = error  # whose frames would keep the request
    await meet()
    c.isend("after", other, 2)
    assert await soon(c.irecv(other, 2)) == "after"
    sent = c.issend("late", other, 4)
    total = None
    try:
        await asyncio.wait_for(sent, 0.05)
        raise AssertionError
    except asyncio.TimeoutError:
        pass
    await meet()
    assert c.recv(other, 4) == "late" and await soon(sent) is None
    if rank == 0:
        total = c.iallreduce(1)
        await given_up(total)
        c.send("begun", 1)
    else:
        await soon(c.irecv(0))
        total = c.iallreduce(1)
    assert await soon(total) == 2
asyncio.run(main())
""",
    "no message is lost by 1000 cancellations at random": """
COUNT = 2000
async def main():
    chance, got, cancelled = random.Random(rank), [], 0
    async def take():
        async for message in c.messages(other, 1):
            got.append(message)
            if len(got) == COUNT:
                return
    async def give():
        for number in range(COUNT):
            await c.isend(number if number % 3 else np.full(chance.choice([10, 3000]), number), other, 1)
            if chance.random() < 0.5:
                await asyncio.sleep(0)
    giving = asyncio.ensure_future(give())
    while len(got) < COUNT:
        task = asyncio.ensure_future(take())
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        if cancelled < 1000:
            cancelled += task.cancel()
        await asyncio.wait([task])
        assert task.cancelled() or not task.exception()
    await soon(giving)
    assert [int(np.max(message)) for message in got] == list(range(COUNT)) and cancelled > 100
    await meet()
asyncio.run(main())
""",
    "a rest that is ended before its thread has begun it": """
from polympi.resting import Rest

class Loop:
    \"\"\"Calls back at once, and then keeps the thread that asked for it.\"\"\"
    def __init__(self):
        self.called, self.go_on = threading.Event(), threading.Event()
    def call_soon_threadsafe(self, callback, *arguments):
        callback(*arguments)
        self.called.set()
        assert self.go_on.wait(100)
    def is_closed(self):
        return False

loop, wakes = Loop(), []
rest = Rest(lambda: wakes.append(1))
rest.begin(loop, 0)
assert loop.called.wait(100)
rest.begin(loop, 0)
rest.end()
loop.go_on.set()
last = Loop()
rest.begin(last, 0)
assert last.called.wait(100) and len(wakes) == 2
last.go_on.set()
rest.end()
""",
    "a rest for which no thread can be started": """
import polympi.resting
refused = 0
async def main():
    request = asyncio.ensure_future(c.irecv(other, 1))
    while not refused:
        await asyncio.sleep(0.001)
    await meet()
    c.isend("arrived", other, 1)
    assert await soon(request) == "arrived"
class NoThreads:
    allocate_lock = polympi.resting._thread.allocate_lock
    @staticmethod
    def start_new_thread(*arguments):
        global refused
        refused += 1
        raise RuntimeError("can't start new thread")
threads, polympi.resting._thread = polympi.resting._thread, NoThreads
asyncio.run(main())
polympi.resting._thread = threads
asyncio.run(meet())
""",
    "loops of other threads that begin and end meanwhile": """
from polympi import awaiting
class Loop:
    def is_closed(self):
        loops.append(Loop())
        awaiting._drivers[loops[-1]] = None
        awaiting._drivers.pop(loops[0], None)
        return True
loops = [Loop() for _ in range(5)]
for loop in loops[:]:
    awaiting._drivers[loop] = None
own = asyncio.new_event_loop()
assert awaiting._driver_of(own) is awaiting._driver_of(own)
assert len(loops) == 10 and not any(loop in awaiting._drivers for loop in loops[:5])
own.close()
loops.clear()
""",
    "a signal handler that raises in a test ends the loop, which can run again": """
find = mpi.native.core.find_ready
def interrupted(*arguments):
    mpi.native.core.find_ready = find
    raise KeyboardInterrupt
async def take():
    return await c.irecv(other, 1)
loop = asyncio.new_event_loop()
task = loop.create_task(take())
mpi.native.core.find_ready = interrupted
try:
    loop.run_until_complete(task)
    raise AssertionError
except KeyboardInterrupt:
    pass
c.barrier()
c.isend("after", other, 1)
assert loop.run_until_complete(asyncio.wait_for(task, 100)) == "after"
loop.close()
""",
    "several tasks await one request": """
async def main():
    request = c.irecv(other, 1)
    first, second, third = (asyncio.ensure_future(request) for _ in range(3))
    await turns(3)
    second.cancel()
    await turns(3)
    await meet()
    c.isend(["one"], other, 1)
    assert await soon(first) is await soon(third) is request.wait() and second.cancelled()
    request = c.irecv(other, 1)  # cancelled when the message is there, and the other task not yet resumed
    first, second = (asyncio.ensure_future(request) for _ in range(2))
    await turns(3)
    await meet()
    c.isend("two", other, 1)
    while not request._is_ready():
        mpi.progress()
    await turns(1)
    first.cancel()
    assert await soon(second) == "two"
    await meet()
asyncio.run(main())
""",
    "errors arrive at the await": """
async def main():
    c.isend(np.zeros(9), other)
    with raises(mpi.TruncationError):
        await soon(c.irecv(other, into=np.zeros(3)))
    c.isend("text", other)
    with raises(mpi.MismatchError):
        await soon(c.irecv(other, into=np.zeros(3)))
    request = c.irecv(other, into=np.zeros(3))
    c.isend("text", other)
    with raises(mpi.MismatchError):
        await soon(request)
    with raises(mpi.StateError, "has failed before"):
        await request
    async def fails():
        await c.ibarrier()
        1 / 0
    task, failing = asyncio.ensure_future(c.irecv(other, 8)), asyncio.ensure_future(fails())
    with raises(ZeroDivisionError):
        await soon(asyncio.gather(task, failing))
    task.cancel()
    await meet()
    c.isend(8, other, 8)
    assert await soon(c.irecv(other, 8)) == 8
asyncio.run(main())
with raises(RuntimeError, "await needs a running event loop"):
    c.irecv(other, 9).__await__().send(None)
""",
    "errors of the MPI library reach all tasks": """
find = mpi.native.core.find_ready
def fails(*arguments):
    raise mpi.Error("the network is down")
async def main():
    request = c.irecv(other, 1)
    mpi.native.core.find_ready = fails
    with raises(mpi.Error, "the network is down"):
        await soon(request)
    mpi.native.core.find_ready = find
    await meet()
asyncio.run(main())
""",
    "a request that is dropped while it is awaited": """
async def main():
    awaiting = c.irecv(other, 1).__await__()
    awaiting.send(None)
    del awaiting
    gc.collect()
    await meet()
    c.isend("kept", other, 1)
    assert await soon(c.irecv(other, 1)) == "kept"
    await meet()
asyncio.run(main())
""",
    "one loop after another, and one in another thread": """
async def exchange(tag):
    for number in range(50):
        c.isend(number, other, tag)
        assert await soon(c.irecv(other, tag)) == number
for tag in range(3):
    asyncio.run(exchange(tag))
threads = [threading.Thread(target=asyncio.run, args=[exchange(tag)]) for tag in (1, 2)]
for thread in threads:
    thread.start()
asyncio.run(exchange(3))
for thread in threads:
    thread.join()
loop = asyncio.new_event_loop()
task = loop.create_task(exchange(4))
loop.run_until_complete(asyncio.sleep(0))
loop.run_until_complete(task)
loop.close()
""",
    "awaited in a loop, and waited for in another thread": """
request = c.irecv(other, 1)
values = []
thread = threading.Thread(target=lambda: values.append(request.wait()))
async def main():
    thread.start()
    task = asyncio.ensure_future(request)
    await meet()
    c.isend(["value"], other, 1)
    values.append(await soon(task))
asyncio.run(main())
thread.join()
assert values[0] is values[1] and values[0] == ["value"]
""",
    "a loop that is closed while a task waits": """
loop = asyncio.new_event_loop()
async def take():
    return await c.irecv(other, 1)
task = loop.create_task(take())
loop.run_until_complete(asyncio.sleep(0))
loop.close()
task.get_coro().close()
task._log_destroy_pending = False
c.barrier()
c.isend("left", other, 1)
assert c.recv(other, 1) == "left"
asyncio.run(meet())
""",
    "Ctrl-C ends a loop in which a task awaits": """
import signal
async def main():
    asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGINT)
    await c.irecv(other, 1)
try:
    asyncio.run(main())
    raise AssertionError
except KeyboardInterrupt:
    pass
c.barrier()
c.isend("after", other, 1)
assert c.recv(other, 1) == "after"
asyncio.run(meet())
""",
}


@on_ranks({2: AWAITED})
def test_awaiting(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + ASYNC + script, ranks, stack)


COLLECTIVES = {
    "iallreduce": "c.iallreduce(rank)",
    "ibcast": "c.ibcast(rank, 1)",
    "ibarrier": "c.ibarrier()",
}


@pytest.mark.one_host
@pytest.mark.parametrize("call", COLLECTIVES.values(), ids=COLLECTIVES)
def test_one_test_finds_a_collective_complete_that_all_have_begun(run_in_job, stack, call: str) -> None:
    script = f"""
from pathlib import Path
begun = Path(__file__).with_name("begun")
c.barrier()
if rank == 0:
    request = {call}
    c.send(None, 1)
    while not begun.exists():
        time.sleep(0.001)
    assert mpi.native.core.find_ready([request], 0, 1) == [0]
else:
    c.recv(0)
    request = {call}
    begun.touch()
request.wait()
"""
    run_in_job(PRELUDE + script, 2, stack)


COMPLETION = {
    "in the order in which they complete": """
requests = {c.irecv(other, tag): tag for tag in range(40)}
tags = random.Random(1).sample(range(40), 40)
in_turn()
order = []
for tag in tags:
    c.send(tag, other, 100)
    assert c.recv(other, 100) == tag
    c.send([tag], other, tag)
    request = next(mpi.as_completed(list(requests)))
    assert request.wait() == [requests.pop(request)]
assert not requests
""",
    "each of them once, of very many": """
COUNT = 10_000
requests = [c.irecv(other, tag) for tag in range(COUNT)]
for tag in range(COUNT):
    c.isend(tag, other, tag)
assert sorted(request.wait() for request in mpi.as_completed(requests)) == list(range(COUNT))
assert [request.wait() for request in mpi.as_completed([])] == []
once = c.isend(1, mpi.PROC_NULL)
assert list(mpi.as_completed([once, once])) == [once, once]
""",
    "those that fail, and time-outs": """
good, bad = c.irecv(other, 1), c.irecv(other, 2, into=np.zeros(2))
never = c.irecv(other, 3)
in_turn()
c.isend("good", other, 1), c.isend("bad", other, 2)
seen = set()
with raises(mpi.Timeout, "as_completed()", "none of the requests was complete"):
    for request in mpi.as_completed([good, bad, never], timeout=0.5):
        seen.add(request)
assert seen == {good, bad} and good.wait() == "good"
with raises(mpi.MismatchError):
    bad.wait()
with raises(mpi.Timeout, "wait_some()"):
    mpi.wait_some([never], timeout=0.05)
with raises(ValueError, "wait_some(): requests is empty"):
    mpi.wait_some([])
with raises(TypeError, "as_completed(): item 1 is a int, not a Request"):
    mpi.as_completed([never, 5])
assert never.cancel()
""",
    "some of them": """
requests = [c.irecv(other, tag) for tag in range(5)]
in_turn()
for tag in 3, 1, 9:
    c.isend(-tag, other, tag)
assert c.recv(other, 9) == -9
assert mpi.wait_some(requests) == mpi.wait_some(requests, timeout=9) == [(1, -1), (3, -3)]
in_turn()
for tag in 0, 2, 4:
    c.isend(-tag, other, tag)
mpi.wait_all(requests)
assert mpi.wait_some(requests) == [(tag, -tag) for tag in range(5)]
""",
}


@on_ranks({2: COMPLETION})
def test_completion(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)


# Tests of requests are counted, which doesn't depend on how busy the machine is.
LINEAR = """
import polympi.awaiting
tested = 0
find = mpi.native.core.find_ready
def counting(requests, first, most):
    global tested
    tested += min(most, len(requests))
    return find(requests, first, most)
mpi.native.core.find_ready = counting
COUNT = 10_000
async def main():
    tasks = [asyncio.ensure_future(c.irecv(other, tag)) for tag in range(COUNT)]
    await turns(2)
    await meet()
    for tag in random.Random(rank).sample(range(COUNT), COUNT):
        c.isend(tag, other, tag)
    await meet()  # all have arrived, or are about to
    before = tested
    assert await soon(asyncio.gather(*tasks)) == list(range(COUNT))
    assert tested - before < 500 * COUNT, tested - before
asyncio.run(main())
"""


def test_ten_thousand_awaited_take_time_in_proportion(run_in_job, stack) -> None:
    run_in_job(PRELUDE + ASYNC + LINEAR, 2, stack)


ENDS = {
    "the program ends while tasks await": Case(
        """
async def main():
    asyncio.ensure_future(c.irecv(other, 1))
    await turns(3)
    sys.exit(0)
asyncio.run(main())
c.barrier()
""",
    ),
    "MPI ends while a task awaits": Case(
        """
async def main():
    task = asyncio.ensure_future(c.irecv(other, 1))
    await turns(3)
    mpi.finalize()
    with raises(mpi.StateError, FINALISED):
        await soon(task)
asyncio.run(main())
""",
        said=[f"[rank {rank}] irecv(source={1 - rank}, tag=1) got no message" for rank in range(2)],
    ),
    "a rank that has ended is awaited": Case(
        """
async def main():
    with raises(mpi.EndedError, "irecv(source=0, tag=1)", "program.py", "has reached its end"):
        await c.irecv(0, 1)
if rank == 1:
    asyncio.run(main())
""",
    ),
    "a child process of an awaiting rank": Case(
        """
async def main():
    task = asyncio.ensure_future(c.irecv(other, 1))
    await asyncio.sleep(0.05)  # so that it rests
    child = os.fork()
    if not child:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    c.isend(1, other, 1)
    assert await soon(task) == 1
asyncio.run(main())
""",
    ),
    "one thread alone may call MPI": Case(
        """
async def main():
    for number in range(20):
        await asyncio.sleep(0.002)  # so that it rests
        c.isend(number, other)
        assert await soon(c.irecv(other)) == number
asyncio.run(main())
""",
        env={"POLYMPI_THREADS": "funneled"},
    ),
    "asyncio isn't imported before an await": Case(
        """
before = set(sys.modules)
c.isend(1, other).wait()
c.recv(other)
assert "asyncio" not in sys.modules or "asyncio" in before
""",
    ),
}


@cases(ENDS)
def test_ends(run, stack, case: Case) -> None:
    case.check(run, stack, PRELUDE + ("" if "asyncio isn't" in case.script else ASYNC))


IDLE = """
async def main():
    tasks = [asyncio.ensure_future(c.irecv(other, tag)) for tag in range(1000)]
    await asyncio.sleep(0.5)
    before = time.process_time()
    await asyncio.sleep(3)
    share = (time.process_time() - before) / 3
    assert share < 0.04, share  # 2 % on a machine that does nothing else
    await meet()
    for tag in range(1000):
        c.isend(tag, other, tag)
    assert await soon(asyncio.gather(*tasks)) == list(range(1000))
asyncio.run(main())
"""


@pytest.mark.exclusive
def test_an_idle_rank_rests(run, stack) -> None:
    run(PRELUDE + ASYNC + IDLE, 2, stack).ends()
