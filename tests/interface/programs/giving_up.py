"""Ways to receive and to give up, and messages that are announced long before their data are sent."""

import itertools
import signal
import struct
from collections.abc import Callable

import numpy as np
from alarm import Alarm, ring
from prelude import c, other, raises

import polympi as mpi
from polympi.native import core

signal.signal(signal.SIGALRM, ring)
big = np.arange(10**6)  # MPICH sends a tenth of it over a network before it is received


def interrupted(call: Callable[[], object]) -> None:
    """The call, ended by the exception of a signal handler."""
    begun = False

    def ring_once(*_: object) -> None:
        nonlocal begun
        if begun:  # on a busy machine it also rings before that, and then again
            begun = False
            raise Alarm

    signal.signal(signal.SIGALRM, ring_once)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    with raises(Alarm):
        begun = True
        call()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, ring)


WAYS_TO_RECEIVE = [
    lambda **into: c.recv(other, 1, **into),
    lambda **into: c.irecv(other, 1, **into).wait(),
    lambda **into: c.sendrecv(None, mpi.PROC_NULL, source=other, recvtag=1, **into),
    lambda **into: mpi.wait_any([c.irecv(other, 1, **into)])[1],
    lambda **into: c.recv(c.probe(tag=1).source, mpi.ANY_TAG, **into),
]

# An announcement comes long before its data: rank 1 sends those on request.
N, ARRAY, DOUBLE, BYTES, REMOTE = 1000, 14, 12, 8, 255
numbers = itertools.count(10**6)


def announce(form: str, tag: int = 1) -> Callable[[], None]:
    """Announce 1000 numbers, as an array or as bytes; what sends the data."""
    number, data = next(numbers), np.arange(1000.0).tobytes()
    array = struct.pack("<8B2Iq", ARRAY, DOUBLE, 1, 0, 0, 1, 0, 0, 8, 0, N)
    stream = array if form == "array" else struct.pack("<BQ", BYTES, len(data))
    body = struct.pack("<Q", len(data)) + stream
    core._send_raw(c, struct.pack("<BBHIQQ", REMOTE, 0, 0, number, len(body), 1) + body, 0, tag, False)
    return lambda: core._send_raw(c, data, 0, number, True)
