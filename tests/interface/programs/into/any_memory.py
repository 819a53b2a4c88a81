"""Any memory takes bytes and elements of its type."""

import array
import ctypes
import mmap

import numpy as np
from prelude import c, rank
from ways import WAYS

with mmap.mmap(-1, 12_000) as mapped:
    for nbytes in 24, 12_000:
        doubles = np.arange(nbytes // 8) * 0.5
        raw = doubles.tobytes()
        strided = np.zeros((nbytes // 8, 2))
        count = nbytes // 8
        PAIRS = [
            (raw, lambda: bytearray(nbytes)),
            (bytearray(raw), lambda: bytearray(nbytes)),
            (memoryview(raw), lambda: memoryview(bytearray(nbytes))),
            (np.frombuffer(raw, "u1"), lambda: bytearray(nbytes)),
            (raw, lambda: np.zeros(nbytes, "u1")),
            (raw, lambda: np.zeros(nbytes, "i1")),
            (raw, lambda: np.zeros(nbytes, "S1")),
            (raw, ctypes.c_char * nbytes),
            (raw, lambda: memoryview(bytearray(nbytes)).cast("c")),
            (raw, lambda: memoryview(mapped)[:nbytes]),
            (raw, lambda: memoryview(bytearray(2 * nbytes))[::2]),
            (doubles, lambda: array.array("d", bytes(nbytes))),
            (array.array("d", doubles), lambda: np.zeros(count)),
            (doubles, ctypes.c_double * count),
            (doubles, lambda: strided[:, 1]),
            (doubles, lambda: memoryview(strided[:, 0])),
            (memoryview(doubles), lambda: memoryview(np.zeros(count))),
            (doubles, lambda: memoryview(bytearray(nbytes)).cast("d")),
            (np.asfortranarray(doubles.reshape(3, -1)), lambda: memoryview(np.zeros((3, count // 3), order="F"))),
        ]
        for number, (sent, make) in enumerate(PAIRS):
            if rank == 0:
                c.send(sent, 1, 1)
            else:
                into = make()
                assert WAYS[number % len(WAYS)](into) is into
                assert memoryview(into).tobytes() == raw, (number, nbytes)
if rank == 0:
    for value in np.float64(2.5)[...], np.array(3, "i4"), np.array([4], "i4"):
        c.send(value, 1, 1)
else:
    assert c.recv(into=np.zeros(())) == 2.5
    assert c.recv(into=np.zeros((1, 1), "i4")) == [[3]]
    assert c.recv(into=np.zeros((), "i4")) == 4
