"""A message whose data are in flight goes to a later receive."""

import itertools
from functools import partial
from typing import Any

import numpy as np
from giving_up import N, announce, interrupted
from prelude import c, in_turn, raises, rank

import polympi as mpi

TARGETS = {
    "array": [
        lambda: None,
        lambda: np.zeros(N),
        lambda: np.zeros(2 * N)[::2],
        lambda: np.zeros(N + 9),
        lambda: memoryview(np.zeros(N)),
    ],
    "bytes": [
        lambda: None,
        lambda: np.zeros(8 * N, "u1"),
        lambda: np.zeros(16 * N, "u1")[::2],
        lambda: bytearray(8 * N + 9),
        lambda: memoryview(bytearray(8 * N)),
    ],
}


def dropped(source: int, into: Any) -> None:
    request = c.irecv(source, 1, into=into)
    for _ in range(20):
        assert not request.test()


WAYS_TO_GIVE_UP = [
    lambda source, into: interrupted(partial(c.recv, source, 1, into=into)),
    dropped,
    lambda source, into: interrupted(c.irecv(source, 1, into=into).wait),
    lambda source, into: interrupted(partial(c.sendrecv, None, mpi.PROC_NULL, 0, source, 1, into=into)),
]
for turn, (form, first, step) in enumerate(itertools.product(["array", "bytes"], range(5), [1, 3])):
    later = TARGETS[form][(first + step) % 5]
    if rank == 1:
        send_data = announce(form)
        c.send("after", 0, 1)
        assert c.recv(0, 50) == "go on"
        send_data()
        continue
    c.probe(1, 1)
    source = mpi.ANY_SOURCE if turn % 3 else 1
    WAYS_TO_GIVE_UP[turn % 4](source, TARGETS[form][first]())
    WAYS_TO_GIVE_UP[turn // 4 % 4](source, later())  # once more
    request = c.irecv(source, 1, into=later())
    assert not request.cancel(), "its message is here"
    with raises(mpi.Timeout, "irecv("):
        request.wait(timeout=0.005)
    del request
    assert c.iprobe() == (1, 1, None, None)
    c.send("go on", 1, 50)
    got, status = c.recv(source, 1, into=later(), status=True)
    assert (status.source, status.tag, status.nbytes) == (1, 1, 8 * N)
    assert status.elements == (8 * N if form == "bytes" else N)
    assert memoryview(got).tobytes()[: 8 * N] == np.arange(1000.0).tobytes()
    assert c.recv(1, 1) == "after"
in_turn()
assert c.iprobe() is None
