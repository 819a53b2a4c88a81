"""Requests: pending sends and receives, in any number and order, waited for, cancelled or forgotten."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


@pytest.mark.one_host  # a network takes them at once
def test_buffered_sends_take_room_until_they_are_received(run_in_job, stack) -> None:
    run_in_job("requests/buffered.py", 2, stack)


REQUESTS = {
    "a request gives its value as often as it is asked": """
for value in 5, np.arange(10), np.arange(10**5), [bytearray(10**5)]:
    if rank == 0:
        in_turn()
        request = c.isend(value, 1, 6)
        assert request.wait() is None and request.wait(status=True)[0] is None and request.test() and request.done
    else:
        request = c.irecv(0, 6)
        assert not request.done and not request.test() and not request.done and not mpi.test_all([request])
        in_turn()
        first = request.wait()
        assert same(first, value) and request.done and request.test() and mpi.test_all([request])
        assert request.wait() is first and request.wait(timeout=1e-9) is first
        again, status = request.wait(status=True)
        assert again is first and (status.source, status.tag) == (0, 6)
        assert all(one is first for one in mpi.wait_all([request, request])) and mpi.wait_any([request])[1] is first
        assert request.cancel() is False
""",
    "many requests in any order": """
chance = random.Random(5)
SIZES = [chance.choice([1, 500, 600, 2000, 40_000]) for _ in range(400)]
value = lambda tag: np.full(SIZES[tag], tag)
if rank == 0:
    sends = [c.isend(value(tag), 1, tag) for tag in chance.sample(range(400), 400)]
    assert mpi.wait_all(sends) == [None] * 400
else:
    receives = {tag: c.irecv(0, tag) for tag in range(0, 300)}
    into = {tag: np.zeros(SIZES[tag], int) for tag in range(300, 400)}
    receives |= {tag: c.irecv(0, tag, into=into[tag]) for tag in into}
    for tag in chance.sample(range(100), 100):
        assert same(receives.pop(tag).wait(), value(tag))
    while len(receives) > 200:
        tags, requests = zip(*receives.items())
        index, got = mpi.wait_any(requests)
        assert same(got, value(tags[index])) and requests[index].done
        del receives[tags[index]]
    while not mpi.test_all(list(receives.values())):
        pass
    for tag, got in zip(receives, mpi.wait_all(tuple(receives.values()))):
        assert same(got, value(tag)) and (tag < 300 or got is into[tag])
""",
    "arrays of all shapes and types arrive as they were when their send began": """
def arrays():
    for shape in (), 1, 0, 511, 512, (2, 3), (3, 1, 2, 4), (1, 2, 1, 2, 3), (8, 64), (8, 8, 8):
        for dtype in "f8", "i4", "?", "c16", ">f8", "M8[s]", [("value", "f8"), ("weight", "i4")]:
            yield np.arange(np.prod(shape, dtype=int)).reshape(shape).astype("i4").astype(dtype)
    yield from (np.arange(12.0).reshape(3, 4).T, np.arange(40)[::3], np.arange(10.0)[::-1])

for begin in c.isend, c.irsend, c.issend:
    for sent in arrays():
        small = sent.copy(order="K")
        if rank == 0:
            in_turn()
            requests = [begin(small, 1, tag) for tag in (1, 2)]
            mpi.wait_all(requests)
            in_turn()
        else:
            into = np.empty_like(sent)
            requests = [c.irecv(0, 1, into=into), c.irecv(0, 2)]
            in_turn()
            got, other = mpi.wait_all(requests)
            assert got is into and same(got, sent) and same(other, sent)
            status = requests[0].wait(status=True)[1]
            assert (status.source, status.tag, status.elements) == (0, 1, sent.size)
            in_turn()
""",
    "an array that does not fit is refused, and the messages after it arrive": """
