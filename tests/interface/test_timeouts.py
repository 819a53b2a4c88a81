"""Calls that wait in vain: they end in time, say who waited for whom, and leave everything else as it was."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

# Rank 1 gets to `meanwhile` only when rank 0 has been through all its time-outs.
WAITING = """
import signal

big = np.arange(10**6)

def times_out(call, *words, seconds=0.05, **facts):
    "The call, written on a line of its own, waits as long as it may and names that line."
    place = f"{__file__}:{call.__code__.co_firstlineno}: "
    with raises(mpi.Timeout, f"rank {rank} waited {seconds!r} s", place, *words, rank=rank, code=None, **facts):
        call()
"""


def test_every_call_that_waits_ends_in_time_and_says_for_whom(run, stack: Stack) -> None:
    script = """
if rank == 0:
    short = dict(timeout=0.05)
    for_1, nothing, unreceived = " s for rank 1 in ", "nothing that fits came", "it did not receive"
    times_out(lambda: c.recv(1, 7, **short), for_1 + "recv(source=1, tag=7) at ", nothing,
              operation="recv", peer=1, tag=7)
    times_out(lambda: c.recv(**short), " s for any rank in recv(source=ANY_SOURCE, tag=ANY_TAG) at ", nothing,
              operation="recv", peer=mpi.ANY_SOURCE, tag=mpi.ANY_TAG)
    times_out(lambda: c.recv(1, into=np.zeros(3), **short), for_1 + "recv(source=1, tag=ANY_TAG)")
    times_out(lambda: c.recv(1, into=bytearray(3), status=True, **short), for_1)
    times_out(lambda: c.probe(1, 3, **short), for_1 + "probe(source=1, tag=3)", nothing, operation="probe")
    times_out(lambda: c.sendrecv(None, 1, 70, 1, 5, **short), for_1 + "sendrecv(source=1, tag=5)", nothing)
    times_out(lambda: c.sendrecv(big, 1, 71, 1, 5, **short), for_1 + "sendrecv(dest=1, tag=71)", unreceived, tag=71)
    times_out(lambda: c.send(big, 1, 72, **short), for_1 + "send(dest=1, tag=72)", unreceived,
              operation="send", peer=1, tag=72)
    times_out(lambda: c.send([big, "x" * 9000], 1, 73, **short), for_1 + "send(dest=1, tag=73)", unreceived)
    times_out(lambda: c.ssend("small", 1, 74, **short), for_1 + "ssend(dest=1, tag=74)", unreceived)
    receive, send = c.irecv(1, 80), c.issend("late", 1, 75)
    for _ in range(2):
        times_out(lambda: receive.wait(**short), for_1 + "irecv(source=1, tag=80)", nothing, operation="irecv", tag=80)
        times_out(lambda: send.wait(status=True, **short), for_1 + "issend(dest=1, tag=75)", unreceived, tag=75)
        times_out(lambda: mpi.wait_all([receive, send], **short), for_1 + "irecv(source=1, tag=80)")
        times_out(lambda: mpi.wait_all([c.isend(0, mpi.PROC_NULL), send], **short), for_1 + "issend(dest=1, tag=75)")
        times_out(lambda: mpi.wait_any([receive, send], **short), " s in wait_any() at ",
                  "none of the requests was complete", operation="wait_any", peer=None, tag=None)
    assert not receive.done and not send.done
    mpi.buffer_attach(10**7)
    c.bsend(big, 1, 76)
    with raises(mpi.Timeout, "buffer_detach waited 0.05 s, but 8000000 bytes sent with bsend were not received"):
        mpi.buffer_detach(timeout=0.05)

    # What was given up in time is as if it had never been; what was sent is there when it is asked for.
    c.send("meanwhile", 1, 50)
    assert receive.wait() == "late, too" and mpi.wait_all([receive, send]) == ["late, too", None]
    assert same(c.recv(1, 7), big) and c.recv(1) == "last"
    assert mpi.buffer_detach() == 10**7
else:
    assert c.recv(0, 50) == "meanwhile"
    c.send("late, too", 0, 80)
    sent = {76: big, 75: "late", 74: "small", 73: [big, "x" * 9000], 72: big, 71: big, 70: None}
    for tag, expected in sent.items():
        assert same(c.recv(0, tag), expected)
    c.send(big, 0, 7)
    c.send("last", 0, 8)
in_turn()
assert c.iprobe() is None
"""
    run(PRELUDE + WAITING + script, 2, stack).succeeded()


def test_messages_are_not_lost_between_receives_that_time_out(run, stack: Stack) -> None:
    script = """
# Time-outs as long as messages take, so that some meet their message at the very last moment.
chance = random.Random(rank)
COUNT = 400
VALUES = [lambda n: n, lambda n: np.full(100, n), lambda n: np.full(10**4, n), lambda n: [n, "x" * 9000]]
into = np.zeros(10**4, int)
sent, received, missed = [], 0, 0
while received < COUNT:
    if len(sent) < COUNT:
        sent.append(c.isend(VALUES[len(sent) % 4](len(sent)), other, 1))
    try:
        way, expected, timeout = received % 3, VALUES[received % 4](received), 10 ** chance.uniform(-6, -3)
        if way == 0 or received % 4 != 2:
            got = c.recv(other, 1, timeout=timeout)
        elif way == 1:
            got = c.irecv(other, 1, into=into)
            try:
                got = got.wait(timeout=timeout)
            except mpi.Timeout:
                if got.cancel():
                    raise
                got = got.wait()
        else:
            got = c.recv(other, 1, into=into, timeout=timeout)
    except mpi.Timeout:
        missed += 1
        if missed > 10**5:
            raise
        continue
    assert same(got, expected), f"message {received}"
    received += 1
