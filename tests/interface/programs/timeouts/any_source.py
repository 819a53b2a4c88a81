"""Receives from any source that are given up lose no message."""

import random
import signal
import time
from typing import Any

import numpy as np
from prelude import c, rank

import polympi as mpi


class Alarm(Exception):  # noqa: N818 - it is what happened, not an error
    pass


def ring(*_: object) -> None:
    raise Alarm


def cancelled(request: mpi.Request) -> Any:
    end = time.monotonic() + 0.0002
    while not request.test() and time.monotonic() < end:
        pass
    if request.cancel():
        raise mpi.Timeout
    return request.wait()


def interrupted() -> Any:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0003)
        c.probe()  # not in the middle of receiving: an exception there would replace the message
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Alarm:
        raise mpi.Timeout from None
    return c.recv(timeout=60)


COUNT = 400
if rank == 0:
    chance = random.Random(5)
    for n in range(COUNT):
        c.send(n if n % 3 else np.full(100 if n % 2 else 10**5, n), 1, n % 5)
        time.sleep(0.001 * chance.random())
    c.recv(1)
else:
    signal.signal(signal.SIGALRM, ring)
    into, got, turn = np.zeros(10**5, int), [], 0
    ways = [
        lambda: c.recv(timeout=0.0002),
        lambda: cancelled(c.irecv()),
        lambda: c.recv(0, timeout=0.0002),
        interrupted,
        lambda: c.sendrecv(None, mpi.PROC_NULL, timeout=0.0002),
    ]
    while len(got) < COUNT:
        turn += 1
        assert turn < 10**5
        try:
            value = ways[turn % len(ways)]()
        except mpi.Timeout:
            continue
        got.append(int(np.min(value)))
    assert got == list(range(COUNT)), sorted(set(range(COUNT)) - set(got))
    c.send("all", 0)
