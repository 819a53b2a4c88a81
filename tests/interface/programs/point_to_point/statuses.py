"""The status tells elements and bytes."""

from typing import Any

import numpy as np
from prelude import c, rank

import polympi as mpi

KNOWN = [
    (np.arange(10.0), 10, 80),
    (np.arange(10_000, dtype="i4"), 10_000, 40_000),
    (np.zeros((3, 4, 5)), 60, 480),
    (np.zeros((0, 4)), 0, 0),
    (np.float32(3)[...], 1, 4),
    (np.arange(9000)[::3], 3000, 24_000),
    (bytearray(100), 100, 100),
    (b"x" * 5000, 5000, 5000),
    (memoryview(bytes(70)), 70, 70),
    (np.zeros(5, "i4,f8"), 5, 60),
]
for value, elements, nbytes in KNOWN:
    if rank == 0:
        for _ in range(4):
            c.send(value, 1, 11)
    else:
        room = np.empty_like(value)

        def into() -> Any:
            return room if isinstance(value, np.ndarray) else bytearray(len(value))

        for received, status in [
            c.recv(status=True),
            c.recv(0, 11, into=into(), status=True),
            c.irecv(0, 11).wait(status=True),
            c.sendrecv(0, mpi.PROC_NULL, 0, 0, 11, into=into(), status=True),
        ]:
            assert isinstance(status, mpi.Status)
            assert status == (0, 11, elements, nbytes), type(value)
            assert bytes(memoryview(np.array(received))) == bytes(memoryview(np.array(value)))
objects = [None, 5, "text" * 10, [1, 2], {"x": np.zeros(10_000)}]
for value in objects:
    if rank == 0:
        c.send(value, 1, 2)
    else:
        status = c.recv(status=True)[1]
        assert (status.source, status.tag, status.elements) == (0, 2, 1)
        assert status.nbytes >= 1
assert c.recv(mpi.PROC_NULL, status=True) == (None, (mpi.PROC_NULL, mpi.ANY_TAG, 0, 0))
assert c.isend(1, mpi.PROC_NULL).wait(status=False) is None
