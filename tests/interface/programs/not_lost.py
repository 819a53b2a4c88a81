"""Messages are neither lost nor overtaken, however receives end without one; on two ranks or more.

The argument is how they end: see WAYS. All ranks send and receive on a separate communicator, so that no receive of any
tag takes what ranks further on say to each other.
"""

import random
import signal
import sys
from functools import partial
from typing import Any

import numpy as np
from alarm import Alarm, ring
from prelude import c, in_turn, rank, same, size

import polympi as mpi

COUNT, TURNS = 400 // size, 10**5
VALUES = [
    lambda n: n,
    lambda n: np.full(300, n),
    lambda n: np.full(40_000, n),
    lambda n: [n, "x" * 9000],
    lambda n: {"n": [n]},
]
way = sys.argv[1]
twin, chance = c.dup(), random.Random(rank)
others = [other for other in range(size) if other != rank]
came, sent, received = dict.fromkeys(others, 0), [], []


def seconds() -> float:
    """About as long as a message takes, so that some time-outs meet theirs at the very last moment."""
    return 10 ** chance.uniform(-5, -3)


def probed(_: int) -> Any:
    found = twin.probe()
    return twin.recv(found.source, found.tag, status=True)


def waited(_: int) -> Any:
    request = twin.irecv(tag=1)
    mpi.wait_any([request])
    return request.wait(status=True)


def into_memory(source: int) -> Any:
    of_array = source in came and came[source] % len(VALUES) == 2
    return twin.recv(source, into=np.zeros(40_000, int) if of_array else None, timeout=seconds(), status=True)


def cancelled(source: int) -> Any:
    request = twin.irecv(source)
    try:
        return request.wait(timeout=seconds(), status=True)
    except mpi.Timeout:
        if request.cancel():
            raise
    return request.wait(status=True)


def dropped(source: int) -> Any:
    requests = [twin.irecv() for _ in range(chance.randrange(4))]
    twin.iprobe()
    del requests
    return twin.recv(source, timeout=seconds(), status=True)


WAYS = {
    "plain": [lambda _: twin.recv(status=True), probed, waited],
    "time-outs": [
        into_memory,
        lambda source: twin.sendrecv(None, mpi.PROC_NULL, 0, source, timeout=seconds(), status=True),
    ],
    "requests": [cancelled, dropped],
    "signals": [partial(twin.recv, status=True), partial(twin.sendrecv, None, mpi.PROC_NULL, 0, status=True)],
}
signal.signal(signal.SIGALRM, ring)
turn = 0
while sum(came.values()) < COUNT * len(others):
    if turn < COUNT:
        sent += [twin.isend(VALUES[turn % len(VALUES)](turn), other, 1) for other in others]
    turn += 1
    assert turn < TURNS, came
    source = chance.choice([mpi.ANY_SOURCE, *others])
    try:
        if way == "signals":
            signal.setitimer(signal.ITIMER_REAL, 10 ** chance.uniform(-4.3, -2.7))
        # `map` puts in the list what a call returns, before Python looks for signals again.
        received.extend(map(WAYS[way][turn % len(WAYS[way])], [source]))
        signal.setitimer(signal.ITIMER_REAL, 0)
    except (Alarm, mpi.Timeout):
        pass
    while received:
        got, status = received.pop()
        number = came[status.source]
        assert same(got, VALUES[number % len(VALUES)](number)), f"message {number} of {status.source}: {got!r}"
        came[status.source] += 1
sent += [twin.isend(VALUES[n % len(VALUES)](n), other, 1) for n in range(turn, COUNT) for other in others]
mpi.wait_all(sent)
in_turn()
assert twin.iprobe() is None
