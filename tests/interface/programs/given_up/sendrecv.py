"""A sendrecv of which the send is given up loses no message."""

import sys
from functools import partial
from typing import Any

import numpy as np
from giving_up import WAYS_TO_RECEIVE, big, interrupted
from prelude import c, in_turn, raises, rank, same

import polympi as mpi

VALUES = [
    7,
    np.arange(5.0),
    big,
    big.reshape(1000, 1000)[:, ::2],
    np.asfortranarray(np.ones((90, 90))),
    [big, "x" * 9000],
    b"x" * 10**5,
    "x" * 20_000,
    {"a": [big] * 2},
]
for value in VALUES:
    for into in [False, True] if type(value) is np.ndarray else [False]:
        for receive in WAYS_TO_RECEIVE:
            if rank == 1:
                c.isend(value, 0, 1)
                c.send("after", 0, 1)
                assert c.recv(0, 50) == "go on"
                assert same(c.recv(0, 71), big)
                continue
            assert c.probe(1).tag == 1

            def memory() -> dict[str, Any]:
                return {"into": np.zeros_like(value)} if into else {}

            both = partial(c.sendrecv, big, 1, 71, 1, 1, **memory())
            if sys.argv[1] == "signal":
                interrupted(both)
            else:
                with raises(mpi.Timeout, "sendrecv(dest=1, tag=71)"):
                    both(timeout=0.01)
            assert c.iprobe(1, 1) == c.probe() == (1, 1, None, None)
            assert c.iprobe(1, 2) is None
            got = receive(**memory())
            assert (got == value).all() if into else same(got, value)
            assert c.recv(1, 1) == "after"
            c.send("go on", 1, 50)
in_turn()
assert c.iprobe() is None
