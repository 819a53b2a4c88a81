"""Fewer elements fill the first ones of one axis."""

import numpy as np
from prelude import c, rank
from ways import WAYS

for n in 10, 10_000:
    plane = np.arange(n).reshape(2, -1)
    SENT = [np.arange(n), plane, np.asfortranarray(plane), np.arange(2 * n)[::2]]
    for number, sent in enumerate(SENT):
        for turn, cut in enumerate([slice(None), slice(None, None, 3), slice(None, None, -1)]):
            if rank == 0:
                c.send(sent, 1, 1)
                c.send(sent, 1, 1)
            else:
                whole = np.full(4 * n, -1)
                into = whole[cut] if turn != 1 else np.full(12 * n, -1)[cut]
                value, status = c.recv(0, 1, into=into, status=True)
                assert value is into
                assert status == (0, 1, n, 8 * n)
                assert (into[:n] == sent.reshape(-1)).all()
                assert (into[n:] == -1).all()
                into[...] = -1
                WAYS[(number + turn) % len(WAYS)](into)
                assert (into[:n] == sent.reshape(-1)).all()
                assert (into[n:] == -1).all()
    for sent, into in (b"abc" * n, bytearray(b"-" * 4 * n)), (np.zeros((0, 3)), np.ones(5)), (b"", bytearray(b"-" * n)):
        if rank == 0:
            c.send(sent, 1)
        else:
            before = bytes(into)
            expected = bytes(sent)
            assert bytes(c.recv(into=into)) == expected + before[len(expected) :]
