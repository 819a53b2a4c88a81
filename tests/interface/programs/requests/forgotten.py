"""Requests may be forgotten."""

import gc

import numpy as np
from prelude import c, in_turn, rank, same

for value in 5, np.arange(10), np.arange(10**6), [np.arange(9999), "x" * 10**5]:
    if rank == 0:
        c.isend(value, 1, 1)
        c.issend(value, 1, 1)
        del value
        gc.collect()
        c.isend([np.full(10**6, 8)], 1, 1)  # its array is kept by the message alone
        in_turn()
        c.isend("first", 1, 2)
        c.isend(np.zeros(10**6), 1, 2)
        c.isend("last", 1, 2)
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
        assert c.recv(0, 2) == "first", "receives that are forgotten take nothing"
        assert c.recv(0, 2).size == 10**6
        assert c.recv(0, 2) == "last"
        in_turn()