mpi.wait_all(sent)
in_turn()
assert c.iprobe() is None
"""
    run(PRELUDE + WAITING + script, 2, stack).succeeded()


def test_a_message_that_has_begun_to_come_is_waited_for(run, stack: Stack) -> None:
    # With some MPI libraries large data come only when the sender moves them on.
    script = """
if rank == 0:
    sent = [c.isend(value, 1, 1) for value in (big, [big, "x" * 9000])]
    time.sleep(0.3)
    mpi.wait_all(sent)
else:
    while not c.iprobe(0, 1):
        pass
    assert same(c.recv(0, 1, timeout=0.01), big)
    assert same(c.recv(0, 1, timeout=0.3), [big, "x" * 9000])
"""
    run(PRELUDE + WAITING + script, 2, stack).succeeded()


def test_the_time_for_all_requests_is_one_time(run, stack: Stack) -> None:
    script = """
requests = [c.irecv(other, 1), c.irecv(other, 2), c.irecv(other, 3)]
c.send("first", other, 1)
c.send("third", other, 3)
in_turn()
times_out(lambda: mpi.wait_all(requests, timeout=0.05), f"for rank {other} in irecv(source={other}, tag=2)")
assert requests[0].done and not requests[1].done
in_turn()
c.send("second", other, 2)
assert mpi.wait_all(requests, timeout=60) == ["first", "second", "third"]
assert mpi.wait_all(requests, timeout=1e-9) == ["first", "second", "third"]
"""
    run(PRELUDE + WAITING + script, 2, stack).succeeded()


def test_ranks_that_wait_for_each_other_end_by_the_time_out_of_the_environment(run, stack: Stack) -> None:
    script = """
c.recv(other, 5, timeout=None)  # each waits for the other: a deadlock, but for POLYMPI_TIMEOUT
"""
    ended = run(PRELUDE + script, 2, stack, env={"POLYMPI_TIMEOUT": "0.3"})
    assert ended.exit_code == 1, str(ended)
    last = [line for line in ended.stderr.splitlines() if "waited 0.3 s" in line]
    assert last, str(ended)
    line = PRELUDE.count("\n") + 2
    for said in last:
        rank = int(said[len("[rank ")])
        assert said.startswith(
            f"[rank {rank}] polympi.errors.Timeout: rank {rank} waited 0.3 s for rank {1 - rank} in "
            f"recv(source={1 - rank}, tag=5) at "
        )
        assert said.endswith(f"program.py:{line}: nothing that fits came")


def test_the_time_out_of_a_call_goes_before_that_of_the_environment(run, stack: Stack) -> None:
    script = """
times_out(lambda: c.recv(other, 5), seconds=0.2)
times_out(lambda: c.ssend("unseen", other, 6), seconds=0.2)
times_out(lambda: c.recv(other, 7, timeout=0.05), seconds=0.05)
request = c.irecv(other, 8)
times_out(lambda: request.wait(), seconds=0.2)
times_out(lambda: request.wait(timeout=0.1), seconds=0.1)
times_out(lambda: mpi.wait_any([request]), seconds=0.2)
times_out(lambda: mpi.wait_all([request]), seconds=0.2)
times_out(lambda: c.probe(other, 8), seconds=0.2)
assert request.cancel()
assert c.recv(other, 6, timeout=60) == "unseen"
c.sendrecv(None, other, 9, other, 9, timeout=60)
"""
    run(PRELUDE + WAITING + script, 2, stack, env={"POLYMPI_TIMEOUT": "0.2"}).succeeded()


def test_a_signal_ends_a_call_that_waits(run, stack: Stack) -> None:
    script = """
class Alarm(Exception):
    pass

def ring(number, frame):
    raise Alarm("ring")

signal.signal(signal.SIGALRM, ring)
if rank == 0:
    request, send = c.irecv(1, 80), c.issend(big, 1, 75)
    CALLS = [
        lambda: c.recv(1, 7), lambda: c.recv(1, 7, into=np.zeros(3), timeout=60), lambda: c.probe(1, 7),
        lambda: c.ssend(1, 1, 70), lambda: c.send(big, 1, 71), lambda: c.sendrecv(big, 1, 72, 1, 7), request.wait,
        send.wait, lambda: mpi.wait_all([request, send]), lambda: mpi.wait_any([request, send]),
    ]
    for call in CALLS:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with raises(Alarm, "ring"):
            call()
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)  # those that raise nothing end no call
    c.send("go on", 1, 50)
    assert c.recv(1, 7) == "here" and request.wait() == "there"
    signal.setitimer(signal.ITIMER_REAL, 0)
    send.wait()
else:
    assert c.recv(0, 50) == "go on"
    time.sleep(0.2)
    for tag, expected in (70, 1), (71, big), (72, big), (75, big):
        assert same(c.recv(0, tag), expected)
    c.send("here", 0, 7)
    c.send("there", 0, 80)
"""
    run(PRELUDE + WAITING + script, 2, stack).succeeded()
