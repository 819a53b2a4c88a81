"""No message is lost wherever a signal ends a receive.

`map` puts in the list what a call returns, before Python looks for signals again.
"""

import itertools
import random
import signal
import time
from functools import partial

import numpy as np
from giving_up import Alarm
from prelude import c, in_turn, rank, same

import polympi as mpi

COUNT, TURNS = 400, 10**5
VALUES = [lambda n: n, lambda n: np.full(100, n), lambda n: np.full(10**5, n), lambda n: [np.full(9000, n), "x" * 9000]]
if rank == 1:
    chance = random.Random(7)
    sent = []
    for n in range(COUNT):
        sent.append(c.isend(VALUES[n % 4](n), 0, n % 3))
        time.sleep(0.0005 * chance.random())
        c.iprobe()
    mpi.wait_all(sent)
    c.recv(0, 50)
else:
    chance, got, turn = random.Random(5), [], 0
    sources = [1, mpi.ANY_SOURCE] * 4
    ways = [
        lambda: map(c.recv, sources),
        lambda: map(partial(c.sendrecv, None, mpi.PROC_NULL, 0), sources),
        lambda: map(partial(c.recv, timeout=0.0002), sources),
    ]
    while len(got) < COUNT:
        turn += 1
        assert turn < TURNS, len(got)
        way = turn % len(ways)
        try:
            if way < 2:
                signal.setitimer(signal.ITIMER_REAL, 10 ** chance.uniform(-4.3, -2.7))
            got.extend(itertools.islice(ways[way](), COUNT - len(got)))
            signal.setitimer(signal.ITIMER_REAL, 0)
        except (Alarm, mpi.Timeout):
            pass
        dropped = [c.irecv() for _ in range(turn % 4)]
        c.iprobe()
        del dropped
    for n, value in enumerate(got):
        assert same(value, VALUES[n % 4](n)), f"message {n}: {value!r}"
    c.send("all", 1, 50)
in_turn()
assert c.iprobe() is None
