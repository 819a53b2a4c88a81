"""Requests: sends and receives that are under way, in any number and order, waited for, cancelled or forgotten."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]


def test_a_request_gives_its_value_as_often_as_it_is_asked(run, stack: Stack) -> None:
    script = """
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
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_many_requests_in_any_order(run, stack: Stack) -> None:
    script = """
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
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_a_receive_is_cancelled_only_while_nothing_has_come(run, stack: Stack) -> None:
    script = """
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
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_requests_may_be_forgotten(run, stack: Stack) -> None:
    script = """
for value in 5, np.arange(10), np.arange(10**6), [np.arange(9999), "x" * 10**5]:
    if rank == 0:
        c.isend(value, 1, 1)
        c.issend(value, 1, 1)
        del value
        gc.collect()
        c.isend([np.full(10**6, 8)], 1, 1)  # its array is kept by the message alone
        in_turn()
        c.isend("for nobody", 1, 2)
        c.isend(np.zeros(10**6), 1, 2)
        c.isend("kept", 1, 2)
        in_turn()
    else:
        for _ in range(2):
            assert same(c.recv(0, 1), value)
        assert same(c.recv(0, 1), [np.full(10**6, 8)])
        into = np.zeros(10**6)
        c.irecv(0, 2)
        c.irecv(0, 2, into=into)
        gc.collect()
        in_turn()
        assert c.recv(0, 2) == "kept", "forgotten receives take the first two messages, as posted"
        in_turn()
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_a_failed_request_says_so_once_and_leaves_the_others_alone(run, stack: Stack) -> None:
    script = """
for n in 10, 10_000:
    for wait in (
        lambda request: request.wait(), lambda request: mpi.wait_all([request]), lambda request: request.test(),
        lambda request: mpi.wait_any([request]), lambda request: mpi.test_all([request]),
    ):
        if rank == 0:
            for tag in range(3):
                c.send(np.full(n, tag), 1, tag)
            in_turn()
        else:
            requests = [c.irecv(0, 0), c.irecv(0, 1, into=bytearray(3)), c.irecv(0, 2)]
            while not requests[2].test():  # then the first two have come, too
                pass
            with raises(mpi.MismatchError, "irecv(source=0, tag=1)", "int64 elements", operation="irecv"):
                wait(requests[1])
            assert requests[1].done
            with raises(mpi.StateError, "this request has failed before"):
                requests[1].wait()
            with raises(mpi.StateError, "this request has failed before"):
                mpi.wait_any(requests[1:])
            with raises(mpi.StateError, "this request has failed before"):
                mpi.wait_all(requests)
            assert same([requests[0].wait(), requests[2].wait()], [np.full(n, 0), np.full(n, 2)])
            in_turn()
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_an_object_that_cannot_be_sent_or_made_again_harms_no_other(run, stack: Stack) -> None:
    script = """
class Refusing:
    def __init__(self, data=None):
        self.data = data
    def __reduce__(self):
        raise ZeroDivisionError("not me")

class Unloadable(Refusing):
    def __reduce__(self):
        return int, ("no number",), self.data

SENDS = ["send", "ssend", "bsend", "isend", "issend", "ibsend"]
with mpi.buffer_attach(10**7):
    for data in None, np.zeros(10**5):
        for name in SENDS:
            with raises(ZeroDivisionError, "not me"):
                getattr(c, name)([data, Refusing()], other, 1)
        in_turn()
        assert c.iprobe(other, 1) is None
        sent = c.isend(data, other, 4)
        while not c.iprobe(other, 4):
            pass
        with raises(ZeroDivisionError, "not me"):
            c.sendrecv(Refusing(), other, 3, other, 4)
        assert same(c.recv(other, 4), data), "the call that failed took a message"
        sent.wait()

        sent = c.isend([Unloadable(), data], other, 1), c.isend("after", other, 1)
        with raises(ValueError, "no number"):
            c.recv(other, 1)
        assert c.recv(other, 1) == "after"
        mpi.wait_all(sent)
        sent = c.isend([Unloadable(), data], other, 1), c.isend("after", other, 1)
        request = c.irecv(other, 1)
        with raises(ValueError, "no number"):
            request.wait()
        with raises(mpi.StateError, "this request has failed before"):
            request.wait()
        assert c.recv(other, 1) == "after"
        mpi.wait_all(sent)
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_a_dtype_that_is_not_known_here_harms_no_other_message(run, stack: Stack) -> None:
    # As when ranks have different modules: the metadata of the type can be loaded on one of them only.
    script = """
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
        with raises(mpi.MismatchError, "an object came that is no array"):
            c.recv(0, 1, into=np.zeros(n, [("value", "f8")]))
        assert same(c.recv(0, 1, into=np.ones_like(sent)), sent)
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_buffered_sends_take_room_until_they_are_received(run, stack: Stack) -> None:
    script = """
array, small = np.arange(5000), np.arange(10)
MIXED = [[np.arange(999), {"x": "y" * 5000}], array.reshape(50, 100)[:, ::3], "text", array.reshape(2, -1, order="F")]
def counted():
    from polympi.native import core
    return core.buffer_in_use()

if rank == 0:
    for send in c.bsend, c.ibsend:
        with raises(mpi.NoBufferError, "no buffer is attached: call polympi.buffer_attach(nbytes) first",
                    operation=send.__name__, rank=0, peer=1, tag=0):
            send(array, 1)
    with raises(mpi.NoBufferError, "no buffer is attached"):
        mpi.buffer_detach()
    with raises(ValueError):
        mpi.buffer_attach(-1)
    mpi.buffer_attach(2 * array.nbytes)
    with raises(mpi.NoBufferError, "attached already"):
        mpi.buffer_attach(5)
    for number in range(2):
        copied = array + number
        c.bsend(copied, 1, 1)
        copied[...] = -1  # it was a copy that was sent
    assert c.ibsend(np.zeros(0), 1, 1).done
    assert counted() == 2 * array.nbytes
    with raises(mpi.NoBufferError, "the message takes 40000 bytes, but of the 80000 attached 80000 hold messages"):
        c.bsend(array, 1, 1)
    in_turn()
    assert mpi.buffer_detach() == 2 * array.nbytes
    with raises(mpi.NoBufferError, "no buffer is attached"):
        c.bsend(array, 1, 1)
    with mpi.buffer_attach(array.nbytes):
        for number in range(20):  # each waits for room that its predecessor gives back
            while True:
                try:
                    c.bsend(array * number, 1, 2)
                    break
                except mpi.NoBufferError:
                    pass
    assert counted() == 0
    with mpi.buffer_attach(10**6):
        for value in MIXED:
            c.bsend(value, 1, 3)
            c.ibsend(value, 1, 3).wait()
else:
    in_turn()
    for number in range(2):
        assert same(c.recv(0, 1), array + number)
    assert c.recv(0, 1).size == 0
    for number in range(20):
        assert same(c.recv(0, 2), array * number)
    for value in MIXED:
        for _ in range(2):
            received = c.recv(0, 3)
            assert np.array_equal(received, value) if value is MIXED[1] else same(received, value)
assert c.iprobe() is None
"""
    run(PRELUDE + script, 2, stack).succeeded()
