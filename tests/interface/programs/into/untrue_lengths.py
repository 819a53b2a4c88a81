"""Lengths that are not true are errors, whatever they are received into, and no other memory is touched."""

import struct

import numpy as np
from prelude import c, rank, same
from raw_messages import BYTES, GUARD, REMOTE, announce, head, targets

import polympi as mpi
from polympi.native import core

SENT = [
    lambda: core._send_raw(c, head((6,), apart=1), 1, 1, False),  # no part at all
    lambda: core._send_raw(c, head((1000,), apart=1), 1, 1, False),
    lambda: core._send_raw(c, struct.pack("<BQ", BYTES, 48), 1, 1, False),
    lambda: core._send_raw(c, struct.pack("<BQ", BYTES, 8000), 1, 1, False),
    lambda: core._send_raw(c, head((6,), itemsize=80) + bytes(480), 1, 1, False),
    lambda: core._send_raw(c, bytes([REMOTE]), 1, 1, False),
    lambda: core._send_raw(c, b"", 1, 1, False),
    lambda: announce(head((6,), apart=1), [8]),
    lambda: announce(head((6,), apart=1), [480]),
    lambda: announce(head((6,), apart=1), [48, 8]),
    lambda: announce(head((6,), apart=1), [48, 8], apart=True),
    lambda: announce(head((125,), itemsize=16, apart=1), [2000]),
    lambda: announce(head((6,), itemsize=80, apart=1), [480]),
    lambda: announce(head((6,)), [48]),
    lambda: announce(struct.pack("<BQ", BYTES, 48), [40]),
    lambda: announce(struct.pack("<BQ", BYTES, 40), [40, 48]),
    lambda: announce(head((6,), apart=1), [], parts=2**61),
    lambda: announce(head((6,), apart=1), [], body=2**63),
    lambda: core._send_raw(c, struct.pack("<BBHIQQ", REMOTE, 1, 0, 5, 2**63, 1), 1, 1, False),
    lambda: core._send_raw(c, struct.pack("<BBHIQQQB", REMOTE, 0, 0, 5, 9, 1, 2**64 - 8, 0), 1, 1, False),
]
for send in SENT:
    for number in range(1 + len(targets())):
        if rank == 0:
            send()
            c.send(np.arange(6.0), 1, 2)
            continue
        whole, into = targets()[number - 1] if number else (np.full(1000, 7.0), None)
        try:
            c.recv(0, 1, into=into, timeout=30)
        except (mpi.Error, ValueError) as error:
            assert not isinstance(error, mpi.Timeout), SENT.index(send)
        else:
            raise AssertionError(f"{SENT.index(send)} was taken into {number}")
        assert (whole[:GUARD] == 7).all()
        assert (whole[-GUARD:] == 7).all()
        assert same(c.recv(0, 2), np.arange(6.0))