for late in False, True:
    if rank == 0:
        if late:
            in_turn()
        requests = [c.isend(np.arange(n), 1, 3) for n in (4, 3, 5, 2000, 2)] + [c.isend(None, 1, 3)]
        requests += [c.isend(np.arange(3.0), 1, 3), c.isend(np.arange(3), 1, 3)]
        if not late:
            in_turn()
        mpi.wait_all(requests)
        in_turn()
    else:
        targets = [np.full(n, -1) for n in (4, 4, 4, 4, 4, 4, 3, 3)]
        requests = [c.irecv(0, 3, into=target) for target in targets]
        in_turn()
        assert requests[0].wait() is targets[0] and same(targets[0], np.arange(4))
        assert requests[1].wait() is not None and targets[1].tolist() == [0, 1, 2, -1]
        errors = {2: mpi.TruncationError, 3: mpi.TruncationError, 5: mpi.MismatchError, 6: mpi.MismatchError}
        for place, error in errors.items():
            with raises(error):
                requests[place].wait()
            with raises(mpi.StateError, "has failed before"):
                requests[place].wait()
            assert (targets[place] == -1).all()
        assert requests[7].wait() is targets[7] and same(targets[7], np.arange(3))
        requests[4].wait()
        assert targets[4].tolist() == [0, 1, -1, -1]
        in_turn()
""",
    "a wait for a small array that timed out can be repeated": """
if rank == 0:
    in_turn()
    mpi.wait_all([c.isend(np.full(3, float(tag)), 1, tag) for tag in (3, 1, 0, 2)])
    in_turn()
else:
    into = [np.zeros(3) for _ in range(4)]
    requests = [c.irecv(0, tag, into=into[tag]) for tag in range(4)]
    for wait in requests[2].wait, lambda timeout: mpi.wait_all(requests, timeout=timeout):
        with raises(mpi.Timeout):
            wait(timeout=0.01)
    assert c.irecv(0, 9, into=np.zeros(3)).cancel() is True
    dropped = c.irecv(0, 3, into=np.zeros(3))
    del dropped
    gc.collect()
    in_turn()
    assert requests[2].wait() is into[2]
    assert all(got is array for got, array in zip(mpi.wait_all(requests), into))
    assert [array.tolist() for array in into] == [[float(tag)] * 3 for tag in range(4)]
    in_turn()
""",
    "a receive is cancelled only while nothing has arrived": """
for value in 7, np.arange(5.0), np.arange(10.0**5), ["x" * 10**5]:
    for into in False, True:
        if rank == 0:
            in_turn()
            c.isend(value, 1, 1).wait()
            c.send("second", 1, 2)
            in_turn()
        else:
            never = c.irecv(0, 1)
            assert never.cancel() is True and never.done and never.wait() is None and never.cancel() is False
            request = c.irecv(0, 1, into=np.empty_like(value) if into and type(value) is np.ndarray else None)
            in_turn()
            assert c.recv(0, 2) == "second"
            assert request.cancel() is False, "its message came before the other one, which is here"
            received, status = request.wait(status=True)
            assert same(received, value) and (status.source, status.tag) == (0, 1)
            in_turn()
assert c.isend(1, mpi.PROC_NULL).cancel() is False
assert c.iprobe() is None
""",
    # As when ranks have different modules: the metadata of the type can be loaded on one of them only.
    "a dtype that is not known here harms no other message": """
class Unit:
    def __reduce__(self):
        return int, ("no number",)

for n in 3, 10_000:
    sent = np.zeros(n, [("value", "f8"), ("weight", "f4")])
    if rank == 0:
        strange = np.zeros(n, np.dtype([("value", "f8")], metadata={"unit": Unit()}))
        c.send(strange, 1, 1, timeout=10)
        c.send(strange, 1, 1, timeout=10)
        c.send(sent, 1, 1, timeout=10)
    else:
        with raises(ValueError, "no number"):
            c.recv(0, 1)
        with raises(ValueError, "no number"):
            c.recv(0, 1, into=np.zeros(n, [("value", "f8")]))
        assert same(c.recv(0, 1, into=np.ones_like(sent)), sent)
""",
    "a request in what it has received isn't a leak": """
import weakref

class Thing:
    pass

request = c.irecv(other)
sent = c.isend({"thing": 5}, other)
received = request.wait()
received["request"], received["thing"] = request, Thing()
thing = weakref.ref(received["thing"])
del request, received
gc.collect()
assert thing() is None
sent.wait()
""",
}


@pytest.mark.parametrize("script", REQUESTS.values(), ids=REQUESTS)
def test_requests(run_in_job, stack, script: str) -> None:
    run_in_job(PRELUDE + script, 2, stack)


@pytest.mark.parametrize(
    "program",
    ["forgotten", "failed", "broken_objects", "changing_list", "forgotten_communicators", "half_made", "all_moved_on"],
)
def test_programs_of_two_ranks(run_in_job, stack, program: str) -> None:
    run_in_job(f"requests/{program}.py", 2, stack)
