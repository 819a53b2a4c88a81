"""Messages are not lost between receives that time out."""

import random

import numpy as np
from prelude import c, in_turn, other, rank, same

import polympi as mpi

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
