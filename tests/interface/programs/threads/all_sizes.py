"""Threads exchange messages of all sizes."""

import random

import numpy as np
from prelude import c, in_turn, other, rank, same
from together import together

import polympi as mpi

VALUES = [
    lambda n: n,
    lambda n: {"n": n, "x": [None, 1.5]},
    lambda n: np.full(50, n),
    lambda n: np.full(3000, n),
    lambda n: np.full(100_000, n),
    lambda n: [n, "x" * 9000],
    lambda n: [np.full(5000, n), "y" * 9000],
    lambda n: np.full((40, 50), n)[:, ::3],
]


def work(tag: int) -> None:
    chance = random.Random(tag)
    for turn in range(40):
        of_rank = [chance.choice(VALUES)(100 * sender + turn) for sender in range(2)]
        mine, theirs = of_rank[rank], of_rank[other]
        expected = theirs.copy() if isinstance(theirs, np.ndarray) else theirs
        way = chance.randrange(6)
        if way == 0:
            got = c.sendrecv(mine, other, tag, other, tag)
        elif way == 1:
            request = c.irecv(other, tag)
            c.send(mine, other, tag)
            got = request.wait()
        elif way == 2:
            request = c.isend(mine, other, tag)
            got = c.recv(c.probe(other, tag).source, tag)
            request.wait()
        elif way == 3:
            got = mpi.wait_all([c.irecv(other, tag), c.issend(mine, other, tag)])[0]
        elif way == 4 and isinstance(theirs, np.ndarray):
            got = c.sendrecv(mine, other, tag, other, tag, into=np.empty(theirs.shape, int))
        else:
            requests = [c.irecv(other, tag), c.isend(mine, other, tag)]
            while not mpi.test_all(requests):
                pass
            got = requests[0].wait()
        assert same(got, expected), (tag, turn, way)


together(work, 8)
in_turn()
assert c.iprobe() is None
