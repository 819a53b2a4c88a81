"""Data arrive while the receiver waits for something else.

The sender waits until its large message is taken in; the receiver is meanwhile in another call.
"""

import numpy as np
from prelude import c, rank, same

import polympi as mpi

big = np.arange(10**6)


def iprobing() -> None:
    while not c.iprobe(0, 2):
        pass
    c.recv(0, 2)


WAITS = [
    c.barrier,
    lambda: c.recv(0, 2),
    lambda: c.irecv(0, 2).wait(),
    lambda: c.probe(0, 2) and c.recv(0, 2),
    iprobing,
    lambda: c.sendrecv("x", 0, 3, 0, 2),
    lambda: mpi.wait_any([c.irecv(0, 2)]),
    lambda: mpi.wait_all([c.irecv(0, 2)]),
    lambda: c.ssend("x", 0, 3),
    lambda: c.send(big, 0, 3),
    lambda: c.issend(big, 0, 3).wait(),
    lambda: c.dup().free(),
    lambda: c.split(0).free(),
]


def tell() -> None:
    c.send("go on", 1, 2)


PARTNERS = [c.barrier] + [tell] * 4 + [lambda: c.sendrecv("go on", 1, 2, 1, 3)] + [tell] * 2
PARTNERS += [lambda: c.recv(1, 3)] * 3 + [lambda: c.dup().free(), lambda: c.split(0).free()]
assert len(WAITS) == len(PARTNERS)
for wait, partner in zip(WAITS, PARTNERS, strict=True):
    for value in big, [big, "x" * 9000], [["x"] * 9000]:
        if rank == 0:
            c.isend(value, 1, 1).wait()
            partner()
        else:
            request = c.irecv(0, 1)
            wait()
            assert same(request.wait(), value)
