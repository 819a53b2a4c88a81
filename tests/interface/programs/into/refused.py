"""What does not fit is refused and harms no other message."""

from typing import Any

import numpy as np
from prelude import c, raises, rank, same
from ways import WAYS

import polympi as mpi

for n in 6, 6000:
    doubles, shape = np.arange(float(n)), f"({n},)"

    def room(*shape: int) -> Any:
        return np.full(shape, 7.0)

    CASES = [
        (doubles, np.full(n, 7, "f4"), mpi.MismatchError, f"float64 elements of shape {shape} do not fit into float32"),
        (doubles, np.full(n, 7), mpi.MismatchError, "the types of the elements differ"),
        (doubles, np.full(n, 7, ">f8"), mpi.MismatchError, "do not fit into >f8 elements"),
        (doubles, np.full(n, 7, "c16"), mpi.MismatchError, "into complex128"),
        (doubles, bytearray(8 * n), mpi.MismatchError, "into uint8"),
        (doubles.astype("M8[s]"), np.zeros(n, "M8[ms]"), mpi.MismatchError, "datetime64[s] elements"),
        (doubles, room(n - 1), mpi.TruncationError, "there are more than fit"),
        (doubles, room(2 * n)[: n - 1 : 2], mpi.TruncationError, "there are more than fit"),
        (doubles, room(0), mpi.TruncationError, "there are more than fit"),
        (doubles, room(), mpi.TruncationError, "of shape (): there are more than fit"),
        (b"x" * n, bytearray(n - 1), mpi.TruncationError, "uint8 elements"),
        (doubles, room(2, n), mpi.MismatchError, "need one-dimensional memory"),
        (doubles, room(n, 1)[:0], mpi.TruncationError, "of shape (0, 1)"),
        (doubles.reshape(2, -1), room(n // 2 - 1, 2), mpi.TruncationError, f"shape (2, {n // 2}) do not fit"),
        ({"a": doubles}, room(n), mpi.MismatchError, "the message is an object and not an array"),
        ("x" * n, bytearray(n), mpi.MismatchError, "leave out into="),
        (None, room(n), mpi.MismatchError, "the message is an object and not an array"),
        (["x" * n] * 9, room(n), mpi.MismatchError, "the message is an object and not an array"),
        (np.array([None] * n), room(n), mpi.MismatchError, "the message is an object and not an array"),
    ]
    for number, (sent, into, kind, words) in enumerate(CASES):
        for way in WAYS:
            if rank == 0:
                c.send(sent, 1, 1)
                c.send(("after", number), 1, 1)
                c.send(doubles, 1, 1)
            else:
                before = bytes(memoryview(into).cast("B")) if type(into) is bytearray else into.tobytes()
                with raises(kind, "rank 1, ", "source=0, tag=1", words, rank=1, peer=0, tag=1, code=None):
                    way(into)
                assert before == (bytes(into) if type(into) is bytearray else into.tobytes()), "something was written"
                assert c.recv(0, 1) == ("after", number)
                assert same(way(np.empty(n)), doubles)
