"""A signal ends a call that waits."""

import signal
import time

import numpy as np
from alarm import Alarm, ring
from prelude import c, raises, rank, same
from times_out import big

import polympi as mpi

signal.signal(signal.SIGALRM, ring)
if rank == 0:
    request, send = c.irecv(1, 80), c.issend(big, 1, 75)
    CALLS = [
        lambda: c.recv(1, 7),
        lambda: c.recv(1, 7, into=np.zeros(3), timeout=60),
        lambda: c.probe(1, 7),
        lambda: c.ssend(1, 1, 70),
        lambda: c.send(big, 1, 71),
        lambda: c.sendrecv(big, 1, 72, 1, 7),
        request.wait,
        send.wait,
        lambda: mpi.wait_all([request, send]),
        lambda: mpi.wait_any([request, send]),
    ]
    for call in CALLS:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with raises(Alarm, "ring"):
            call()
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)  # those that raise nothing end no call
    c.send("go on", 1, 50)
    assert c.recv(1, 7) == "here"
    assert request.wait() == "there"
    signal.setitimer(signal.ITIMER_REAL, 0)
    send.wait()
else:
    assert c.recv(0, 50) == "go on"
    time.sleep(0.2)
    for tag, expected in (70, 1), (71, big), (72, big), (75, big):
        assert same(c.recv(0, tag), expected)
    c.send("here", 0, 7)
    c.send("there", 0, 80)
