"""The list that was given may change while it is waited for."""

import gc
import signal
import threading
import time
from typing import Any

from prelude import c, in_turn, other, rank

import polympi as mpi


def fill(count: int = 20) -> None:
    requests[:] = [c.irecv(other, tag) for tag in range(count)]


def empty() -> Any:
    requests.clear()
    gc.collect()
    return [bytes([255]) * 300 for _ in range(2000)] and "emptied"  # memory that was given back is used again


class Emptying:
    """Empties the list where it is unpickled: in the midst of a call that works on it."""

    def __reduce__(self) -> Any:
        return empty, ()


requests = []
WAITS = [lambda: mpi.wait_all(requests), lambda: mpi.wait_any(requests), lambda: mpi.test_all(requests)]
for wait in WAITS:
    fill(3)
    in_turn()
    sent = [c.isend(Emptying() if tag == 0 else tag, other, tag) for tag in range(3)]
    c.sendrecv(0, other, 5, other, 5)  # all of them are here
    got = wait()
    assert got in (["emptied", 1, 2], (0, "emptied"), True, False), got
    assert not requests
    mpi.wait_all(iter(sent))
    in_turn()
    for tag in range(3):
        while c.iprobe(other, tag):
            c.recv(other, tag)  # what had arrived for requests that were dropped
    in_turn()

signal.signal(signal.SIGALRM, lambda *_: empty())


def by_thread() -> None:
    return threading.Timer(0.1, empty).start()


def by_signal() -> None:
    return signal.setitimer(signal.ITIMER_REAL, 0.1)


for begin in by_thread, by_signal:
    if rank == 0:
        fill()
        begin()
        assert mpi.wait_all(requests) == list(range(20))
        assert not requests
        fill(2)
        begin()
        assert mpi.wait_any(requests) == (1, "one")
        assert not requests
        c.send("goes on", 1, 9)
        assert c.recv(1, 0) == "not for the receive that was dropped"
    else:
        time.sleep(0.5)
        mpi.wait_all([c.isend(tag, 0, tag) for tag in range(20)])
        time.sleep(0.5)
        c.send("one", 0, 1)
        c.recv(0, 9)
        c.send("not for the receive that was dropped", 0, 0)
    in_turn()
